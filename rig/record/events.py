# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the events of a run file, by whatever layout its version has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from rig.instruments import UNKNOWN_PS, Int64Array
from rig.record import event_code
from rig.record.chunks import StoredRows
from rig.record.columns import check_chunks
from rig.record.event_code import CODES, EVENT_CHUNK, INTERNAL, LINE, RawData, line_type
from rig.record.layout import (
    CHUNK,
    EVENT_COLUMNS,
    INTERNAL_LATENCY,
    OPTIONAL_EVENT_COLUMNS,
    event_dataset,
)
from rig.record.stored import check_range, damage_told, damaged, is_plain

CLASS_MAX = 15
TICKS_MAX = VALUE_MAX = 2**62
"""Sums and differences of two fit 64 bits."""
PERIODS_BEYOND = 10**13
"""Samples by which a period may be due before the capture or after it."""
PLAIN = ("status", "response_edge")
"""Columns that are stored as they are in every version."""
LINES, LINES_CHUNK = "lines", 1 << 6


class EventReader:
    """The events of one file."""

    def __init__(
        self, file: h5py.File, source: str, version: int, raw: RawData, samples: int, edges: int
    ) -> None:
        """`version`: of the file's format. `samples`, `edges`: what events may refer to."""
        self._file, self._source, self._version, self._raw = file, source, version, raw
        self._samples, self._edges = samples, edges
        self._columns: dict[str, h5py.Dataset] = {}
        """Looked at before; only of a file in which nothing is stored meanwhile."""
        self._stored_rows: dict[str, StoredRows] = {}
        self._counted: int | None = None
        self._kept: tuple[int, dict[str, Int64Array]] = (-1, {})

    def _path(self, name: str) -> str:
        return event_dataset(name, self._version)

    @property
    def _coded(self) -> bool:
        with damage_told(self._source):
            return self._path(LINES) in self._file

    @property
    def count(self) -> int:
        """The number of events; 0 if none were computed yet."""
        if self._counted is not None:
            return self._counted
        with damage_told(self._source):
            if self._path("status") not in self._file:
                return 0
        count = min(int(self._column(name).shape[0]) for name in self._names())
        self._counted = count if self._file.mode == "r" else None
        return count

    def read(self, first: int, stop: int, names: Iterable[str]) -> dict[str, Int64Array]:
        """Columns of events first .. stop - 1."""
        stop = min(stop, self.count)
        # Of a damaged file a line may lead anywhere: what it gives is bounded, and looked at.
        with damage_told(self._source), np.errstate(all="ignore"):
            rows = {name: self._rows(name, first, stop) for name in names}
        for name, values in rows.items():
            least, most = self._range(name)
            check_range(self._source, self._path(name), values, first, least, most)
        return rows

    def look_through(self) -> None:
        """Look at what the index says of every chunk. Raises InputError."""
        if events := self.count:
            optional = [name for name in self._optional() if self._path(name) in self._file]
            for name in (*self._names(), *optional):
                rows = -(-events // EVENT_CHUNK) if name == LINES else events
                check_chunks(self._column(name), rows, self._source)

    def _names(self) -> tuple[str, ...]:
        return (*PLAIN, *CODES) if self._coded else tuple(EVENT_COLUMNS)

    def _optional(self) -> tuple[str, ...]:
        return (LINES, INTERNAL) if self._coded else tuple(OPTIONAL_EVENT_COLUMNS)

    def _rows(self, name: str, first: int, stop: int) -> Int64Array:
        missing = np.full(max(0, stop - first), UNKNOWN_PS, np.int64)
        if self._coded and name not in PLAIN:
            if name == INTERNAL_LATENCY and self._path(INTERNAL) not in self._file:
                return missing
            return self._decoded(name, first, stop)
        if name in OPTIONAL_EVENT_COLUMNS and self._path(name) not in self._file:
            return missing
        return self._stored(name, first, stop).astype(np.int64, copy=False)

    def _stored(self, name: str, first: int, stop: int) -> npt.NDArray[Any]:
        column = self._column(name)
        if column.shape[0] < stop:
            raise damaged(self._source, f"{self._path(name)} has {column.shape[0]} of {stop} rows")
        if name not in self._stored_rows or self._file.mode != "r":
            self._stored_rows[name] = StoredRows(column, self._source)
        rows = self._stored_rows[name].read(first, stop)
        return rows.view(LINE) if name == LINES else rows

    def _decoded(self, name: str, first: int, stop: int) -> Int64Array:
        parts = [np.empty(0, np.int64)]
        for number in range(first // EVENT_CHUNK, -(-stop // EVENT_CHUNK)):
            begin = number * EVENT_CHUNK
            values = self._of_chunk(name, number)
            parts.append(values[max(first - begin, 0) : stop - begin])
        return np.concatenate(parts)

    def _of_chunk(self, name: str, number: int) -> Int64Array:
        """A column of a whole chunk of events."""
        if self._kept[0] != number:
            self._kept = (number, {})
        kept = self._kept[1]
        if name not in kept:
            line = self._stored(LINES, number, number + 1)[0]
            if "stimulus_sample" not in kept:
                codes = {each: self._chunk(each, number) for each in CODES[:2]}
                found = event_code.decode_samples(line, codes, self._raw)
                kept["stimulus_sample"], kept["response_sample"] = found
            stimulus = kept["stimulus_sample"]
            if name == "planned_ticks":
                codes = {each: self._chunk(each, number) for each in CODES[2:]}
                kept[name] = event_code.decode_planned(line, codes, stimulus)
            elif name == INTERNAL_LATENCY:
                codes = {INTERNAL: self._chunk(INTERNAL, number)}
                answer = self._chunk("response_edge", number)
                kept[name] = event_code.decode_internal(line, codes, stimulus, answer, self._raw)
        return kept[name]

    def _chunk(self, name: str, number: int) -> npt.NDArray[Any]:
        first = number * EVENT_CHUNK
        return self._stored(name, first, min(first + EVENT_CHUNK, self.count))

    def _range(self, name: str) -> tuple[int, int]:
        """Least and most of a column's values. What a class means only the analysis knows."""
        return {
            "status": (0, CLASS_MAX),
            "planned_ticks": (-1, TICKS_MAX),
            "stimulus_sample": (-self._samples - PERIODS_BEYOND, self._samples + PERIODS_BEYOND),
            "response_sample": (-1, self._samples),
            "response_edge": (-1, self._edges),
        }.get(name, (UNKNOWN_PS, -UNKNOWN_PS - 1))

    def _column(self, name: str) -> h5py.Dataset:
        found = self._columns.get(name)
        if found is None:
            found = self._looked_at(name)
            if self._file.mode == "r":
                self._columns[name] = found
        return found

    def _looked_at(self, name: str) -> h5py.Dataset:
        chunk = EVENT_CHUNK if self._coded else CHUNK
        if name == LINES:
            kind: npt.DTypeLike = line_type(self._version)
        elif self._coded and name not in PLAIN:
            kind = np.dtype("<u8")
        else:
            kind = (EVENT_COLUMNS | OPTIONAL_EVENT_COLUMNS)[name][0]
        with damage_told(self._source):
            column = self._file[self._path(name)]
            if is_plain(column) and (column.dtype, column.ndim, column.chunks) == (
                kind, 1, (LINES_CHUNK if name == LINES else chunk,),
            ):  # fmt: skip
                return column
        raise damaged(self._source, f"{self._path(name)} is not as it should be")
