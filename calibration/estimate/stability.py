# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a counter keeps its rate when something else is changed, such as a frequency."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from calibration.estimate.estimate import Estimate
from calibration.estimate.logged import Logged
from calibration.estimate.rate import rate_of
from rig.analysis.clocks.brackets import Rates

HARD = math.sqrt(3)
"""Half-width of hard limits by their standard uncertainty (JCGM 100:2008, 4.3.7)."""


@dataclass(frozen=True)
class RateAt:
    """The counter's rate during one turn."""

    level: int
    """What was set, in whatever unit."""
    time_s: float
    """Middle of the turn, on the analyzer's clock."""
    ppm: Estimate
    """Of nominal; hard limits."""


def rate_at(level: int, seen: Logged, rates: Rates) -> RateAt:
    """Raises ValueError if no clock fits."""
    ends = seen.brackets.sample[[0, -1]]
    time_s = float(ends[0] + ends[1]) / 2 / rates.sample_rate_hz
    return RateAt(level, time_s, rate_of(seen.brackets, rates).ppm)


def there_and_back(levels: Sequence[int]) -> tuple[int, ...]:
    """Each level before and after the last one: what drifts evenly meanwhile cancels."""
    return (*levels, *reversed(levels[:-1]))


def by_level(turns: Sequence[RateAt]) -> dict[int, Estimate]:
    """Rates at one time, that of the middle turn, in ppm; from turns there and back.

    The rate before and the rate after are joined by a line. Limits that may both be reached add up.
    """
    at_s = turns[len(turns) // 2].time_s
    found: dict[int, Estimate] = {}
    for first, last in zip(turns, reversed(turns), strict=True):
        if first.level in found:
            break
        span_s = last.time_s - first.time_s
        share = (at_s - first.time_s) / span_s if span_s else 0.0
        found[first.level] = Estimate(
            first.ppm.value + share * (last.ppm.value - first.ppm.value),
            abs(1 - share) * first.ppm.standard_uncertainty
            + abs(share) * last.ppm.standard_uncertainty,
            first.ppm.n + (0 if last is first else last.ppm.n),
        )
    return found


def spread(rates: Mapping[int, Estimate]) -> Estimate:
    """Largest less smallest rate, 0 or more: between the least and the most that limits allow."""
    lows = [each.value - HARD * each.standard_uncertainty for each in rates.values()]
    highs = [each.value + HARD * each.standard_uncertainty for each in rates.values()]
    least, most = max(0.0, max(lows) - min(highs)), max(highs) - min(lows)
    return Estimate.between(least, most, sum(each.n for each in rates.values()))


def surely(found: Estimate) -> float:
    """The least that it may be."""
    return max(0.0, found.value - HARD * found.standard_uncertainty)
