# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of DSView's files (`.dsl`), which the DSLogic models of today are captured with.

A zip of `header` (an INI text) and the samples of each channel by itself, eight in a byte, the
first one lowest: channel 3 is in `L-3/0`, `L-3/1` and so on (DSView 1.3,
DSView/pv/storesession.cpp; format versions 2 and 3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from rig.capture.replay.channel_edges import merged
from rig.capture.replay.channels import find_channels
from rig.capture.replay.session_zip import (
    READ_BYTES,
    Section,
    chosen_rate,
    entries_of,
    opened,
    sections_of,
    stored_rate,
    text_of,
)
from rig.errors import InputError
from rig.instruments import AnalyzerIdentity, CaptureEnd, CaptureItem, Int64Array, UInt8Array

_LOGIC_MODE = "0"
_CHANNELS_MAX = 512


class DsviewCapture:
    """Reads a file of DSView as a capture_file.CaptureSource; wanted channels are bits 0, 1, ..."""

    def __init__(self, path: Path, wanted: Sequence[str], sample_rate_hz: int | None) -> None:
        """Read names and rate, no samples. Raises InputError for what is no usable capture."""
        self._path = path
        with opened(path) as archive:
            entries = entries_of(path, archive)
            header = _header(path, text_of(path, archive, entries, "header"))
            names = _names(path, header)
            by_place = range(max(names.values()) + 1)
            chosen = find_channels(path, names, by_place, wanted)
            self._pieces = [_pieces(path, set(entries), channel) for channel in chosen]
            sizes = [sum(entries[piece].file_size for piece in each) for each in self._pieces]
        if len(set(sizes)) != 1 or not sizes[0]:
            raise InputError(f"{path}: its channels have no samples, or not equally many")
        told = header.get("total samples", "")
        total = int(told) if re.fullmatch("[0-9]{1,18}", told) else 0
        self._samples = min(total or 8 * sizes[0], 8 * sizes[0])
        """Less than the header's if a part was saved; the last byte may be filled up."""
        self.identity = AnalyzerIdentity(
            driver="file",
            vendor="",
            model="DSView capture",
            library="",
            sample_rate_hz=chosen_rate(path, stored_rate(path, header), sample_rate_hz),
            channels=tuple(wanted),
        )

    def items(self) -> Iterator[CaptureItem]:
        """Yield the edges of the wanted channels."""
        yield from merged([self._edges(pieces) for pieces in self._pieces], self._samples)
        yield CaptureEnd(self._samples, asked=True)

    def _edges(self, pieces: Sequence[str]) -> Iterator[Int64Array]:
        sample, last = 0, 0
        with opened(self._path) as archive:
            for name in pieces:
                with archive.open(name) as piece:
                    while data := piece.read(READ_BYTES):
                        edges = _changes(data, last) + sample
                        yield edges[: np.searchsorted(edges, self._samples)]
                        sample += 8 * len(data)
                        last = data[-1] >> 7
        if sample < self._samples:
            raise InputError(f"{self._path}: damaged capture, {pieces[-1]} ends too early")


def _changes(data: bytes, last: int) -> Int64Array:
    """Return the positions of the bits that differ from the one before; `last` is before all."""
    now = np.frombuffer(data, np.uint8)
    before: UInt8Array = now << np.uint8(1)
    before[1:] |= now[:-1] >> np.uint8(7)
    before[0] |= last
    difference: UInt8Array = now ^ before
    at = np.flatnonzero(difference)
    busy: UInt8Array = difference[at]
    row, bit = np.nonzero(np.unpackbits(busy[:, None], axis=1, bitorder="little"))
    return at[row] * 8 + bit


def _header(path: Path, text: str) -> Section:
    sections = sections_of(path, "header", text)
    header = sections.get("header", {})
    if header.get("device mode", _LOGIC_MODE) != _LOGIC_MODE:
        raise InputError(f"{path}: a capture of voltages; valid: one of DSView's logic analyzer")
    version = sections.get("version", {}).get("version", "1")
    if version not in {"2", "3"}:
        raise InputError(
            f"{path}: version {version[:20]!a} of DSView's format; valid: 2 and 3, so save "
            "it again with a newer DSView"
        )
    return header


def _names(path: Path, header: Section) -> dict[str, int]:
    """Return the channels by name; DSView's own names for them are their numbers."""
    names = {}
    for key, name in header.items():
        place = re.fullmatch("probe(0|[1-9][0-9]{0,2})", key)
        if place is None or int(place[1]) >= _CHANNELS_MAX:
            continue
        if not name.isprintable():
            raise InputError(f"{path}: header: {key} has no printable name")
        label = name or f"D{place[1]}"
        names[f"{label} D{place[1]}" if label in names else label] = int(place[1])
    if not names:
        raise InputError(f"{path}: the capture holds no logic channels")
    return names


def _pieces(path: Path, entries: set[str], channel: int) -> list[str]:
    """Return a channel's entries in order."""
    numbers = [
        int(match[1])
        for name in entries
        if (match := re.fullmatch(rf"L-{channel}/(0|[1-9][0-9]{{0,8}})", name))
    ]
    missing = min(set(range(len(numbers) + 1)) - set(numbers))
    if missing < len(numbers) or not numbers:
        raise InputError(f"{path}: incomplete capture, it has no entry L-{channel}/{missing}")
    return [f"L-{channel}/{number}" for number in range(len(numbers))]
