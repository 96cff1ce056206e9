# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a run file: finished, still being written, or left by a crash."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np

from rig.errors import InputError
from rig.instruments import EdgeBlock, Int64Array, LogArray
from rig.record.layout import CHUNK, COLUMNS, FORMAT, FORMAT_VERSION


class RunFile:
    """A run file opened for reading: finished, still being written, or left by a crash."""

    def __init__(self, path: Path, *, write: bool = False) -> None:
        """Raises InputError if it is no run file, of a newer format, or not writable (`write`)."""
        self.path = path
        self._file = _open_to_write(path) if write else _open(path)
        self._check()

    def writable(self) -> h5py.File:
        """The HDF5 file, for whoever stores computed groups. Raises InputError if read-only."""
        if self._file.mode != "r+":
            raise InputError(f"{self.path}: was opened for reading only")
        return self._file

    def _check(self) -> None:
        found = self._file.attrs.get("format")
        if found != FORMAT:
            self._file.close()
            raise InputError(
                f"{self.path}: is HDF5 but not a run file of this rig (format {found!r})"
            )
        version = int(self._file.attrs.get("format_version", 0))
        if version > FORMAT_VERSION:
            self._file.close()
            raise InputError(
                f"{self.path}: has format version {version}, this rig reads up to "
                f"{FORMAT_VERSION}; update latency-rig"
            )
        missing = [n for n in (*COLUMNS, "plan", "fixture", "settings") if n not in self._file]
        if missing:
            self._file.close()
            raise InputError(f"{self.path}: damaged run file, {', '.join(missing)} missing")

    def text(self, name: str) -> str:
        """A stored text: plan, fixture, calibration."""
        return str(self._file[name].asstr()[()]) if name in self._file else ""

    @property
    def settings(self) -> dict[str, Any]:
        """What analysis needs to read the raw data."""
        return _object(self.path, "settings", self._file["settings"].asstr()[()])

    @property
    def report(self) -> dict[str, Any]:
        """What the instruments said at the end; empty if the run did not get there."""
        return _object(self.path, "report", _decoded(self._file["report"][0]))

    @property
    def state(self) -> str:
        """`running` (or left by a crash), `complete`, `interrupted`, `failed`."""
        return _decoded(self._file["state"][0])

    @property
    def created(self) -> str:
        """Start of the run, ISO 8601, UTC."""
        return str(self._file.attrs.get("created", ""))

    @property
    def covered_samples(self) -> int:
        """Samples of the capture that the stored edges account for."""
        return int(self._file["edges/covered"][0])

    def losses(self) -> list[tuple[str, int, str]]:
        """Kind, sample, text of each loss event."""
        return [
            (_decoded(row["kind"]), int(row["sample"]), _decoded(row["text"]))
            for row in self._file["loss"][:]
        ]

    @property
    def edge_count(self) -> int:
        """Raw edges stored."""
        return int(self._file["edges/sample"].shape[0])

    def edge_blocks(self) -> Iterator[EdgeBlock]:
        """All raw edges in order, a chunk at a time."""
        sample, packed = self._file["edges/sample"], self._file["edges/channel_level"]
        # A crash may leave the columns of unequal length: what both have is good.
        n = min(sample.shape[0], packed.shape[0])
        levels = int(self._file["edges/levels_before"][0])
        start_sample = 0
        first = 0
        while first < n:
            index = sample[first : min(first + CHUNK, n)]
            last = first + len(index) == n
            # Edges of one sample stay together: a block ends where the next sample begins.
            take = len(index) if last else int(np.searchsorted(index, index[-1]))
            index = index[:take]
            both = packed[first : first + take]
            end = max(self.covered_samples, int(index[-1]) + 1) if last else int(index[-1]) + 1
            yield EdgeBlock(start_sample, end, index, both & 0x7F, both >> 7, levels)
            for bit in np.flatnonzero(np.bincount(both & 0x7F, minlength=64) & 1):
                levels ^= 1 << int(bit)
            start_sample, first = end, first + take
        if n == 0:
            none = np.empty(0, np.int64)
            kinds = none.astype(np.uint8)
            yield EdgeBlock(0, self.covered_samples, none, kinds, kinds, levels)

    @property
    def log_count(self) -> int:
        """Records of the target's log."""
        return int(self._file["target/log"].shape[0])

    def log(self, first: int, count: int) -> LogArray:
        """Records first .. first + count - 1 of the target's log."""
        rows: LogArray = self._file["target/log"][first : first + count]
        return rows

    @property
    def capture_count(self) -> int:
        """Edges seen by the stimulus's input capture."""
        return int(self._file["stimulus/capture_ticks"].shape[0])

    def captures(self, first: int, count: int) -> Int64Array:
        """Ticks of captured edges first .. first + count - 1."""
        rows: Int64Array = self._file["stimulus/capture_ticks"][first : first + count]
        return rows

    @property
    def evaluation(self) -> str:
        """The stored evaluation as canonical JSON text; empty if there is none yet."""
        return self.text("statistics/json") if "statistics/json" in self._file else ""

    def close(self) -> None:
        """May be called twice."""
        if self._file:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _decoded(value: bytes) -> str:
    return value.decode(errors="replace")


def _object(path: Path, name: str, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise InputError(f"{path}: damaged run file, {name} is not a JSON object")
    return value


def _open(path: Path) -> h5py.File:
    if not path.is_file():
        raise InputError(f"{path}: no such file; give the run file that `rig run` wrote")
    with contextlib.suppress(OSError, RuntimeError):
        return h5py.File(path, "r")
    try:
        # Still being written, or left open by a crash: readable all the same.
        return h5py.File(path, "r", libver="latest", swmr=True)
    except (OSError, RuntimeError) as error:
        raise InputError(
            f"{path}: not a readable run file ({error.__class__.__name__}); give the file that "
            "`rig run` wrote"
        ) from None


def _open_to_write(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "r+", libver="latest")
    except (OSError, RuntimeError) as error:
        raise InputError(
            f"{path}: figures cannot be stored in it ({error}); it may be read-only, in use, or "
            "left by a crash"
        ) from None
