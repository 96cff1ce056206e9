# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of the values over the run.

Mann-Kendall's test, which asks for no distribution, and Theil and Sen's slope: Hirsch, Slack and
Smith, Water Resources Research 18 (1982). Neighbors that depend on each other make chance trends
likelier, so the variance of the statistic is widened by the dependence left in the ranks when
their trend is taken off: Yue and Wang, Water Resources Management 18 (2004).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.statistics.correlation import integrated_time, ranks
from rig.analysis.statistics.distributions import normal_above, normal_quantile
from rig.analysis.statistics.interval import CONFIDENCE, Interval
from rig.analysis.statistics.sequence import EventSequence, made_once
from rig.arrays import FloatArray

_FEWEST_STEPS = 10
SLOPE_GROUPS = 128
"""Number of averages of equal groups from which the slope is taken."""


@dataclass(frozen=True, slots=True)
class Trend:
    """Drift from the first event to the last."""

    p_value: float
    """p-value of no trend."""
    change: float
    """Change from the run's begin to its end, in the unit of the values."""
    interval: Interval
    time_events: float
    """Number of events that count as one, beside the trend."""


@made_once
def trend(sequence: EventSequence, confidence: float = CONFIDENCE) -> Trend | None:
    """Return the trend, from all values if the sequence keeps them, else blocks; None below 10."""
    steps, events = sequence.series()
    if len(steps) < _FEWEST_STEPS:
        return None
    place = np.arange(len(steps), dtype=float)
    ranked = ranks(steps)
    if not ranked.any():
        return Trend(1.0, 0.0, Interval(0.0, 0.0, confidence), 1.0)
    centered = place - place.mean()
    slope = float(ranked @ centered) / float(centered @ centered)
    time = integrated_time([ranked - slope * centered])
    change, interval = _change(steps, confidence, time.events)
    return Trend(_p_value(steps, time.events), change, interval, time.events * events)


def _p_value(steps: FloatArray, time: float) -> float:
    """Return the two-sided p-value of Kendall's statistic with ties, its variance times `time`."""
    n = len(steps)
    _, rank, tied = np.unique(steps, return_inverse=True, return_counts=True)
    ties = tied.astype(float)
    untied = n * (n - 1) // 2 - int((tied * (tied - 1) // 2).sum())
    score = untied - 2 * falling_pairs(rank)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    return 2 * normal_above(abs(score) / math.sqrt(variance * time))


def falling_pairs(rank: npt.NDArray[np.intp]) -> int:
    """Return how many pairs have the greater of the two first.

    `rank`: shape (n,), whole numbers from 0. Of the bits in which a pair differs the highest
    decides: it falls if the earlier has it. So those that are equal above a bit, which a stable
    sort brings together, are compared by this bit.
    """
    rank = rank.astype(np.uint16 if rank.max() < 1 << 16 else np.int64)  # narrow ones sort faster
    found = 0
    for bit in reversed(range(int(rank.max()).bit_length())):
        has_it = (rank >> bit) & 1
        before = np.cumsum(has_it, dtype=np.int64)
        above = rank >> bit >> 1
        starts = np.concatenate([[0], np.flatnonzero(above[1:] != above[:-1]) + 1])
        before_group = np.repeat(before[starts] - has_it[starts], np.diff(starts, append=len(rank)))
        found += int((before - before_group)[has_it == 0].sum())
        rank = rank[np.argsort(rank >> bit, kind="stable")]
    return found


def _change(steps: FloatArray, confidence: float, time: float) -> tuple[float, Interval]:
    """Return the change over the whole run by Theil and Sen's slope, with Sen's interval.

    Averages of groups longer than the dependence are nearly independent.
    """
    groups = int(max(_FEWEST_STEPS, min(SLOPE_GROUPS, len(steps) / max(1.0, 2 * time))))
    length = len(steps) // groups
    averages = steps[: groups * length].reshape(groups, length).mean(axis=1)
    whole = len(steps) - 1
    change, low, high = (float(slope) * whole for slope in _slopes(averages, length, confidence))
    return change, Interval(low, high, confidence)


def _slopes(values: FloatArray, step: int, confidence: float) -> tuple[float, float, float]:
    """Return the median slope of all pairs and its interval: Sen, JASA 63 (1968), equation 2.6."""
    first, second = np.triu_indices(len(values), 1)
    slopes = np.sort((values[second] - values[first]) / ((second - first) * step))
    n = len(values)
    _, ties = np.unique(values, return_counts=True)
    variance = (n * (n - 1) * (2 * n + 5) - int((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    half = normal_quantile((1 + confidence) / 2) * math.sqrt(variance)
    low = max(round((len(slopes) - half) / 2) - 1, 0)
    high = min(round((len(slopes) + half) / 2), len(slopes) - 1)
    return float(np.median(slopes)), float(slopes[low]), float(slopes[high])
