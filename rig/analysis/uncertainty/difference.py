# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between the figures of two runs, with their 95 % intervals.

Only the scatter of the values is in them. What the bench adds is in both runs alike if they were
made on the same bench, and cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.distributions import student_quantile

LEVEL = 0.95
TURNS = 2000
_SEED = 1908
FEWEST_ABOVE = 10
"""Fewest values beyond a quantile for which it has a usable interval."""


@dataclass(frozen=True)
class Difference:
    """The second run's figure less the first's, in ns; limits None if n is too small for them."""

    value_ns: float
    low_ns: float | None = None
    high_ns: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low_ns is not None and self.high_ns is not None and (
            self.low_ns > 0 or self.high_ns < 0
        )  # fmt: skip


@dataclass(frozen=True)
class Sample:
    """The latencies of one run."""

    histogram: ExactHistogram
    sample_rate_hz: int

    @property
    def sample_ns(self) -> float:
        """Sample period."""
        return 1e9 / self.sample_rate_hz


def average_difference(first: Sample, second: Sample) -> Difference | None:
    """Return the averages' difference by Welch (Biometrika 34, 1947); None if one has no values."""
    sides = [_moments(side) for side in (first, second)]
    if any(n == 0 for n, _, _ in sides):
        return None
    (n1, mean1, v1), (n2, mean2, v2) = sides
    value = mean2 - mean1
    if min(n1, n2) < 2:
        return Difference(value)
    parts = v1 / n1, v2 / n2
    if not sum(parts):
        return Difference(value, value, value)
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (n1 - 1) + parts[1] ** 2 / (n2 - 1))
    half = student_quantile((1 + LEVEL) / 2, freedom) * math.sqrt(sum(parts))
    return Difference(value, value - half, value + half)


def quantile_difference(first: Sample, second: Sample, p: Fraction) -> Difference | None:
    """Return a quantile's difference by percentile bootstrap of each run's independent values.

    Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), 13.3. None if one run has no
    values; no interval with fewer than FEWEST_ABOVE values on either side of the quantile.
    """
    if not first.histogram.n or not second.histogram.n:
        return None
    exact = [float(side.histogram.quantile(p)) * side.sample_ns for side in (first, second)]
    value = exact[1] - exact[0]
    rarer = min(p, 1 - p)
    if any(side.histogram.n * rarer < FEWEST_ABOVE for side in (first, second)):
        return Difference(value)
    # The same seed each time: the same runs give the same interval.
    rng = np.random.default_rng(_SEED)
    drawn = _resampled(second, float(p), rng) - _resampled(first, float(p), rng)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # Between two samples of the analyzer a quantile's place is not known.
    step = math.hypot(first.sample_ns, second.sample_ns) / 2
    return Difference(value, min(float(low), value - step), max(float(high), value + step))


def _moments(side: Sample) -> tuple[int, float, float]:
    """Return n, average in ns, sample variance in ns^2."""
    n = side.histogram.n
    if n == 0:
        return 0, 0.0, 0.0
    values, counts = side.histogram.values, side.histogram.counts
    total = sum(int(v) * int(c) for v, c in zip(values, counts, strict=True))
    squares = sum(int(v) ** 2 * int(c) for v, c in zip(values, counts, strict=True))
    variance = Fraction(n * squares - total * total, n * max(1, n - 1))
    return n, total / n * side.sample_ns, float(variance) * side.sample_ns**2


def _resampled(side: Sample, p: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Return the quantile of TURNS samples with replacement, shape (TURNS,), in ns.

    How many of n resampled values lie below each value is a binomial walk; the quantile is where
    it passes the rank. Its rank among the data is that of an order statistic of n uniform numbers:
    beta-distributed, so nothing needs to be drawn n times.
    """
    n = side.histogram.n
    rank = (n - 1) * p + 1
    place = rng.beta(rank, n + 1 - rank, TURNS)
    cumulative = np.cumsum(side.histogram.counts)
    number = np.minimum((place * n).astype(np.int64), n - 1)
    where = np.searchsorted(cumulative, number, side="right")
    drawn: npt.NDArray[np.float64] = side.histogram.values[where].astype(np.float64)
    return drawn * side.sample_ns
