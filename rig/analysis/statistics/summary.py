# SPDX-License-Identifier: GPL-3.0-or-later
"""All figures of one measurement that go beyond the classic ones, in one call."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Self

from rig.analysis.statistics.average import (
    AverageInterval,
    average_interval,
    effective_n,
)
from rig.analysis.statistics.changes import Change, changes
from rig.analysis.statistics.correlation import Autocorrelation, autocorrelation
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.exceedance import unseen_probability
from rig.analysis.statistics.interval import CONFIDENCE, Interval
from rig.analysis.statistics.quantiles import (
    PERCENTS,
    Percentile,
    percentiles,
    quantile_interval,
)
from rig.analysis.statistics.sequence import EventSequence, made_once
from rig.analysis.statistics.steps import Steps, steps
from rig.analysis.statistics.tail import Tail, tail
from rig.analysis.statistics.tick import Tick, tick_phase
from rig.analysis.statistics.trend import Trend, trend

_MEDIAN = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class ObservedMaximum:
    """The highest of n values, and the bound of the probability of higher ones."""

    value: float
    n: int
    effective_n: float
    """The number of independent events that would say as much of rare ones."""
    exceedance_probability_bound: float
    """An event lies above the observed maximum with a probability below this."""
    confidence: float


@dataclass(frozen=True)
class InferenceSummary:
    """Inferences from n values of a measurand; docs/explanation/statistics.md defines each.

    Times are in `unit`. None: there are too few values for it.
    """

    average: AverageInterval | None
    median: Interval
    percentiles: tuple[Percentile, ...]
    maximum: ObservedMaximum
    autocorrelation: Autocorrelation
    trend: Trend | None
    changes: tuple[Change, ...]
    tick: Tick
    tail: Tail | None
    """None: it was not asked for."""
    exact: bool
    """False: what needs the order of events was made of summaries of it; the rest is exact."""
    steps: Steps = field(default_factory=Steps)
    """Modes of the distribution, and their common distance if there is one."""
    unit: str = ""
    """The unit of times: "ns", or "" while values are whole units of the measurand."""

    def in_ns(self, unit_ns: float) -> Self:
        """Return the summary in nanoseconds, of values that are whole units of `unit_ns`."""
        average, trend, tail = self.average, self.trend, self.tail
        return replace(
            self,
            unit="ns",
            average=average and replace(average, interval=average.interval.scaled(unit_ns)),
            median=self.median.scaled(unit_ns),
            percentiles=tuple(
                replace(each, value=each.value * unit_ns, interval=each.interval.scaled(unit_ns))
                for each in self.percentiles
            ),
            maximum=replace(self.maximum, value=self.maximum.value * unit_ns),
            trend=trend
            and replace(
                trend, change=trend.change * unit_ns, interval=trend.interval.scaled(unit_ns)
            ),
            changes=tuple(
                replace(each, before=each.before * unit_ns, after=each.after * unit_ns)
                for each in self.changes
            ),
            tick=replace(
                self.tick,
                phase_average=tuple(value * unit_ns for value in self.tick.phase_average),
                phase_max=tuple(value * unit_ns for value in self.tick.phase_max),
            ),
            tail=tail and tail.scaled(unit_ns),
            steps=self.steps.scaled(unit_ns),
        )


def summarize(
    histogram: ExactHistogram,
    sequence: EventSequence,
    sample_rate_hz: int,
    tail_probability: float | None = None,
    confidence: float = CONFIDENCE,
) -> InferenceSummary | None:
    """Return all inferences; None without values. Histogram and sequence must hold the same ones.

    Raises ValueError if they do not, or unless 0 < tail_probability, confidence < 1.
    """
    if histogram.n != sequence.n:
        raise ValueError(f"{histogram.n} values in the histogram, {sequence.n} in the sequence")
    if histogram.n == 0:
        return None
    thinning = _thinning(histogram, sequence, confidence)
    median = histogram.quantile(_MEDIAN)
    worth = effective_n(sequence, float(median), confidence)
    beyond = None
    if tail_probability is not None:
        beyond = tail(histogram, sequence, tail_probability, confidence)
    return InferenceSummary(
        average=_average(histogram, sequence, confidence),
        median=quantile_interval(histogram, 0.5, confidence, worth),
        percentiles=percentiles(histogram, confidence, thinning),
        maximum=_maximum(histogram, max(thinning.values(), default=1.0), confidence),
        autocorrelation=_autocorrelation(sequence),
        trend=trend(sequence, confidence),
        changes=changes(sequence),
        tick=_tick(sequence, sample_rate_hz),
        tail=beyond,
        exact=sequence.exact,
        steps=steps(histogram, confidence),
    )


@made_once
def _autocorrelation(sequence: EventSequence) -> Autocorrelation:
    return autocorrelation(sequence.stretches())


@made_once
def _tick(sequence: EventSequence, sample_rate_hz: int) -> Tick:
    values, times = sequence.events()
    return tick_phase(times, values, sample_rate_hz)


def _thinning(
    histogram: ExactHistogram, sequence: EventSequence, confidence: float
) -> dict[str, float]:
    """Return the number of events that count as one, for each percentile that n allows."""
    n = histogram.n
    shares = {percent: Fraction(percent) / 100 for percent in PERCENTS}
    return {
        percent: n / effective_n(sequence, float(histogram.quantile(p)), confidence)
        for percent, p in shares.items()
        if n * (1 - p) >= 1
    }


def _average(
    histogram: ExactHistogram, sequence: EventSequence, confidence: float
) -> AverageInterval | None:
    """Return the average's interval, from integer sums over the histogram."""
    n = histogram.n
    values = [int(v) for v in histogram.values]
    counts = [int(c) for c in histogram.counts]
    total = sum(v * c for v, c in zip(values, counts, strict=True))
    squares = sum(v * v * c for v, c in zip(values, counts, strict=True))
    deviation = math.sqrt(Fraction(n * squares - total * total, n * max(1, n - 1)))
    return average_interval(sequence, total / n, deviation, confidence)


def _maximum(histogram: ExactHistogram, thinning: float, confidence: float) -> ObservedMaximum:
    n = histogram.n
    worth = n / thinning
    beyond = unseen_probability(worth, confidence)
    return ObservedMaximum(int(histogram.values[-1]), n, worth, beyond, confidence)
