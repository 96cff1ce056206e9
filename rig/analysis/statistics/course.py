# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a sequence of values over time, in memory of fixed size however many there are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from rig.arrays import FloatArray
from rig.instruments import Int64Array

STRETCHES: Final = 512
"""Most stretches of equal time; they become twice as long when there would be more."""
_DOUBLINGS_MAX: Final = 62


COLUMNS, ROWS = 300, 90
"""Cells of a Scatter along time and along the value."""


@dataclass(frozen=True)
class Scatter:
    """How many of the values lie in each cell of time and value, shape (ROWS, COLUMNS)."""

    cells: Int64Array
    n: int
    """The number of values in it; of a long run whole stretches spread evenly over it."""
    first: int
    last: int
    """Times of the left and the right edge, in units of the clock."""
    low: int
    high: int
    """The least and the largest value."""


def _none(fill: float) -> FloatArray:
    return np.full(STRETCHES, fill)


@dataclass
class Course:
    """Number, sum, least and largest of the values of each stretch of time; shapes (STRETCHES,)."""

    origin: int | None = None
    """Time of the first value."""
    doublings: int = 0
    """A stretch is 2 to the power of so many units of the clock long."""
    count: Int64Array = field(default_factory=lambda: np.zeros(STRETCHES, np.int64))
    total: FloatArray = field(default_factory=lambda: _none(0.0))
    least: FloatArray = field(default_factory=lambda: _none(np.inf))
    largest: FloatArray = field(default_factory=lambda: _none(-np.inf))
    time_unit_ns: float = 1.0
    scatter: Scatter | None = None
    """The values one by one, as far as they are known that way."""

    @property
    def used(self) -> int:
        """The number of stretches up to the last that has a value."""
        (filled,) = np.nonzero(self.count)
        return int(filled[-1]) + 1 if len(filled) else 0

    def add(self, values: Int64Array, times: Int64Array) -> None:
        """Add values and when they were, in units of a clock, shapes (n,).

        A damaged log may have times that fall: what is before the first is counted with it.
        """
        if not len(values):
            return
        if self.origin is None:
            self.origin = int(times[0])
        since = np.maximum(times, self.origin) - self.origin
        since = np.where(since < 0, np.iinfo(np.int64).max, since)  # beyond 64 bits
        last = int(since.max())
        while last >> self.doublings >= STRETCHES and self.doublings < _DOUBLINGS_MAX:
            self._double()
        place = np.minimum(since >> self.doublings, STRETCHES - 1)
        value = values.astype(np.float64)
        np.add.at(self.count, place, 1)
        np.add.at(self.total, place, value)
        np.minimum.at(self.least, place, value)
        np.maximum.at(self.largest, place, value)

    def _double(self) -> None:
        half = STRETCHES // 2
        for name, join, fill in (
            ("count", np.add, 0), ("total", np.add, 0.0),
            ("least", np.minimum, np.inf), ("largest", np.maximum, -np.inf),
        ):  # fmt: skip
            both = getattr(self, name).reshape(-1, 2)
            joined = np.full_like(getattr(self, name), fill)
            joined[:half] = join(both[:, 0], both[:, 1])
            setattr(self, name, joined)
        self.doublings += 1


def scatter(values: Int64Array, times: Int64Array) -> Scatter | None:
    """Return the cells of some values and when they were, shapes (n,); None without any."""
    if not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    first, last = int(times.min()), int(times.max())
    row = _place(values, low, high, ROWS)
    column = _place(times, first, last, COLUMNS)
    cells = np.bincount(row * COLUMNS + column, minlength=ROWS * COLUMNS)
    whole = cells.astype(np.int64).reshape(ROWS, COLUMNS)
    return Scatter(whole, len(values), first, last, low, high)


def _place(values: Int64Array, low: int, high: int, parts: int) -> Int64Array:
    """Return in which of the equal parts between two limits each value is, shape (n,)."""
    share = (values.astype(np.float64) - low) / max(1.0, float(high - low))
    place: Int64Array = np.minimum((share * parts).astype(np.int64), parts - 1)
    return place
