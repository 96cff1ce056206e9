# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays in fewer bytes, for a further pass over a run, without any loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from rig.analysis.signals.spool import Kept, Spool
from rig.arrays import UInt64Array
from rig.instruments import LOG_RECORD, Int64Array, LogArray


@dataclass(frozen=True)
class Ascending:
    """Samples in order, in four bytes each where they lie near each other."""

    start: int
    behind: Kept

    @classmethod
    def of(cls, samples: Int64Array, spool: Spool) -> Self | None:
        """Return the samples packed; None if the spool has no room."""
        start = int(samples[0]) if len(samples) else 0
        behind = samples - start
        near = not len(samples) or int(behind[-1]) < 1 << 32
        kept = spool.keep(behind.astype(np.uint32) if near else behind)
        return None if kept is None else cls(start, kept)

    def samples(self) -> Int64Array:
        """Return the samples as they were, shape (n,)."""
        return self.start + self.behind.values().astype(np.int64)


@dataclass(frozen=True)
class _Steps:
    """Values as the steps between them, modulo 2**64: one number where they are all the same."""

    first: np.uint64
    steps: Kept | np.uint64

    @classmethod
    def of(cls, values: UInt64Array, spool: Spool) -> Self | None:
        steps = values[1:] - values[:-1]
        least, most = (steps.min(), steps.max()) if len(steps) else (np.uint64(0), np.uint64(0))
        if least == most:
            return cls(values[0], least)
        kept = spool.keep(steps.astype(np.min_scalar_type(int(most))))
        return None if kept is None else cls(values[0], kept)

    def values(self, count: int) -> UInt64Array:
        """Return the values as they were, shape (count,), count > 0."""
        if isinstance(self.steps, np.uint64):
            if not self.steps:
                return np.full(count, self.first)
            return self.first + self.steps * np.arange(count, dtype=np.uint64)
        values = np.empty(count, np.uint64)
        values[0] = self.first
        values[1:] = self.steps.values()
        return np.cumsum(values, out=values)


@dataclass(frozen=True)
class Ticks:
    """Readings of one clock, in two bytes or four each where they lie near each other."""

    count: int
    steps: _Steps

    @classmethod
    def of(cls, ticks: Int64Array, spool: Spool) -> Self | None:
        """Return ticks packed, shape (n,), n > 0; None if the spool has no room."""
        steps = _Steps.of(ticks.view(np.uint64), spool)
        return None if steps is None else cls(len(ticks), steps)

    def values(self) -> Int64Array:
        """Return the readings as they were."""
        return self.steps.values(self.count).view(np.int64)


@dataclass(frozen=True)
class Records:
    """Some records of a target's log, in about a fifth of their bytes where they lie in order."""

    count: int
    columns: dict[str, _Steps]

    @classmethod
    def of(cls, rows: LogArray, spool: Spool) -> Self | None:
        """Return the records packed; None if the spool has no room."""
        columns: dict[str, _Steps] = {}
        for name in LOG_RECORD.names or () if len(rows) else ():
            values = rows[name].astype(np.uint64)
            if name == "after_ticks":  # that is near the reading before, not near other events
                values = values - rows["before_ticks"]
            packed = _Steps.of(values, spool)
            if packed is None:
                return None
            columns[name] = packed
        return cls(len(rows), columns)

    def column(self, name: str) -> npt.NDArray[np.unsignedinteger]:
        """Return one column as it was, shape (n,), in its own type."""
        dtype = LOG_RECORD[name]
        if not self.count:
            return np.empty(0, dtype)
        values = self.columns[name].values(self.count)
        if name == "after_ticks":
            values += self.columns["before_ticks"].values(self.count)
        return values.astype(dtype, copy=False)
