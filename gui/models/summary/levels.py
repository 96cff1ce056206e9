# SPDX-License-Identifier: GPL-3.0-or-later
"""A pyramid over a summary's rows: each level has a row for eight of the level below."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gui.models.summary.rows import BUCKET, Rows, SummaryKind

FACTOR = 8


def _first(values: Rows, starts: npt.NDArray[np.int64]) -> Rows:
    first: Rows = values[starts]
    return first


def _last(values: Rows, starts: npt.NDArray[np.int64]) -> Rows:
    ends = np.append(starts[1:], len(values))
    last: Rows = values[np.maximum(ends, starts + 1) - 1]
    return last


_REDUCE: dict[str, Callable[..., Any]] = {
    "low": np.minimum.reduceat,
    "high": np.maximum.reduceat,
    "kinds": np.bitwise_or.reduceat,
    "first": _first,
    "last": _last,
    "levels": _first,
    "mask": np.bitwise_or.reduceat,
}


def reduced(rows: Rows, starts: npt.NDArray[np.int64]) -> Rows:
    """One row for those from each start to the next; equal starts take one row each."""
    out = np.empty(len(starts), rows.dtype)
    for name in rows.dtype.names or ():
        out[name] = _REDUCE[name](rows[name], starts)
    return out


class SummaryLevels:
    """Rows so far, and those above them; it grows while a long run is still being read."""

    def __init__(self, kind: SummaryKind, count: int) -> None:
        """`count`: events or edges that there will be."""
        self.kind = kind
        self.count = count
        self._levels: list[Rows] = [np.empty(0, kind.row)]

    @property
    def base(self) -> Rows:
        """The finest rows so far."""
        return self._levels[0]

    @property
    def covered(self) -> int:
        """Events or edges that the rows so far are of."""
        return min(len(self.base) * BUCKET, self.count)

    @property
    def complete(self) -> bool:
        """All of them."""
        return self.covered == self.count

    def append(self, rows: Rows) -> None:
        """Take further rows. Only what they change above is made again."""
        old, new = self._levels, [np.concatenate((self._levels[0], rows))]
        while len(new[-1]) > FACTOR:
            number = len(new)
            above = old[number] if number < len(old) else np.empty(0, self.kind.row)
            # The last row of a level may have been of fewer than eight.
            same = min(max(len(old[number - 1]) - 1, 0) // FACTOR, len(above)) if len(above) else 0
            changed = new[-1][same * FACTOR :]
            made = reduced(changed, np.arange(0, len(changed), FACTOR))
            new.append(np.concatenate((above[:same], made)))
        self._levels = new

    def at(self, per_row: float) -> tuple[int, Rows]:
        """The coarsest level whose rows are of `per_row` events or edges at most; the finest else.

        Returns how many one row is of, and the rows.
        """
        size, number = BUCKET, 0
        while number + 1 < len(self._levels) and size * FACTOR <= per_row:
            size, number = size * FACTOR, number + 1
        return size, self._levels[number]

    def columns(self, first: float, stop: float, columns: int) -> Rows | None:
        """A row for each of `columns` equal parts of [first, stop).

        None if a part is smaller than the finest row: then the run file is to be read. What is not
        covered yet is left out at the end.
        """
        per_column = (stop - first) / columns
        if per_column < BUCKET:
            return None
        size, rows = self.at(per_column)
        starts = (np.linspace(first, stop, columns, endpoint=False) / size).astype(np.int64)
        starts = starts[starts < len(rows)]
        end = min(int(np.ceil(stop / size)), len(rows))
        return reduced(rows[:end], starts) if len(starts) else rows[:0]
