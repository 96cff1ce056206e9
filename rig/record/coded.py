# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns whose whole chunks are stored as codes: a group of datasets, one row of each a row.

Beside the codes a group has `lines`, one row a chunk, not compressed. A chunk is coded by itself,
but its codes may refer to edges that count in the file already.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt

from rig.instruments import LOG_RECORD
from rig.record import stamp_code
from rig.record.answers import Follower
from rig.record.chunks import USUAL_FILTERS, Rows, StoredRows, filters_of
from rig.record.layout import CAPTURES, LOG
from rig.record.opening import OpenedFile
from rig.record.stamp_code import Codes, Edges, Lines, SamplesOf
from rig.record.stored import damaged, is_plain

LINES = "lines"
LINES_CHUNK = 1 << 4
STORED = "stored"
"""Field of a line: which of the columns have codes in this chunk, bit by bit in their order."""
_LEVEL = 4
"""Of compression: codes are mostly zeros, of which level 1 makes three times as much."""
_KEPT_BYTES = 2 << 20
"""Of decoded chunks, for each column."""


@dataclass(frozen=True)
class Code:
    """How the rows of one column become codes, and these rows again."""

    dtype: npt.DTypeLike
    line: np.dtype[Any]
    columns: dict[str, np.dtype[Any]]
    counts: Callable[[Rows], npt.NDArray[np.int64]]
    """What is looked for among the edges."""
    encode: Callable[[Rows, Edges | None], tuple[Lines, Codes]]
    decode: Callable[[np.void, Codes, SamplesOf], Rows]


CODES = {
    LOG: Code(
        LOG_RECORD, stamp_code.LOG_LINE, stamp_code.LOG_COLUMNS,
        lambda rows: rows["before_ticks"].view(np.int64),
        stamp_code.encode_log, stamp_code.decode_log,
    ),
    CAPTURES: Code(
        np.dtype("<i8"), stamp_code.STAMP_LINE, stamp_code.STAMP_COLUMNS, lambda rows: rows,
        stamp_code.encode_stamps, stamp_code.decode_stamps,
    ),
}  # fmt: skip
"""Of each column that is coded."""


def appended(dataset: h5py.Dataset, rows: Rows) -> None:
    """Make a dataset longer by these rows."""
    first = dataset.shape[0]
    dataset.resize((first + len(rows),))
    dataset[first:] = rows


def _with_stored(line: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype([*line.descr, (STORED, "u1")])


class CodedWriter:
    """Appends whole chunks of one column to its group."""

    def __init__(self, file: h5py.File, name: str, chunk: int, follower: Follower | None) -> None:
        """`follower`: None if nobody knows where the edges of these rows are."""
        self._code, self._chunk, self._follower = CODES[name], chunk, follower
        group = file.create_group(name)
        self._codes = {
            each: group.create_dataset(
                each, (0,), dtype, chunks=(chunk,), maxshape=(None,), shuffle=True,
                compression="gzip", compression_opts=_LEVEL,
            )
            for each, dtype in self._code.columns.items()
        }  # fmt: skip
        self._lines = group.create_dataset(
            LINES, (0,), _with_stored(self._code.line), chunks=(LINES_CHUNK,), maxshape=(None,)
        )

    def append(self, rows: Rows, *, wait: bool) -> int:
        """Append whole chunks, or the last rows; how many were stored.

        `wait`: not those of which edges are still to come.
        """
        for first in range(0, len(rows), self._chunk):
            if not self._append(rows[first : first + self._chunk], wait=wait):
                return first
        return len(rows)

    def _append(self, rows: Rows, *, wait: bool) -> bool:
        edges = None
        if self._follower is not None:
            edges = self._follower.edges_of(self._code.counts(rows), wait=wait)
            if wait and edges is None:
                return False
        line, codes = self._code.encode(rows, edges)
        if self._follower is not None and not line["by_edge"][0]:
            self._follower.lost()
        whole = np.zeros(1, self._lines.dtype)
        for field in line.dtype.names or ():
            whole[field] = line[field]
        for number, (name, dataset) in enumerate(self._codes.items()):
            whole[STORED] |= (name in codes) << number
            if name in codes:
                appended(dataset, codes[name])
            else:
                dataset.resize((dataset.shape[0] + len(rows),))  # takes no room
        appended(self._lines, whole)
        return True


class CodedRows:
    """Reads the rows of one column from its group."""

    def __init__(
        self, held: OpenedFile, name: str, chunk: int, source: str, samples_of: SamplesOf
    ) -> None:
        """Raises what h5py does, and InputError if the group is not as this rig writes it."""
        self._name, self._source, self._chunk = name, source, chunk
        self._code, self._samples_of = CODES[name], samples_of
        self._datasets: dict[str, h5py.Dataset] = {}
        columns = self._code.columns
        kinds = {each: (dtype, 1, (chunk,), USUAL_FILTERS) for each, dtype in columns.items()}
        kinds[LINES] = _with_stored(self._code.line), 1, (LINES_CHUNK,), []
        for each, kind in kinds.items():
            dataset = held.dataset(f"{name}/{each}")
            if (
                not is_plain(dataset)
                or (dataset.dtype, dataset.ndim, dataset.chunks, filters_of(dataset)) != kind
            ):
                raise damaged(source, f"{name} is not as it should be")
            self._datasets[each] = dataset
        self._stored = {each: StoredRows(self._datasets[each], source, 0) for each in columns}
        self._kept: dict[int, Rows] = {}
        self._lines: tuple[int, Rows] = (0, np.empty(0))
        """Some of them, and the number of the first."""

    def datasets(self, rows: int) -> list[tuple[h5py.Dataset, int]]:
        """What the column is stored in, and how many rows of it there are if it has so many."""
        lines = -(-rows // self._chunk)
        # Of codes that are all 0 no chunk need be there.
        return [(each, lines if name == LINES else 0) for name, each in self._datasets.items()]

    def read(self, first: int, stop: int, rows: int) -> Rows:
        """Rows [first, stop) of `rows` in all, as far as they are in whole chunks, or final."""
        parts = [np.empty(0, self._code.dtype)]
        for number in range(first // self._chunk, -(-stop // self._chunk)):
            begin = number * self._chunk
            part = self._decoded(number, min(begin + self._chunk, rows))
            parts.append(part[max(first - begin, 0) : stop - begin])
        return np.concatenate(parts)

    def _decoded(self, number: int, stop: int) -> Rows:
        rows = self._kept.pop(number, None)
        if rows is None:
            first = number * self._chunk
            line = self._line(number)
            codes = {
                name: stored.read(first, stop)
                if line[STORED] >> place & 1
                else np.zeros(stop - first, self._code.columns[name])
                for place, (name, stored) in enumerate(self._stored.items())
            }
            try:
                rows = self._code.decode(line, codes, self._samples_of)
            except ValueError as error:
                raise damaged(self._source, f"chunk {number} of {self._name} {error}") from None
        self._kept[number] = rows
        while len(self._kept) * rows.nbytes > _KEPT_BYTES:
            self._kept.pop(next(iter(self._kept)), None)
        return rows

    def _line(self, number: int) -> np.void:
        begin = number - number % LINES_CHUNK
        first, lines = self._lines
        if first != begin or len(lines) <= number - begin:
            self._lines = begin, self._datasets[LINES][begin : begin + LINES_CHUNK]
            if len(self._lines[1]) <= number - begin:
                raise damaged(self._source, f"{self._name} has no line {number}")
        line: np.void = self._lines[1][number - begin]
        return line
