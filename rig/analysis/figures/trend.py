# SPDX-License-Identifier: GPL-3.0-or-later
"""Did the values drift over the run?

Mann-Kendall's test, which asks for no distribution, and Theil and Sen's slope: Hirsch, Slack and
Smith, Water Resources Research 18 (1982). Neighbors that depend on each other make chance trends
likelier, so the variance of the statistic is widened by the dependence left in the ranks when
their trend is taken off: Yue and Wang, Water Resources Management 18 (2004).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from rig.analysis.figures.correlation import FloatArray, integrated_time, ranks
from rig.analysis.figures.interval import CONFIDENCE, Interval
from rig.analysis.figures.sequence import EventSequence, made_once

_FEWEST_STEPS = 10
SLOPE_GROUPS = 128
"""The slope is that of so many averages of equal groups."""


@dataclass(frozen=True, slots=True)
class Trend:
    """Drift from the first event to the last."""

    p_value: float
    """Of no trend."""
    change: float
    """From the run's begin to its end, in the unit of the values."""
    interval: Interval
    time_events: float
    """Events that count as one, beside the trend."""


@made_once
def trend(sequence: EventSequence, confidence: float = CONFIDENCE) -> Trend | None:
    """None below 10 steps. From all values while the sequence keeps them, then from blocks."""
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
    return Trend(_p_value(steps, place, time.events), change, interval, time.events * events)


def _p_value(steps: FloatArray, place: FloatArray, time: float) -> float:
    """Two-sided; Kendall's statistic with ties, its variance times `time`."""
    n = len(steps)
    pairs = n * (n - 1) / 2
    _, tied = np.unique(steps, return_counts=True)
    ties = tied.astype(float)
    untied = pairs - float((ties * (ties - 1) / 2).sum())
    tau_b = float(stats.kendalltau(place, steps, method="asymptotic").statistic)
    score = tau_b * math.sqrt(pairs * untied)
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    return 2 * float(stats.norm.sf(abs(score) / math.sqrt(variance * time)))


def _change(steps: FloatArray, confidence: float, time: float) -> tuple[float, Interval]:
    """Theil and Sen's slope, over the whole run, with Sen's interval.

    Averages of groups longer than the dependence are nearly independent.
    """
    groups = int(max(_FEWEST_STEPS, min(SLOPE_GROUPS, len(steps) / max(1.0, 2 * time))))
    length = len(steps) // groups
    averages = steps[: groups * length].reshape(groups, length).mean(axis=1)
    found = stats.theilslopes(averages, np.arange(groups) * length, alpha=confidence)
    whole = len(steps) - 1
    slopes = found.slope, found.low_slope, found.high_slope
    change, low, high = (float(value) * whole for value in slopes)
    return change, Interval(low, high, confidence)
