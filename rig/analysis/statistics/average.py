# SPDX-License-Identifier: GPL-3.0-or-later
"""The average's interval, widened where events depend on each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rig.analysis.statistics.correlation import IntegratedTime, integrated_time
from rig.analysis.statistics.distributions import normal_quantile, student_quantile
from rig.analysis.statistics.interval import CONFIDENCE, Interval, check_share
from rig.analysis.statistics.sequence import EventSequence, made_once
from rig.untrusted.decode import NullIs

_FEWEST_STEPS = 8


@dataclass(frozen=True, slots=True)
class AverageInterval:
    """The interval of the average of all values, in their unit."""

    interval: Interval
    effective_n: float
    """The number of independent values that would say as much."""
    degrees_of_freedom: Annotated[float, NullIs(math.inf)]


def average_interval(
    sequence: EventSequence, average: float, deviation: float, confidence: float = CONFIDENCE
) -> AverageInterval | None:
    """Return the interval by Student's t and the effective n; None below 8 values.

    `average`, `deviation` (sample standard deviation): exact, of all `sequence.n` values. The
    effective n comes from all values while the sequence keeps them, then from averages of blocks,
    whose scatter holds the dependence inside the blocks already.
    """
    check_share("confidence", confidence)
    steps, events = sequence.series()
    if len(steps) < _FEWEST_STEPS:
        return None
    time = _time(sequence)
    if events == 1 or deviation == 0:
        effective_n = sequence.n / time.events
    else:
        scatter = float(np.var(steps, ddof=1)) * time.events / len(steps)
        effective_n = min(float(sequence.n), deviation**2 / scatter) if scatter else sequence.n
    freedom = min(time.degrees_of_freedom, effective_n)
    half = student_quantile((1 + confidence) / 2, freedom) * deviation / math.sqrt(effective_n)
    return AverageInterval(
        Interval(average - half, average + half, confidence), effective_n, freedom
    )


@made_once
def _time(sequence: EventSequence) -> IntegratedTime:
    return integrated_time([sequence.series()[0]])


@made_once
def effective_n(sequence: EventSequence, level: float, confidence: float = CONFIDENCE) -> float:
    """Return the effective n for the interval of the quantile at `level`.

    It comes from the dependence of "value <= level" between events; that from one stretch of the
    sequence to the next is not in it. It is lowered as Student's t is wider than the normal, since
    the dependence is estimated. A rare event has few occurrences: the dependence that they show is
    raised in the same way, each worth a degree of freedom.
    """
    below = [(s <= level).astype(float) for s in sequence.stretches()]
    time = integrated_time(below)
    share = float(np.mean(np.concatenate(below)))
    occurred = sequence.n * min(share, 1 - share) / time.events
    events = 1 + (time.events - 1) * _widening(occurred, confidence)
    return sequence.n / events / _widening(time.degrees_of_freedom, confidence)


def _widening(freedom: float, confidence: float) -> float:
    """Return the square of the width of Student's t over that of the normal."""
    upper = (1 + confidence) / 2
    return (student_quantile(upper, max(2.0, freedom)) / normal_quantile(upper)) ** 2
