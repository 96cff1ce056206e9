# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the raw part of a run file while the run goes on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
import numpy.typing as npt

from rig import __version__
from rig.errors import BenchError, InputError
from rig.instruments import EdgeBlock, Int64Array, LogArray, Loss
from rig.record.layout import CHUNK, COLUMNS, FORMAT, FORMAT_VERSION, LOSS
from rig.record.space import FINISH_BYTES, RESERVE_BYTES, require_space

FLUSH_S = 2.0
"""At most this much of a slow run is lost by kill -9."""


class _Column:
    """A growing dataset with a buffer: appends whole chunks, the rest on flush."""

    def __init__(self, dataset: h5py.Dataset) -> None:
        self._dataset = dataset
        self._parts: list[npt.NDArray[Any]] = []
        self._buffered = 0
        self._written_of_chunk = 0

    def append(self, rows: npt.NDArray[Any]) -> None:
        if len(rows):
            self._parts.append(rows)
            self._buffered += len(rows)
        if self._buffered >= CHUNK:
            self._write((self._buffered + self._dataset.shape[0]) // CHUNK * CHUNK)

    def flush(self) -> None:
        self._write(self._dataset.shape[0] + self._buffered)

    def _write(self, up_to: int) -> None:
        start = self._dataset.shape[0]
        if up_to <= start:
            return
        rows = np.concatenate(self._parts)
        self._dataset.resize((up_to,))
        self._dataset[start:up_to] = rows[: up_to - start]
        rest = rows[up_to - start :]
        self._parts = [rest] if len(rest) else []
        self._buffered = len(rest)


class RunWriter:
    """Writes the raw part of a run file. A context manager; closing it leaves a readable file."""

    def __init__(
        self,
        path: Path,
        texts: Mapping[str, str],
        settings: Mapping[str, object],
        reserve_bytes: int = RESERVE_BYTES,
    ) -> None:
        """Create the file.

        texts: `plan`, `fixture`, `calibration`, stored whole. settings: what analysis needs to
        read the raw data (JSON-able). Raises InputError if the file exists or cannot be created.
        Methods that append raise BenchError while less than `reserve_bytes` of the disk are free.
        """
        self._reserve_bytes = reserve_bytes
        self._file = _create(path)
        self.path = path
        file = self._file
        file.attrs.update(
            {
                "format": FORMAT,
                "format_version": FORMAT_VERSION,
                "rig_version": __version__,
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "NX_class": "NXroot",
            }
        )
        for name, text in texts.items():
            file[name] = text
            file[name].attrs["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        file["settings"] = json.dumps(settings, sort_keys=True)
        for name, dtype in COLUMNS.items():
            file.create_dataset(
                name, (0,), dtype, chunks=(CHUNK,), maxshape=(None,), shuffle=True,
                compression="gzip", compression_opts=1,
            )  # fmt: skip
        file["edges/sample"].attrs.update({"units": "sample"})
        file["stimulus/capture_ticks"].attrs.update({"units": "tick of the stimulus clock"})
        file["edges/covered"] = np.zeros(1, np.int64)
        file["edges/levels_before"] = np.zeros(1, np.int64)
        file["state"] = np.array([b"running"], "S16")
        file["report"] = np.array([b"{}"], "S4096")
        file.swmr_mode = True
        self._columns = {name: _Column(file[name]) for name in COLUMNS}
        self._covered = 0
        self._flushed = monotonic()
        file.flush()

    def edges(self, block: EdgeBlock) -> None:
        """Append a block of raw edges."""
        if block.start_sample == 0:
            self._file["edges/levels_before"][0] = block.levels_before
        self._columns["edges/sample"].append(block.index)
        self._columns["edges/channel_level"].append(block.channel | block.level << 7)
        self._covered = block.end_sample
        if monotonic() - self._flushed > FLUSH_S:
            require_space(self.path, self._reserve_bytes)
            self.flush()

    def captures(self, ticks: Int64Array) -> None:
        """Append response edges as the stimulus's input capture saw them, in ticks since INIT."""
        self._columns["stimulus/capture_ticks"].append(ticks)

    def log(self, records: LogArray) -> None:
        """Append records of the target's log."""
        require_space(self.path, min(FINISH_BYTES, self._reserve_bytes))
        self._columns["target/log"].append(records)

    def loss(self, loss: Loss) -> None:
        """Append a loss event and write it out at once."""
        text = loss.text.encode()[:200]
        row = np.array([(loss.kind.value.encode(), loss.sample, text)], LOSS)
        self._columns["loss"].append(row)
        self.flush()

    def flush(self) -> None:
        """Write everything out, whole chunks or not."""
        for column in self._columns.values():
            column.flush()
        self._file["edges/covered"][0] = self._covered
        self._file.flush()
        self._flushed = monotonic()

    def finish(self, state: str, report: Mapping[str, object]) -> None:
        """The raw part is complete: store how it ended and what the instruments said of it."""
        text = json.dumps(report, sort_keys=True).encode()
        if len(text) > 4096:
            raise BenchError(
                f"{self.path}: the instruments' report has {len(text)} bytes, over 4096"
            )
        self._file["report"][0] = text
        self._file["state"][0] = state.encode()
        self.flush()

    def close(self) -> None:
        """Flush and close; may be called twice."""
        if self._file:
            with contextlib.suppress(OSError, RuntimeError):
                self.flush()
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


def _create(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "x", libver="latest")
    except FileExistsError:
        raise InputError(
            f"{path}: exists already and is not overwritten; name another file with --out"
        ) from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise InputError(
            f"{path}: cannot be created ({reason}); name a file in a folder you may write to"
        ) from None
