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

import h5py
import numpy as np

from rig import __version__
from rig.closing import Closing
from rig.errors import BenchError, InputError
from rig.instruments import EdgeBlock, Int64Array, LogArray, Loss
from rig.record.columns import ColumnsWriter
from rig.record.digest import seal_raw
from rig.record.distance_code import Distances
from rig.record.edge_code import EdgeEncoder
from rig.record.free_space import FINISH_BYTES, RESERVE_BYTES, require_space
from rig.record.layout import (
    CAPTURES,
    DELTA,
    DIGESTS,
    DIGESTS_BYTES,
    FORMAT,
    FORMAT_VERSION,
    LOG,
    LOSS,
    LOSSES,
)
from rig.record.read_back import encoders_of

FLUSH_S = 0.25
"""The longest that appended rows wait to be written out. With what a busy machine adds to it,
kill -9 costs at most the last half second of a run."""


class RunWriter(Closing):
    """Writes the raw part of a run file. A context manager; closing it leaves a readable file."""

    def __init__(
        self,
        path: Path,
        texts: Mapping[str, str],
        settings: Mapping[str, object],
        reserve_bytes: int = RESERVE_BYTES,
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        """Create the file.

        texts: `plan`, `fixture`, `calibration`, stored whole. settings: what analysis needs to
        read the raw data (JSON-able). attributes: `created` and `rig_version`, if not of now.
        Raises InputError if the file exists or cannot be created. Methods that append raise
        BenchError while less than `reserve_bytes` of the disk are free.
        """
        self._reserve_bytes = reserve_bytes
        if path.parent.is_dir():
            require_space(path, min(FINISH_BYTES, reserve_bytes), new=True)
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
                **(attributes or {}),
            }
        )
        for name, text in texts.items():
            file[name] = text
            file[name].attrs["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        file["settings"] = json.dumps(settings, sort_keys=True)
        encoders = encoders_of(file, str(path), settings)
        self._columns = ColumnsWriter(file, encoders)
        distances = encoders.get(DELTA)
        feed = distances.feed if isinstance(distances, Distances) else None
        self._encoder = EdgeEncoder(self._columns, feed)
        file[DELTA].attrs["units"] = "sample"
        file[CAPTURES].attrs["units"] = "tick of the stimulus clock"
        file["edges/covered"] = np.zeros(1, np.int64)
        file["edges/levels_before"] = np.zeros(1, np.uint64)
        file["state"] = np.array([b"running"], "S16")
        file["report"] = np.array([b"{}"], "S4096")
        file[DIGESTS] = np.array([b""], f"S{DIGESTS_BYTES}")
        file.swmr_mode = True
        self._covered = 0
        self._edges_count = True
        self._flushed = monotonic()
        file.flush()
        _show(file, path)

    def edges(self, block: EdgeBlock) -> None:
        """Append a block of raw edges that follows the one before it."""
        if block.start_sample == 0:
            self._file["edges/levels_before"][0] = block.levels_before
        self._encoder.append(block)
        self._edges_count = False
        self._covered = block.end_sample
        if self._due():
            require_space(self.path, self._reserve_bytes)
            self.flush()

    def captures(self, ticks: Int64Array) -> None:
        """Append response edges as the stimulus's input capture saw them, in ticks since INIT."""
        self._append_along_edges(CAPTURES, ticks)

    def log(self, records: LogArray) -> None:
        """Append records of the target's log."""
        require_space(self.path, min(FINISH_BYTES, self._reserve_bytes))
        self._append_along_edges(LOG, records)

    def _append_along_edges(self, name: str, rows: Int64Array | LogArray) -> None:
        if not self._edges_count and self._columns.fills(name, len(rows)):
            self.flush()  # what is stored refers only to edges that nobody can lose any more
        self._columns.append(name, rows)
        self.flush_when_due()

    def loss(self, loss: Loss) -> None:
        """Append a loss event and write it out at once."""
        text = loss.text.encode()[:200]
        row = np.array([(loss.kind.value.encode(), loss.sample, text)], LOSS)
        self._columns.append(LOSSES, row)
        self.flush()

    def flush_when_due(self) -> None:
        """Write everything out if the last time was long ago; for when nothing is appended."""
        if self._due():
            self.flush()

    def _due(self) -> bool:
        return monotonic() - self._flushed > FLUSH_S

    def flush(self) -> None:
        """Write everything out, whole chunks or not."""
        self._columns.commit()
        self._write_covered()

    def _seal(self) -> None:
        self._columns.seal(along_edges=False)
        self._write_covered()
        self._columns.seal(along_edges=True)
        self._flushed = monotonic()

    def _write_covered(self) -> None:
        # Last of all: up to this sample the edges are complete, later ones do not count.
        self._file["edges/covered"][0] = self._covered
        self._file.flush()
        self._flushed = monotonic()
        self._edges_count = True

    def finish(self, state: str, report: Mapping[str, object]) -> str:
        """The raw part is complete: store how it ended and what the instruments said of it.

        Returns the digest of all raw data, in hexadecimal; those of its parts are stored. Nothing
        may be appended after it. Raises BenchError if the report is too long.
        """
        text = json.dumps(report, sort_keys=True).encode()
        if len(text) > 4096:
            raise BenchError(
                f"{self.path}: the instruments' report has {len(text)} bytes, over 4096"
            )
        self._seal()
        self._file["report"][0] = text
        self._file["state"][0] = state.encode()
        self._file.flush()
        return seal_raw(self._file, str(self.path))

    def discard(self) -> None:
        """Close the file and remove it: there is nothing in it."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Write everything out and close; may be called twice."""
        if self._file:
            with contextlib.suppress(OSError, RuntimeError, InputError):
                self._seal()
                seal_raw(self._file, str(self.path))
            self._file.close()


def _create(path: Path) -> h5py.File:
    """A new file under a name of its own: until it is in SWMR mode, HDF5 cannot read it."""
    if path.exists():
        raise _exists(path)
    try:
        return h5py.File(path.with_name(f"{path.name}.{os.getpid()}.new"), "w", libver="latest")
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise InputError(
            f"{path}: cannot be created ({reason}); name a file in a folder you may write to"
        ) from None


def _show(file: h5py.File, path: Path) -> None:
    """Give the new file its name, unless another one got there first."""
    made = Path(file.filename)
    try:
        path.hardlink_to(made)
    except FileExistsError:
        file.close()
        raise _exists(path) from None
    except OSError:  # a file system that has no links
        made.rename(path)
    finally:
        made.unlink(missing_ok=True)


def _exists(path: Path) -> InputError:
    return InputError(f"{path}: exists already and is not overwritten; name another file")
