# SPDX-License-Identifier: GPL-3.0-or-later
"""Intervals for the true value of any statistic: what n leaves open, and what the bench adds.

Maximum and average have budgets of their own. A percentile has its distribution-free interval,
widened at both ends by the U of one value. A measure of spread has a 95 % interval as well:
interquartile range and median absolute deviation by Bonferroni's inequality from two intervals of
97.5 %, the deviation from the fourth moment (Cramer, "Mathematical Methods of Statistics", 1946,
28.4). Ends are added, not their squares: that is wider than it need be, never narrower.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.interval import CONFIDENCE, Interval
from rig.analysis.statistics.quantiles import quantile_interval, quantile_ranks
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.measurand import Measurand

_HALF_RISK = (1 + CONFIDENCE) / 2
_FEWEST = 8
"""Fewest values from which an average's and a deviation's scatter is estimated."""
_QUARTILES = {"median": "50", "quartile_1": "25", "quartile_3": "75"}


@dataclass(frozen=True)
class CoverageInterval:
    """A statistic's value and interval in ns. An end that n does not bound is None."""

    value: float
    """The statistic, less what the bench adds."""
    low: float | None
    high: float | None
    needed: int | None = None
    """Number of values that would bound it above."""

    def magnitude(self) -> CoverageInterval:
        """Return the interval of the value without its sign."""
        low, high = self.low, self.high
        ends = [abs(end) for end in (low, high) if end is not None]
        across = low is None or high is None or low <= 0 <= high
        open_above = low is None or high is None
        return CoverageInterval(
            abs(self.value), 0.0 if across else min(ends), None if open_above else max(ends),
            self.needed,
        )  # fmt: skip


@dataclass(frozen=True)
class Undetermined:
    """A statistic that n does not allow."""

    why: str
    needed: int | None = None


def bounds(found: Measurand, statistic: str) -> CoverageInterval | Undetermined:
    """Return the interval of a statistic by the name that rig.limit_names has for it.

    Where events are ambiguous, it covers both readings.
    """
    own = _bounds(found, statistic)
    if found.other is None:
        return own
    other = bounds(found.other, statistic)
    if isinstance(own, Undetermined) or isinstance(other, Undetermined):
        return own if isinstance(own, Undetermined) else other
    value = min(own.value, other.value) if statistic == "min" else own.value
    low = None if own.low is None or other.low is None else min(own.low, other.low)
    high = None if own.high is None or other.high is None else max(own.high, other.high)
    return CoverageInterval(value, low, high, own.needed)


def _bounds(found: Measurand, statistic: str) -> CoverageInterval | Undetermined:
    if not found.histogram.n:
        return Undetermined("nothing was measured")
    if (budget := found.budgets.get(statistic)) is not None:
        if statistic == "average" and found.histogram.n < 2:
            return Undetermined("an average of 1 value", 2)
        return _around(budget)
    if statistic == "min":
        return _around(found.effects.extreme("observed minimum", found.statistics.min_ns or 0.0))
    if statistic in _SPREADS:
        return _spread(found, statistic)
    return _percentile(found, _QUARTILES.get(statistic) or statistic[1:].replace("_", ".", 1))


def worst_of(
    largest: CoverageInterval | Undetermined, smallest: CoverageInterval | Undetermined
) -> CoverageInterval | Undetermined:
    """Return the interval of the larger departure from 0, of two that are bounded on both sides."""
    if isinstance(largest, Undetermined) or isinstance(smallest, Undetermined):
        return largest
    value = max(largest.value, -smallest.value)
    low = max(largest.low or 0.0, -(smallest.high or 0.0), 0.0)
    return CoverageInterval(value, low, max(largest.high or 0.0, -(smallest.low or 0.0)))


def needed_n(percent: str, thinning: float = 1.0) -> int:
    """Return the number of values from which a percentile has an interval that ends above.

    `thinning`: number of values that count as one.
    """
    p = float(Fraction(percent) / 100)
    n = math.ceil(math.log(1 - CONFIDENCE) / math.log(p))
    while quantile_ranks(n, p)[1] is None:
        n += max(1, n // 1000)
    return math.ceil(n * thinning)


def _around(budget: Budget) -> CoverageInterval:
    low, high = budget.corrected - budget.expanded, budget.corrected + budget.expanded
    return CoverageInterval(budget.corrected, low, high)


# --- quantiles ----------------------------------------------------------------------------------


def _percentile(found: Measurand, percent: str) -> CoverageInterval | Undetermined:
    if not percent[:1].isdigit():
        return Undetermined("no interval is known for this statistic")
    inference = found.inference
    if percent == "50" and inference is not None:
        return _quantile(found, percent, inference.median)
    if percent in _QUARTILES.values():
        p = float(Fraction(percent) / 100)
        interval = quantile_interval(found.histogram, p, CONFIDENCE, found.effective_n)
        return _quantile(found, percent, interval.scaled(found.unit_ns))
    for row in () if inference is None else inference.percentiles:
        if row.percent == percent:
            return _quantile(found, percent, row.interval)
    n = found.histogram.n
    return Undetermined(f"{n:,} values do not allow it", needed_n(percent, n / found.effective_n))


def _quantile(found: Measurand, percent: str, interval: Interval) -> CoverageInterval:
    """Return the quantile's interval, `interval` in ns, widened by what the bench leaves open."""
    value = float(found.histogram.quantile(Fraction(percent) / 100)) * found.unit_ns
    budget = found.effects.value(percent, value)
    ends = [
        None if end is None else end + budget.correction + sign * budget.expanded
        for end, sign in ((interval.low, -1), (interval.high, 1))
    ]
    needed = None
    if ends[1] is None:
        n = found.histogram.n
        needed = max(n + 1, needed_n(percent, n / found.effective_n))
    return CoverageInterval(budget.corrected, ends[0], ends[1], needed)


# --- spread -------------------------------------------------------------------------------------


def _spread(found: Measurand, statistic: str) -> CoverageInterval | Undetermined:
    value = getattr(found.statistics, f"{statistic}_ns")
    if found.histogram.n < _FEWEST or value is None:
        return Undetermined(f"{found.histogram.n:,} values do not allow it", _FEWEST)
    interval = _SPREADS[statistic](found)
    if interval is None:
        return Undetermined("too few values that do not depend on each other", None)
    budget = found.effects.spread(statistic, value)
    low, high = (end * found.unit_ns + budget.correction for end in interval)
    return CoverageInterval(
        budget.corrected, max(0.0, low - budget.expanded), high + budget.expanded
    )


Ends = tuple[float, float]


def _gap(found: Measurand) -> Ends:
    """Return the gap of the values that were measured, twice: it says nothing of others."""
    gap = float(found.histogram.values[-1] - found.histogram.values[0])
    return gap, gap


def _deviation(found: Measurand) -> Ends | None:
    values = found.histogram.values.astype(np.float64)
    counts = found.histogram.counts
    around = values - np.average(values, weights=counts)
    second, fourth = (float(np.average(around**k, weights=counts)) for k in (2, 4))
    deviation = math.sqrt(second)
    if not deviation:
        return 0.0, 0.0
    half = 2 * math.sqrt(max(0.0, fourth - second**2) / found.effective_n) / (2 * deviation)
    return max(0.0, deviation - half), deviation + half


def _interquartile_range(found: Measurand) -> Ends | None:
    first, third = (_inside(found.histogram, p, found.effective_n) for p in (0.25, 0.75))
    if first is None or third is None:
        return None
    return max(0.0, third[0] - first[1]), third[1] - first[0]


def _absolute_deviation(found: Measurand) -> Ends | None:
    """Return the interval of the distances' median, widened by how far the median may be off."""
    histogram = found.histogram
    middle = _inside(histogram, 0.5, found.effective_n)
    if middle is None:
        return None
    distances = ExactHistogram()
    at = int(2 * histogram.quantile(Fraction(1, 2)))
    distances.add_counted(np.abs(2 * histogram.values - at), histogram.counts)
    ends = _inside(distances, 0.5, found.effective_n)
    if ends is None:
        return None
    off = max(at / 2 - middle[0], middle[1] - at / 2)
    return max(0.0, ends[0] / 2 - off), ends[1] / 2 + off


def _inside(histogram: ExactHistogram, p: float, effective_n: float) -> Ends | None:
    found = quantile_interval(histogram, p, _HALF_RISK, effective_n)
    return None if found.low is None or found.high is None else (found.low, found.high)


_SPREADS: dict[str, Callable[[Measurand], Ends | None]] = {
    "gap": _gap,
    "deviation": _deviation,
    "sample_deviation": _deviation,
    "interquartile_range": _interquartile_range,
    "median_absolute_deviation": _absolute_deviation,
}
