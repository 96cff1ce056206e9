# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of a run file: finished, still being written, or left by a crash."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from rig.closing import Closing
from rig.errors import InputError
from rig.instruments import EdgeBlock, Int64Array, LogArray
from rig.record.columns import ColumnsReader
from rig.record.digest import Parts, stored_raw, whole_digest
from rig.record.digest_check import check_digests, check_figures
from rig.record.edge_code import EdgeDecoder, levels_after
from rig.record.events import VALUE_MAX, EventReader
from rig.record.layout import (
    CALIBRATION,
    CAPTURES,
    COLUMNS,
    DIGESTS,
    DIGESTS_SINCE,
    EVENT_COLUMNS,
    FORMAT,
    FORMAT_VERSION,
    LOG,
    LOSSES,
    MEASURANDS,
    OTHER_CALIBRATION,
    OVERRIDES,
    TAIL,
    WRITTEN,
)
from rig.record.opening import OpenedFile, open_to_read, open_to_write, settled
from rig.record.read_back import edges_now
from rig.record.stored import (
    as_line,
    damage_told,
    damaged,
    is_plain,
    stored_bytes,
    stored_integer,
    stored_line,
    stored_text,
)
from rig.untrusted.json_reader import json_object

_NEEDED = (
    *COLUMNS,
    *(f"{TAIL}/{name}" for name in COLUMNS),
    WRITTEN,
    "edges/covered",
    "edges/levels_before",
    "state",
    "report",
    "plan",
    "fixture",
    "settings",
)


class _Opened(contextlib.ExitStack):
    """The stack of what is open; that HDF5 may refuse to close a damaged file is ignored."""

    def __exit__(self, *details: Any) -> bool | None:
        try:
            return super().__exit__(*details)
        except (OSError, RuntimeError):
            return False


class RunFile(Closing):
    """A run file opened for reading: finished, still being written, or left by a crash."""

    def __init__(
        self, path: Path, *, write: bool = False, figures: bool = True, checked: bool = True
    ) -> None:
        """Raises InputError if it is no run file, of a newer format, or not writable (`write`).

        Raises InputError as well if the file was changed after it was closed: its digests are
        compared, unless it is opened to be written; whoever writes compares at the end. `figures`
        False: the stored figures are of no interest, and may be anything. `checked` False: no
        digest is compared, for whoever does that.
        """
        self.path = path
        with _Opened() as opened:
            held = (open_to_write if write else open_to_read)(path, opened)
            self.left_open = held.left_open
            """Still being written, or left by a crash."""
            self._file = held.file
            if held.live and self.digests:
                held = settled(held, path, opened)
                self._file = held.file
            self.format_version = self._check()
            if checked and not write and (not self.left_open or self.digests):
                # A crash while figures were stored leaves them without digests.
                figures = figures and not self.left_open
                check_digests(self._file, path, self.format_version, figures=figures)
            self._read_extent(held)
            self._opened = opened.pop_all()

    def _read_extent(self, held: OpenedFile) -> None:
        # First how far the edges go, then what there is: that holds at least these edges.
        self._covered = self._read_covered()
        self._held = held
        self._columns = ColumnsReader(held, str(self.path), self._samples_now)
        self._edges = EdgeDecoder(self._columns, str(self.path), self._covered)
        self._latest = self._edges
        self._events = EventReader(
            self._file, str(self.path), self.format_version, self, self._covered, self._edges.rows
        )

    def _samples_now(self, rows: Int64Array) -> Int64Array:
        """Samples of edges by their numbers, of those that came since this was opened as well."""
        if self._held.live and len(rows) and rows.max() >= self._latest.rows:
            self._latest = edges_now(self._held, str(self.path))
        return self._latest.samples_of(rows)

    @property
    def stored(self) -> h5py.File:
        """The HDF5 file, for whoever looks at how it is stored."""
        return self._file

    def writable(self) -> h5py.File:
        """The HDF5 file, for whoever stores computed groups. Raises InputError if read-only."""
        if self._file.mode != "r+":
            raise InputError(f"{self.path}: was opened for reading only")
        return self._file

    def _read_covered(self) -> int:
        covered = stored_integer(self._file, str(self.path), "edges/covered", np.int64)
        if not 0 <= covered <= VALUE_MAX:
            raise damaged(str(self.path), "edges/covered is not a count")
        return covered

    def _check(self) -> int:
        """Check that this is a run file that can be read; return its format version."""
        found = stored_line(self._file, str(self.path), "format")
        if found != FORMAT:
            raise InputError(
                f"{self.path}: is HDF5 but not a run file of this rig (format {found!r})"
            )
        with damage_told(str(self.path)):
            version = int(self._file.attrs.get("format_version", 0))
            missing = [name for name in _NEEDED if name not in self._file]
            if version < DIGESTS_SINCE and DIGESTS in self._file:
                raise damaged(str(self.path), f"format version {version} has no digests")
        if version > FORMAT_VERSION:
            raise InputError(
                f"{self.path}: has format version {version}, this rig reads up to "
                f"{FORMAT_VERSION}; update latency-rig"
            )
        if missing:
            raise damaged(str(self.path), f"{', '.join(missing[:3])} missing")
        return version

    @property
    def digests(self) -> Parts:
        """SHA-256 of each part of the raw data as stored when the file was closed; {}: not yet."""
        return stored_raw(self._file, str(self.path))

    @property
    def has_digests(self) -> bool:
        """Whether the format version has digests; a file that is not closed has none yet."""
        return self.format_version >= DIGESTS_SINCE

    @property
    def digest(self) -> str:
        """SHA-256 of all raw data; "" if the file was not closed, or is of format version 1."""
        parts = self.digests
        return whole_digest(parts) if parts else ""

    def text(self, name: str) -> str:
        """A stored text: plan, fixture, calibration. Raises InputError if damaged, as all below."""
        return stored_text(self._file, str(self.path), name)

    def texts(self) -> dict[str, str]:
        """All that was stored as text when the run began, by name, as RunWriter takes it."""
        with damage_told(str(self.path)):
            environment = list(self._file.get("environment", {}))
            names = ["plan", "fixture", CALIBRATION, OVERRIDES]
            names += [f"environment/{name}" for name in environment]
            names = [name for name in names if name in self._file]
        return {name: self.text(name) for name in names}

    @property
    def calibration(self) -> str:
        """The calibration that the stored figures were made with, "" for none.

        That of the run, unless the figures were computed again with another.
        """
        with damage_told(str(self.path)):
            name = OTHER_CALIBRATION if OTHER_CALIBRATION in self._file else CALIBRATION
            if name not in self._file:
                return ""
        return self.text(name)

    @property
    def attributes(self) -> dict[str, str]:
        """The time when the run was made and the version of the rig, as RunWriter takes them."""
        names = ("created", "rig_version")
        values = {name: stored_line(self._file, str(self.path), name) for name in names}
        return {name: value for name, value in values.items() if value}

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that analysis needs to read the raw data."""
        return _object(self.path, "settings", self.text("settings"))

    @property
    def report(self) -> dict[str, Any]:
        """The instruments' report at the end; empty if the run did not get there."""
        text = as_line(stored_bytes(self._file, str(self.path), "report"))
        return _object(self.path, "report", text)

    @property
    def state(self) -> str:
        """`running` (or left by a crash), `complete`, `interrupted`, `failed`."""
        return as_line(stored_bytes(self._file, str(self.path), "state"))

    @property
    def created(self) -> str:
        """Start of the run, ISO 8601, UTC."""
        return stored_line(self._file, str(self.path), "created")

    @property
    def covered_samples(self) -> int:
        """Samples of the capture that the stored edges account for."""
        return self._covered

    def losses(self) -> list[tuple[str, int, str]]:
        """Return kind, sample and text of each loss event."""
        return [
            (as_line(row["kind"]), int(row["sample"]), as_line(row["text"]))
            for row in self._columns.read(LOSSES, 0, self._columns.rows(LOSSES))
        ]

    @property
    def edge_count(self) -> int:
        """Raw edges stored."""
        return self._edges.rows

    def edge_blocks(
        self, first_sample: int = 0, end_sample: int | None = None
    ) -> Iterator[EdgeBlock]:
        """Raw edges of samples [first_sample, end_sample) in order, about a chunk at a time.

        Without limits: all of them. One block at least; they follow each other without a hole and
        reach from the first sample to the last one asked for and covered. Raises InputError for
        damaged edges.
        """
        end = self._covered if end_sample is None else min(end_sample, self._covered)
        start = min(max(first_sample, 0), end)
        levels = stored_integer(self._file, str(self.path), "edges/levels_before", np.uint64)
        if self._edges.levels_before not in (None, levels):
            raise damaged(
                str(self.path), "edges/levels_before is not what the first of its edges/anchor has"
            )
        empty, shown = True, np.empty(0, np.uint8)
        for before, index, packed in self._edges.chunks_from(start):
            low, high = np.searchsorted(index, (start, end))
            levels = levels_after(before, packed[:low]) if low else before
            more = high == len(index)
            index, shown = index[low:high], packed[low:high]
            if len(index):
                stop = int(index[-1]) + 1
                channel, level = shown & np.uint8(0x7F), shown >> np.uint8(7)
                yield EdgeBlock(start, stop, index, channel, level, levels)
                start, empty = stop, False
            if not more:
                break
        if start < end or empty:
            levels, none = levels_after(levels, shown), np.empty(0, np.uint8)
            yield EdgeBlock(start, end, none.astype(np.int64), none, none, levels)

    @property
    def log_count(self) -> int:
        """Records of the target's log."""
        return self._columns.rows(LOG)

    def log(self, first: int, count: int) -> LogArray:
        """Records first .. first + count - 1 of the target's log."""
        rows: LogArray = self._columns.read(LOG, first, first + count)
        return rows

    @property
    def capture_count(self) -> int:
        """The number of edges that the stimulus's input capture has stamped."""
        return self._columns.rows(CAPTURES)

    def captures(self, first: int, count: int) -> Int64Array:
        """Ticks of captured edges first .. first + count - 1."""
        rows: Int64Array = self._columns.read(CAPTURES, first, first + count)
        return rows

    def figures_hold(self) -> bool:
        """Return whether the figures, if any, are as they were stored, and of these raw data."""
        if self.format_version < DIGESTS_SINCE or self.left_open:
            return True
        try:
            check_figures(self._file, self.path)
        except InputError:
            return False
        return True

    @property
    def evaluation(self) -> str:
        """The stored evaluation as canonical JSON text; empty if there is none yet."""
        if self.left_open and self.format_version >= DIGESTS_SINCE:
            return ""  # none are stored in a file that is not closed
        try:
            return self.text("statistics/json")
        except InputError:  # a crash came while it was stored
            return ""

    @property
    def event_count(self) -> int:
        """Events stored; 0 if none were computed yet."""
        return self._events.count

    def events(
        self, first: int, stop: int, names: Iterable[str] = EVENT_COLUMNS
    ) -> dict[str, npt.NDArray[np.int64]]:
        """Columns of events first .. stop - 1, all of EVENT_COLUMNS or those named.

        Of OPTIONAL_EVENT_COLUMNS a file may lack any: then all values are UNKNOWN_PS.
        """
        return self._events.read(first, stop, names)

    def rows_of(self, samples: Int64Array) -> Int64Array:
        """Numbers, among all raw edges, of an edge at each of these samples, -1: there is none."""
        return self._edges.rows_of(samples)

    def samples_of(self, rows: Int64Array) -> Int64Array:
        """Samples of raw edges by their numbers, shape (n,)."""
        return self._edges.samples_of(rows)

    def histogram(self) -> tuple[Int64Array, Int64Array]:
        """Latencies that occurred, in samples, ascending, and how often each; shapes (k,).

        As stored with the evaluation; both empty if none is.
        """
        with damage_told(str(self.path)):
            if "histogram/count" not in self._file:
                return np.empty(0, np.int64), np.empty(0, np.int64)
        values, counts = (self._whole(f"histogram/{n}") for n in ("latency_samples", "count"))
        if (
            len(values) != len(counts)
            or np.any(values[1:] <= values[:-1])
            or np.any(np.abs(values) > VALUE_MAX)
            or np.any((counts < 1) | (counts > VALUE_MAX // max(1, len(counts))))
        ):
            raise damaged(str(self.path), "its histogram is not as it should be")
        return values, counts

    def values_of(self, measurand: str) -> Int64Array:
        """Return what is stored of a measurand's values for plots; empty if nothing is."""
        name = f"histogram/{MEASURANDS}/{measurand}"
        with damage_told(str(self.path)):
            if name not in self._file:
                return np.empty(0, np.int64)
        return self._whole(name)

    def _whole(self, name: str) -> Int64Array:
        """Read a dataset stored in one piece: what its shape claims must be there."""
        with damage_told(str(self.path)):
            data = self._file[name]
            if (
                is_plain(data)
                and (data.dtype, data.ndim, data.chunks) == (np.dtype("<i8"), 1, None)
                and data.id.get_storage_size() == 8 * data.shape[0]
            ):
                rows: Int64Array = data[:]
                return rows
        raise damaged(str(self.path), f"{name} is not as it should be")

    def look_through(self) -> None:
        """Read all but the rows, as any use of the file does. Raises InputError."""
        self.texts()
        _ = self.calibration
        _ = self.settings, self.report, self.state, self.attributes, self.created, self.evaluation
        self.losses()
        with contextlib.suppress(InputError):  # it can be computed again
            self.histogram()
        self._columns.look_through()
        self._events.look_through()

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._opened.close()


def _object(path: Path, name: str, text: str) -> dict[str, Any]:
    try:
        return json_object(text)
    except ValueError as error:
        raise damaged(str(path), f"{name}: {error}") from None
