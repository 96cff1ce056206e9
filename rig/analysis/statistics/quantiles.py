# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantiles with intervals that hold for every distribution.

The number of values up to the true p-quantile is binomial(n, p), so two order statistics enclose
it with a probability that can be computed exactly: David and Nagaraja, "Order Statistics", 3rd ed.
(2003), section 7.1. With ties the intervals hold more than what they state, never less.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.distributions import binomial_quantile, binomial_up_to
from rig.analysis.statistics.interval import CONFIDENCE, Interval, check_share

PERCENTS = ("90", "95", "99", "99.9", "99.99", "99.999", "99.9999")
"""Percentiles that the table has, as far as n allows."""
_NEIGHBORS = 8
"""Ranks on either side of the equal-tailed one that are tried for a shorter interval."""


@dataclass(frozen=True, slots=True)
class Percentile:
    """One row of the table of percentiles, in the unit of the values."""

    percent: str
    value: float
    interval: Interval
    """Its upper end is None where so few values lie above that n does not bound the percentile."""


def quantile_ranks(
    n: int, p: float, confidence: float = CONFIDENCE
) -> tuple[int | None, int | None]:
    """Return the ranks, from 0, of the two order statistics that enclose the p-quantile.

    Of pairs with at least this confidence, one with the fewest ranks between them. None: no order
    statistic bounds it on that side, and the other end alone has this confidence. Raises
    ValueError unless n > 0 and 0 < p, confidence < 1.
    """
    check_share("p", p)
    check_share("confidence", confidence)
    if n < 1:
        raise ValueError(f"n is {n}; valid: 1 and more")
    # B values lie up to the quantile. Rank r lies above it if B <= r, below it if B > r.
    middle = int(binomial_quantile(np.array((1 - confidence) / 2), n, p))
    low = np.arange(max(0, middle - _NEIGHBORS), middle + _NEIGHBORS)
    low_misses = binomial_up_to(low, n, p)
    low, low_misses = low[low_misses < 1 - confidence], low_misses[low_misses < 1 - confidence]
    high = binomial_quantile(confidence + low_misses, n, p)
    if (high < n).any():
        best = int(np.argmin(np.where(high < n, high - low, n)))
        return int(low[best]), int(high[best])
    top = int(binomial_quantile(np.array(confidence), n, p))
    # One end only: the whole risk is taken on it.
    if p >= 0.5 and len(low):
        return int(low[-1]), None
    return None, (top if top < n else None)


def quantile_interval(
    histogram: ExactHistogram,
    p: float,
    confidence: float = CONFIDENCE,
    effective_n: float | None = None,
) -> Interval:
    """Return the distribution-free interval of the p-quantile, in the unit of the values.

    Works on the exact histogram, for any n. `effective_n`, below n where the values depend on each
    other, takes n's place in the binomial; the ranks are then stretched to n.
    """
    n = histogram.n
    few = n if effective_n is None else max(1, min(n, int(effective_n)))
    low, high = quantile_ranks(few, p, confidence)
    if few < n:
        low = None if low is None else _stretched(low, n, few)
        high = None if high is None else _stretched(high, n, few)
    return Interval(
        None if low is None else histogram.order_statistic(low),
        None if high is None else histogram.order_statistic(high),
        confidence,
    )


def _stretched(rank: int, n: int, few: int) -> int:
    """Return the rank among n values at the same share of them as `rank` among `few`."""
    return (2 * rank + 1) * n // (2 * few)


def percentiles(
    histogram: ExactHistogram,
    confidence: float = CONFIDENCE,
    thinning: dict[str, float] | None = None,
) -> tuple[Percentile, ...]:
    """Return the rows that n allows: at least one value is expected above the percentile.

    `thinning`: values that count as one, by percentile, where they depend on each other.
    """
    rows = []
    n = histogram.n
    for percent in PERCENTS:
        p = Fraction(percent) / 100
        if n * (1 - p) < 1:
            break
        effective_n = n / (thinning or {}).get(percent, 1.0)
        interval = quantile_interval(histogram, float(p), confidence, effective_n)
        rows.append(Percentile(percent, float(histogram.quantile(p)), interval))
    return tuple(rows)
