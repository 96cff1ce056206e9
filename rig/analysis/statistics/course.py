# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a sequence of values over time, in memory of fixed size however many there are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np

from rig.arrays import FloatArray
from rig.instruments import Int64Array

STRETCHES: Final = 512
"""Most stretches of equal time; they become twice as long when there would be more."""
RATE_MAX_HZ: Final = 10**12
_DOUBLINGS_MAX: Final = 62
_HEAD, _COLUMNS = 4, 5
"""Numbers at the beginning of a stored course, and of each of its stretches."""


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

    @property
    def stored(self) -> Int64Array:
        """All of it as numbers that `of` reads: cells with values only."""
        counts = self.cells.ravel()
        (filled,) = np.nonzero(counts)
        head = np.array([self.n, self.first, self.last, self.low, self.high], np.int64)
        return np.concatenate([head, filled, counts[filled]])

    @classmethod
    def of(cls, numbers: Int64Array) -> Self:
        """Return the cells stored as these numbers. Raises ValueError for any others."""
        head, rest = _taken(numbers, 5)
        n, first, last, low, high = map(int, head)
        filled, counts = rest[: len(rest) // 2], rest[len(rest) // 2 :]
        if len(filled) != len(counts) or not len(filled) or first > last or low > high:
            raise ValueError("cells have a place and a count each")
        if np.any(np.diff(filled) < 1) or filled[0] < 0 or filled[-1] >= ROWS * COLUMNS:
            raise ValueError("places of cells ascend")
        if np.any(counts < 1) or int(counts.max()) > n or int(counts.sum()) != n:
            raise ValueError("counts of cells are those of the values")
        cells = np.zeros(ROWS * COLUMNS, np.int64)
        cells[filled] = counts
        return cls(cells.reshape(ROWS, COLUMNS), n, first, last, low, high)


def _taken(numbers: Int64Array, count: int) -> tuple[Int64Array, Int64Array]:
    """Return so many numbers and the rest. Raises ValueError if there are fewer."""
    if len(numbers) < count:
        raise ValueError("numbers are missing")
    return numbers[:count], numbers[count:]


def _none(fill: float) -> FloatArray:
    return np.full(STRETCHES, fill)


@dataclass
class TimeCourse:
    """Number, sum, least and largest of the values of each stretch of time; shapes (STRETCHES,)."""

    origin: int | None = None
    """Time of the first value."""
    doublings: int = 0
    """A stretch is 2 to the power of so many units of the clock long."""
    count: Int64Array = field(default_factory=lambda: np.zeros(STRETCHES, np.int64))
    total: FloatArray = field(default_factory=lambda: _none(0.0))
    least: FloatArray = field(default_factory=lambda: _none(np.inf))
    largest: FloatArray = field(default_factory=lambda: _none(-np.inf))
    rate_hz: int = 10**9
    """Rate of the clock of the times."""
    scatter: Scatter | None = None
    """The values one by one, as far as they are known that way."""

    @property
    def time_unit_s(self) -> float:
        """The unit of the times."""
        return 1 / self.rate_hz

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

    @property
    def stored(self) -> Int64Array:
        """All of it as numbers that `of` reads."""
        (filled,) = np.nonzero(self.count)
        columns = (self.count, *(each.astype(np.int64) for each in self._sums()))
        head = [self.origin or 0, self.doublings, self.rate_hz, len(filled)]
        parts = [np.array(head, np.int64), filled, *(each[filled] for each in columns)]
        if self.scatter is not None:
            parts.append(self.scatter.stored)
        return np.concatenate(parts).astype(np.int64)

    def _sums(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums, least and largest values, 0 where there is none."""
        sums = (self.total, self.least, self.largest)
        some = [np.where(self.count > 0, each, 0.0) for each in sums]
        return some[0], some[1], some[2]

    @classmethod
    def of(cls, numbers: Int64Array) -> Self:
        """Return the course stored as these numbers. Raises ValueError for any others."""
        head, rest = _taken(numbers, _HEAD)
        origin, doublings, rate_hz, used = map(int, head)
        if not (0 <= doublings <= _DOUBLINGS_MAX and 1 <= rate_hz <= RATE_MAX_HZ):
            raise ValueError("a course of such stretches is not made")
        if not 1 <= used <= STRETCHES:
            raise ValueError(f"a course has 1 to {STRETCHES} stretches")
        columns, rest = _taken(rest, _COLUMNS * used)
        place, count, total, least, largest = columns.reshape(_COLUMNS, used)
        if np.any(np.diff(place) < 1) or place[0] < 0 or place[-1] >= STRETCHES:
            raise ValueError("stretches of a course ascend")
        if np.any(count < 1) or np.any(least > largest):
            raise ValueError("a stretch has values, the least not above the largest")
        found = cls(origin, doublings, rate_hz=rate_hz)
        for name, column in zip(
            ("count", "total", "least", "largest"), (count, total, least, largest), strict=True
        ):
            getattr(found, name)[place] = column
        found.scatter = Scatter.of(rest) if len(rest) else None
        return found

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
