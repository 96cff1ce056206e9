# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of sigrok's session files (`.sr`), as PulseView, sigrok-cli and `rig export` write.

A zip of `version`, `metadata` (an INI file) and the samples in `logic-1-1`, `logic-1-2` and so on;
version 1 has them in one piece, `logic-1` (libsigrok 0.5.2, src/session_file.c and
src/session_driver.c).

DSView exports such files, too, with two particulars (its libsigrok4DSL/output/srzip.c and
DSView/pv/storesession.cpp): a sample has a bit for each channel in use and none between them, while
channels keep their numbers; and a piece holds 8,192 samples, whose number is one of 16 bits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from rig.capture.edges import EdgeExtractor
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
from rig.capture.replay.wide_samples import UNITSIZE_MAX, WideSamples
from rig.errors import InputError
from rig.instruments import AnalyzerIdentity, CaptureEnd, CaptureItem, Loss, LossKind

_DSVIEW = r"^sigrok version=0\.2\.0$"
"""DSView's mark: sigrok's own 0.2.0 wrote spaces around the sign."""


@dataclass(frozen=True)
class _Device:
    sample_rate_hz: int | None
    unitsize: int
    names: dict[int, str]
    """Names of the logic channels by bit number."""
    capture_name: str


class SrSession:
    """Implements rig.capture.replay.capture_file.CaptureSource."""

    def __init__(self, path: Path, wanted: Sequence[str], sample_rate_hz: int | None) -> None:
        """Read names and rate, no samples. Raises InputError for what is no usable session."""
        self._path = path
        with opened(path) as archive:
            entries = entries_of(path, archive)
            devices = _devices(path, text_of(path, archive, entries, "metadata"))
            device, wanted = _device_of(path, devices, wanted)
            self._pieces = pieces_of(path, entries, device.capture_name)
        self._unitsize = device.unitsize
        places = range(max(device.names) + 1)
        by_name = {name: bit for bit, name in device.names.items()}
        self._found = find_channels(path, by_name, places, wanted)
        is_wide = device.unitsize > 2
        self.bits = WideSamples(device.unitsize, self._found).bits if is_wide else self._found
        bits = sorted(self._found) if is_wide else places
        self.identity = AnalyzerIdentity(
            driver="file",
            vendor="",
            model="session file of sigrok",
            library="",
            sample_rate_hz=chosen_rate(path, device.sample_rate_hz, sample_rate_hz),
            channels=tuple(device.names.get(bit, f"D{bit}") for bit in bits),
        )

    def items(self) -> Iterator[CaptureItem]:
        """Yield the edges of the wanted channels; a Loss if the last sample is cut off."""
        wide = WideSamples(self._unitsize, self._found) if self._unitsize > 2 else None
        unitsize = cast(Literal[1, 2], min(self._unitsize, 2))
        extractor = EdgeExtractor(unitsize, sum(1 << bit for bit in self.bits))
        with opened(self._path) as archive:
            for name in self._pieces:
                with archive.open(name) as piece:
                    while data := piece.read(READ_BYTES):
                        yield extractor.feed(wide.narrowed(data) if wide else data)
        if extractor.partial_bytes or (wide and wide.partial_bytes):
            text = f"the capture ends within sample {extractor.samples}"
            yield Loss(LossKind.SHORT_COUNT, extractor.samples, text)
        if not extractor.samples:
            raise InputError(f"{self._path}: the session holds no logic samples")
        yield CaptureEnd(extractor.samples, asked=True)


def _devices(path: Path, text: str) -> dict[int, _Device]:
    """Return the devices that have logic samples, by number: at least one."""
    packed = re.search(_DSVIEW, text, re.MULTILINE) is not None
    devices = {
        int(match[1]): _device(path, section, packed)
        for name, section in sections_of(path, "metadata", text).items()
        if (match := re.fullmatch("device ([1-9][0-9]{0,3})", name)) and "capturefile" in section
    }
    if not devices:
        raise InputError(f"{path}: the session holds no logic samples, by its metadata")
    return devices


def _device_of(
    path: Path, devices: Mapping[int, _Device], wanted: Sequence[str]
) -> tuple[_Device, Sequence[str]]:
    """Return the device that the wanted channels are of, and their names within it.

    A name that starts with the number of a device and a colon is of that one, others are of the
    first.
    """
    first = min(devices)
    chosen = [(first, name) for name in wanted]
    for place, name in enumerate(wanted):
        number, colon, rest = name.partition(":")
        if colon and name not in devices[first].names.values() and _number(number) in devices:
            chosen[place] = (int(number), rest)
    numbers = sorted({number for number, _ in chosen})
    if len(numbers) != 1:
        raise InputError(
            f"{path}: channels of devices {' and '.join(map(str, numbers))}, which have no common "
            "clock; name those of one"
        )
    return devices[numbers[0]], [name for _, name in chosen]


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch("[1-9][0-9]{0,3}", text) else None


def _device(path: Path, section: Section, packed: bool) -> _Device:
    """Read a device's section; `packed`: its channels' bits follow each other."""
    capture_name = section["capturefile"]
    if not re.fullmatch("[A-Za-z0-9_-]{1,64}", capture_name):
        raise InputError(f"{path}: metadata names no logic capture; valid: capturefile=logic-1")
    names = _names(path, section)
    if packed:
        names = {bit: names[place] for bit, place in enumerate(sorted(names))}
    text = section.get("unitsize", str(max(names) // 8 + 1))
    unitsize = _number(text)
    if unitsize is None or unitsize > UNITSIZE_MAX:
        raise InputError(
            f"{path}: {ascii(text[:40])[1:-1]} bytes a sample; valid: 1 to {UNITSIZE_MAX}"
        )
    names = {bit: name for bit, name in names.items() if bit < 8 * unitsize}
    if not names:
        raise InputError(f"{path}: no channel has a bit in {unitsize} bytes a sample")
    return _Device(stored_rate(path, section), unitsize, names, capture_name)


def _names(path: Path, section: Section) -> dict[int, str]:
    """Return a name for each channel, no two alike.

    One without a name is called D0, D1, ... by its place; of equal ones each has that behind it.
    """
    stored: dict[int, str] = {}
    for key, name in section.items():
        place = re.fullmatch("probe([1-9][0-9]{0,3})", key)
        if place is None:
            continue
        if not name.isprintable():
            raise InputError(f"{path}: metadata: {key} has no printable name")
        stored[int(place[1]) - 1] = name
    if not stored:
        raise InputError(f"{path}: the session holds no logic channels")
    uses = Counter(stored.values())
    return {
        bit: f"{name} D{bit}".lstrip() if not name or uses[name] > 1 else name
        for bit, name in stored.items()
    }


def pieces_of(path: Path, entries: Collection[str], capture_name: str) -> tuple[str, ...]:
    """Return the entries with the samples, in order."""
    if capture_name in entries:
        return (capture_name,)
    found = re.compile(re.escape(capture_name) + "-(0|-?[1-9][0-9]{0,8})")
    stored = [int(match[1]) for name in entries if (match := found.fullmatch(name))]
    numbers = {number if number > 0 else number + (1 << 16): number for number in stored}
    missing = min(set(range(1, len(numbers) + 2)) - set(numbers))
    if missing <= len(numbers) or len(numbers) < len(stored) or not numbers:
        raise InputError(
            f"{path}: incomplete session file, it has no entry {capture_name}-{missing}"
        )
    return tuple(f"{capture_name}-{numbers[number]}" for number in sorted(numbers))
