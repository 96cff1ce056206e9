# SPDX-License-Identifier: GPL-3.0-or-later
"""Opens every session file in a folder and compares each edge with an independent reader's.

    .venv/bin/python -m tests.replay.collection FOLDER

FOLDER may be a copy of sigrok's public collection, github.com/sigrokproject/sigrok-dumps. The other
reader is the class below: the whole capture as an array of bits, nothing shared with the rig.
"""

from __future__ import annotations

import re
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rig.capture.replay.capture_file import open_capture
from rig.errors import InputError
from rig.instruments import CaptureEnd, EdgeBlock

AT_ONCE = 10
"""The channels that are opened together: as many as `rig analyze` can name."""
_PIECE_BYTES = 1 << 24

Edges = dict[int, npt.NDArray[np.int64]]
"""By bit: twice the sample of each edge, plus the level that it sets."""


class OtherReader:
    """One device of a session file, read in the plainest way."""

    def __init__(self, path: Path, section: str) -> None:
        lines = [line.partition("=") for line in section.splitlines()]
        values = {key.strip(): value.strip() for key, _, value in lines}
        self._path = path
        self._entry = values["capturefile"]
        names = {int(k[5:]) - 1: v for k, v in values.items() if re.fullmatch(r"probe\d+", k)}
        self._unitsize = int(values.get("unitsize") or max(names) // 8 + 1)
        self.names = {bit: name for bit, name in names.items() if bit < 8 * self._unitsize}
        self.has_rate = "samplerate" in values

    def _pieces(self) -> Iterator[bytes]:
        with zipfile.ZipFile(self._path) as archive:
            entries = archive.namelist()
            names = [self._entry]
            if self._entry not in entries:
                count = sum(
                    re.fullmatch(self._entry + r"-\d+", each) is not None for each in entries
                )
                names = [f"{self._entry}-{number + 1}" for number in range(count)]
            for name in names:
                with archive.open(name) as file:
                    while piece := file.read(_PIECE_BYTES):
                        yield piece

    def edges(self) -> tuple[Edges, int, int]:
        """Every channel's edges, the levels of the first sample, and the number of samples."""
        found: dict[int, list[npt.NDArray[np.int64]]] = {bit: [] for bit in self.names}
        rest, done, last, first_levels = b"", 0, b"", 0
        for piece in self._pieces():
            data = rest + piece
            count = len(data) // self._unitsize
            rest = data[count * self._unitsize :]
            samples = np.frombuffer(data[: count * self._unitsize], np.uint8)
            if not count:
                continue
            if not done:
                first_levels = int.from_bytes(samples[: self._unitsize].tobytes(), "little")
                last = samples[: self._unitsize].tobytes()
            before = np.frombuffer(last + data[: (count - 1) * self._unitsize], np.uint8)
            samples = samples.reshape(count, -1)
            change = before.reshape(count, -1) ^ samples
            for bit, parts in found.items():
                at = np.flatnonzero(change[:, bit // 8] >> bit % 8 & 1)
                level = samples[at, bit // 8] >> bit % 8 & 1
                parts.append(2 * (at + done) + level)
            done += count
            last = samples[-1].tobytes()
        joined = {
            bit: np.concatenate([*parts, np.empty(0, np.int64)]) for bit, parts in found.items()
        }
        return joined, first_levels, done


def devices(path: Path) -> list[tuple[str, OtherReader]]:
    """The devices with logic samples, each with what its channels' names begin with."""
    with zipfile.ZipFile(path) as archive:
        text = archive.read("metadata").decode()
    sections = re.findall(r"^\[device (\d+)\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)
    logic = [
        (number, body) for number, body in sections if re.search(r"^capturefile\s*=", body, re.M)
    ]
    return [
        (f"{number}:" if place else "", OtherReader(path, body))
        for place, (number, body) in enumerate(logic)
    ]


def compare(path: Path, prefix: str, other: OtherReader) -> tuple[int, int]:
    """Compare all channels of one device; the numbers of samples and edges."""
    expected, first_levels, samples = other.edges()
    bits = sorted(other.names)
    named = list(other.names.values())
    for start in range(0, len(bits), AT_ONCE):
        chosen = bits[start : start + AT_ONCE]
        wanted = [
            prefix + (other.names[bit] if named.count(other.names[bit]) == 1 else f"D{bit}")
            for bit in chosen
        ]
        capture = open_capture(path, wanted, None if other.has_rate else 10**6)
        parts: dict[int, list[npt.NDArray[np.int64]]] = {bit: [] for bit in chosen}
        end, levels = -1, None
        for item in capture.source.items():
            if isinstance(item, EdgeBlock):
                levels = item.levels_before if levels is None else levels
                for bit, place in zip(chosen, capture.bits, strict=True):
                    is_its = item.channel == place
                    parts[bit].append(2 * item.index[is_its] + item.level[is_its])
            elif isinstance(item, CaptureEnd):
                end = item.samples
        assert end == samples, f"{end} samples, not {samples}"
        for bit, place in zip(chosen, capture.bits, strict=True):
            assert (levels or 0) >> place & 1 == first_levels >> bit & 1, f"D{bit}: first level"
            assert np.array_equal(np.concatenate(parts[bit]), expected[bit]), f"D{bit}: edges"
    return samples, sum(map(len, expected.values()))


def main() -> int:
    """Check the folder that is named; exit code 1 if a capture is not read as it should be."""
    paths = sorted(Path(sys.argv[1]).rglob("*.sr"))
    began_s, good, without, samples, edges = time.monotonic(), 0, 0, 0, 0
    for path in paths:
        try:
            found = devices(path)
            totals = [compare(path, prefix, other) for prefix, other in found]
        except (AssertionError, InputError) as error:
            print(f"{path}: {error}")
            continue
        without += not found
        good += bool(found)
        samples += sum(each[0] for each in totals)
        edges += sum(each[1] for each in totals)
    logic = len(paths) - without
    print(
        f"{good} of {logic} captures with logic samples equal, {without} without; "
        f"{samples:,} samples, {edges:,} edges in {time.monotonic() - began_s:.0f} s"
    )
    return 0 if good == logic else 1


if __name__ == "__main__":
    sys.exit(main())
