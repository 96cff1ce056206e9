# SPDX-License-Identifier: GPL-3.0-or-later
"""Columns whose whole chunks are stored as codes: a group of datasets, one row of each a row.

Beside the codes a group has `lines`, one row a chunk, not compressed. A chunk is coded by itself,
along something that is in the file already: channels of edges, or samples of edges that count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import h5py
import numpy as np
import numpy.typing as npt

from rig.instruments import LOG_RECORD
from rig.record import distance_code, stamp_code
from rig.record.chunks import USUAL_FILTERS, Rows, StoredRows, filters_of
from rig.record.layout import CAPTURES, DELTA, LOG
from rig.record.opening import OpenedFile
from rig.record.stamp_code import Codes, Lines
from rig.record.stored import damaged, is_plain

LINES = "lines"
LINES_CHUNK = 1 << 4
STORED = "stored"
"""The field of a line with the columns that have codes in this chunk, bit by bit in their order."""
_KEPT_BYTES = 2 << 20
"""Decoded chunks kept for each column."""


@dataclass(frozen=True)
class Code:
    """The way in which a column is stored, and its rows are decoded."""

    dtype: npt.DTypeLike
    line: np.dtype[Any]
    columns: dict[str, np.dtype[Any]]
    decode: Callable[[np.void, Codes, Any], Rows]
    """The function that makes rows from a line, its codes and what the rows were coded along."""
    needed: frozenset[str]
    """The columns whose codes are stored even if all are 0."""
    level: int
    """Compression level. Of zeros, as most codes of stamps are, 1 makes three times what 4 does."""


CODES = {
    DELTA: Code(
        np.dtype("<u4"), distance_code.LINE, distance_code.COLUMNS,
        distance_code.decode, frozenset(distance_code.COLUMNS), 1,
    ),
    LOG: Code(
        LOG_RECORD, stamp_code.LOG_LINE, stamp_code.LOG_COLUMNS,
        stamp_code.decode_log, frozenset(stamp_code.STAMP_COLUMNS), 4,
    ),
    CAPTURES: Code(
        np.dtype("<i8"), stamp_code.STAMP_LINE, stamp_code.STAMP_COLUMNS,
        stamp_code.decode_stamps, frozenset(stamp_code.STAMP_COLUMNS), 4,
    ),
}  # fmt: skip
"""The code of each column that can be coded."""


class Encoder(Protocol):
    """An encoder of the chunks of one column, in their order."""

    def __call__(self, rows: Rows, *, wait: bool) -> tuple[Lines, Codes] | None:
        """Return the line, and the codes that are not all 0.

        With `wait` it returns None if what the rows are coded along is still to come.
        """
        ...


def appended(dataset: h5py.Dataset, rows: Rows) -> None:
    """Make a dataset longer by these rows."""
    first = dataset.shape[0]
    dataset.resize((first + len(rows),))
    dataset[first:] = rows


def _with_stored(line: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype([*line.descr, (STORED, "u1")])


class CodedWriter:
    """Appends whole chunks of one column to its group."""

    def __init__(self, file: h5py.File, name: str, chunk: int, encoder: Encoder) -> None:
        self._chunk, self._encoder = chunk, encoder
        code = CODES[name]
        group = file.create_group(name)
        self._codes = {
            each: group.create_dataset(
                each, (0,), dtype, chunks=(chunk,), maxshape=(None,), shuffle=True,
                compression="gzip", compression_opts=code.level,
            )
            for each, dtype in code.columns.items()
        }  # fmt: skip
        self._lines = group.create_dataset(
            LINES, (0,), _with_stored(code.line), chunks=(LINES_CHUNK,), maxshape=(None,)
        )

    def append(self, rows: Rows, *, wait: bool) -> int:
        """Append whole chunks, or the last rows; return how many were stored.

        `wait`: chunks of which something is still to come are left out.
        """
        for first in range(0, len(rows), self._chunk):
            if not self._append(rows[first : first + self._chunk], wait=wait):
                return first
        return len(rows)

    def _append(self, rows: Rows, *, wait: bool) -> bool:
        encoded = self._encoder(rows, wait=wait)
        if encoded is None:
            return False
        line, codes = encoded
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
        self,
        held: OpenedFile,
        name: str,
        chunk: int,
        source: str,
        beside: Callable[[int, int], Any],
    ) -> None:
        """`beside`: gives what these rows of a chunk were coded along.

        Raises what h5py does, and InputError if the group is not as this rig writes it."""
        self._name, self._source, self._chunk = name, source, chunk
        self._code, self._beside = CODES[name], beside
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
        """Return the column's datasets, each with the rows it has if the column has `rows`."""
        lines = -(-rows // self._chunk)
        # Of codes that are all 0 no chunk need be there.
        return [(each, lines if name == LINES else 0) for name, each in self._datasets.items()]

    def read(self, first: int, stop: int, rows: int) -> Rows:
        """Read rows [first, stop) of `rows` in all, as far as they are in whole chunks, or final.

        Not to be written to.
        """
        parts = []
        for number in range(first // self._chunk, -(-stop // self._chunk)):
            begin = number * self._chunk
            part = self._decoded(number, min(begin + self._chunk, rows))
            parts.append(part[max(first - begin, 0) : stop - begin])
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts) if parts else np.empty(0, self._code.dtype)

    def _decoded(self, number: int, stop: int) -> Rows:
        rows = self._kept.pop(number, None)
        if rows is None:
            first = number * self._chunk
            line = self._line(number)
            codes = {
                name: np.zeros(stop - first, self._code.columns[name]) for name in self._code.needed
            } | {
                name: stored.read(first, stop)
                for place, (name, stored) in enumerate(self._stored.items())
                if line[STORED] >> place & 1
            }
            try:
                beside = self._beside(first, stop)
                with np.errstate(all="ignore"):  # of a damaged file any number may come
                    rows = self._code.decode(line, codes, beside)
                rows.flags.writeable = False
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
