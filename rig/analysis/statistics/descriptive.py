# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact statistics of integers: every value counted, nothing binned, nothing dropped.

Latencies come in whole samples, so a table of (value, count) holds them without loss and stays
small however long the run. All sums are integers: the figures do not depend on the order of the
data, on block borders or on the machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Self

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array


class ExactHistogram:
    """Counts of integer values; memory grows with the number of different values only."""

    def __init__(self) -> None:
        self._values = np.empty(0, np.int64)
        self._counts = np.empty(0, np.int64)

    @classmethod
    def of(cls, values: Int64Array, counts: Int64Array) -> Self:
        """Return a histogram of values already counted: all different, ascending; shapes (k,)."""
        histogram = cls()
        histogram._values, histogram._counts = values, counts
        return histogram

    @property
    def values(self) -> Int64Array:
        """The different values, ascending, shape (k,)."""
        return self._values

    @property
    def counts(self) -> Int64Array:
        """The count of each value, shape (k,)."""
        return self._counts

    @property
    def n(self) -> int:
        """Number of values counted."""
        return int(self._counts.sum())

    def add(self, values: Int64Array) -> None:
        """Count `values`, shape (n,)."""
        low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
        if high - low < 1024 + 4 * len(values):  # no need to sort
            counts = np.bincount(values - low)
            found = np.flatnonzero(counts)
            self.add_counted(found + low, counts[found])
        else:
            self.add_counted(*np.unique(values, return_counts=True))

    def add_counted(self, values: Int64Array, counts: Int64Array) -> None:
        """Count each of `values` so many times; shapes (k,), values in any order."""
        both = np.concatenate([self._values, values])
        merged, where = np.unique(both, return_inverse=True)
        total = np.zeros(len(merged), np.int64)
        np.add.at(total, where, np.concatenate([self._counts, counts]))
        self._values, self._counts = merged, total

    def order_statistic(self, rank: int) -> int:
        """Return the value at `rank` (from 0) of the sorted data."""
        cumulative = np.cumsum(self._counts)
        return int(self._values[np.searchsorted(cumulative, rank, side="right")])

    def quantile(self, p: Fraction) -> Fraction:
        """Return the quantile, by linear interpolation between order statistics.

        Definition 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
        Statistician 50 (1996); the default of numpy and R.
        """
        position = (self.n - 1) * p
        low = math.floor(position)
        high = min(low + 1, self.n - 1)
        a, b = self.order_statistic(low), self.order_statistic(high)
        return a + (b - a) * (position - low)


@dataclass(frozen=True)
class DescriptiveStatistics:
    """The classic figures of one measurement, in nanoseconds. None where n is too small."""

    n: int
    """Number of values that the figures are made of."""
    average_ns: float | None = None
    min_ns: float | None = None
    max_ns: float | None = None
    """The observed maximum of these n values, nothing more."""
    gap_ns: float | None = None
    """max - min"""
    deviation_ns: float | None = None
    """Population standard deviation, as the literature's tables use it."""
    median_ns: float | None = None
    quartile_1_ns: float | None = None
    quartile_3_ns: float | None = None
    interquartile_range_ns: float | None = None
    p99_ns: float | None = None
    p99_9_ns: float | None = None
    sample_deviation_ns: float | None = None
    """Estimate of the deviation of the distribution behind the values: n - 1 for n. From n = 2."""
    median_absolute_deviation_ns: float | None = None
    """Median distance from the median, not scaled to a normal distribution's deviation."""
    p90_ns: float | None = None
    """This and the following have values where at least one is expected above."""
    p95_ns: float | None = None
    p99_99_ns: float | None = None
    p99_999_ns: float | None = None
    p99_9999_ns: float | None = None


def median_absolute_deviation(histogram: ExactHistogram) -> Fraction:
    """Return the median distance of the values from their median, in their unit, exact."""
    values = histogram.values
    if values[-1] >= 2**60 or values[0] <= -(2**60):
        # A damaged log counts such; their distances do not fit in 64 bits, Python's integers do.
        values = values.astype(object)
    # The median is a whole number or half of one: twice it is whole.
    distances = np.abs(2 * values - int(2 * histogram.quantile(Fraction(1, 2))))
    order = np.argsort(distances, kind="stable")
    cumulative = np.cumsum(histogram.counts[order])
    middle = [(histogram.n - 1) // 2, histogram.n // 2]
    low, high = distances[order[np.searchsorted(cumulative, middle, side="right")]]
    return Fraction(int(low) + int(high), 4)


def statistics(histogram: ExactHistogram, sample_rate_hz: int) -> DescriptiveStatistics:
    """Return the figures of a histogram of latencies in samples, scaled to nanoseconds."""
    n = histogram.n
    if n == 0:
        return DescriptiveStatistics(0)
    values = [int(v) for v in histogram.values]
    counts = [int(c) for c in histogram.counts]
    total = sum(v * c for v, c in zip(values, counts, strict=True))
    squares = sum(v * v * c for v, c in zip(values, counts, strict=True))
    sample_ns = Fraction(10**9, sample_rate_hz)

    def at(percent: str) -> Fraction:
        return histogram.quantile(Fraction(percent) / 100)

    def ns(samples: Fraction | int) -> float:
        return float(samples * sample_ns)

    def where_allowed(percent: str) -> float | None:
        return ns(at(percent)) if n * (100 - Fraction(percent)) >= 100 else None

    # The square root is taken once, of an exact integer: n * deviation = sqrt(n*sum(x^2) - sum^2).
    root = math.sqrt(n * squares - total * total) * float(sample_ns)
    return DescriptiveStatistics(
        n=n,
        average_ns=ns(Fraction(total, n)),
        min_ns=ns(values[0]),
        max_ns=ns(values[-1]),
        gap_ns=ns(values[-1] - values[0]),
        deviation_ns=root / n,
        median_ns=ns(at("50")),
        quartile_1_ns=ns(at("25")),
        quartile_3_ns=ns(at("75")),
        interquartile_range_ns=ns(at("75") - at("25")),
        p99_ns=ns(at("99")),
        p99_9_ns=ns(at("99.9")),
        sample_deviation_ns=root / math.sqrt(n * (n - 1)) if n > 1 else None,
        median_absolute_deviation_ns=ns(median_absolute_deviation(histogram)),
        p90_ns=where_allowed("90"),
        p95_ns=where_allowed("95"),
        p99_99_ns=where_allowed("99.99"),
        p99_999_ns=where_allowed("99.999"),
        p99_9999_ns=where_allowed("99.9999"),
    )


def as_dict(figures: DescriptiveStatistics) -> dict[str, int | float | None]:
    """Return the values by field name, in the order of the table."""
    return {field.name: getattr(figures, field.name) for field in fields(figures)}


def excess_kurtosis(values: npt.ArrayLike, counts: npt.ArrayLike) -> float:
    """Return the kurtosis of counted values, shapes (n,): 0 for normal ones, or if all are equal.

    It is m4 / m2^2 - 3, of the sample as it is.
    """
    weight = np.asarray(counts, np.float64)
    value = np.asarray(values, np.float64)
    square = (value - np.average(value, weights=weight)) ** 2
    variance = np.average(square, weights=weight)
    if not variance:
        return 0.0
    return float(np.average((square / variance) ** 2, weights=weight)) - 3
