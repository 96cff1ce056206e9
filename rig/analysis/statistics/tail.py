# SPDX-License-Identifier: GPL-3.0-or-later
"""The tail beyond the observed values: an estimate under stated conditions, or a refusal.

Peaks over threshold: excesses over a high threshold are fitted by a generalized Pareto
distribution, and the level that an event exceeds with a given small probability follows from it
with its interval: Coles, "An Introduction to Statistical Modeling of Extreme Values" (2001),
chapter 4. That is no guarantee, and it means nothing unless events are independent, the run is
stationary, and the distribution fits; each is tested, and one test failed is enough to refuse.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import numpy.typing as npt

from rig.analysis.statistics import goodness, pareto
from rig.analysis.statistics.changes import changes
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.distributions import normal_above
from rig.analysis.statistics.interval import CONFIDENCE, Interval, check_share
from rig.analysis.statistics.sequence import EventSequence
from rig.analysis.statistics.trend import trend

FEWEST_EVENTS = 2000
"""With fewer events, a second kind of one in each hundred is too often taken for a heavy tail."""
EXCEEDANCES = 100
"""Values above the threshold. More would narrow the interval, but what lies deeper in the
distribution is no tail: the true level is then missed too often."""
COMMONEST = 25
"""Levels more frequent than this many in n are refused."""
BEYOND = 10
"""Levels rarer than one in this many times n are refused."""
FEWEST_DIFFERENT = 10
SHAPES = (-0.7, 0.5)
"""The likelihood's theory does not hold for tails that end more steeply; heavier ones have no
variance."""
LEVEL = 0.01
"""Significance at which trend, change points and dependence refuse."""
FIT_LEVEL = 0.05
MIXTURE_GAIN = 1.5
BODY_SHAPE = 0.15
"""Heaviest shape of the upper fifth: one event in a hundred of ten times the scale makes any
distribution heavier. One that is heavier by nature looks alike, and is refused with it."""
_BODY_SHARE = 5
_MOST_COMPARED = 1000
"""With more values the test would only show which is less wrong: one Pareto distribution or two
exponential ones."""
_LAGS = 10
_DEPENDENCE_SHARES = (5, 20)
_HIGHER_SHARES = (0.71, 0.5)
_FEWEST_EXCEEDANCES = 40


@dataclass(frozen=True)
class Condition:
    """One condition under which a tail may be estimated."""

    name: str
    passed: bool
    text: str


@dataclass(frozen=True)
class Tail:
    """An estimate of a level, in the unit of the values, or the reasons why there is none."""

    probability: float
    """An event exceeds the level with this probability."""
    tests: tuple[Condition, ...]
    threshold: float | None = None
    exceedances: int = 0
    shape: float | None = None
    scale: float | None = None
    level: float | None = None
    interval: Interval | None = None

    def scaled(self, factor: float) -> Self:
        """Return the tail in another unit; `factor` > 0."""
        threshold, scale, level = (
            None if value is None else value * factor
            for value in (self.threshold, self.scale, self.level)
        )
        interval = self.interval and self.interval.scaled(factor)
        return replace(self, threshold=threshold, scale=scale, level=level, interval=interval)

    @property
    def refused(self) -> str:
        """The failed tests in words; empty if there is an estimate."""
        return "; ".join(f"{t.name}: {t.text}" for t in self.tests if not t.passed)


def tail(
    histogram: ExactHistogram,
    sequence: EventSequence,
    probability: float,
    confidence: float = CONFIDENCE,
) -> Tail:
    """Return the level that an event exceeds with `probability`.

    The fit and its tests use the exact histogram; trend, changes and dependence the sequence.
    Raises ValueError unless 0 < probability, confidence < 1.
    """
    check_share("probability", probability)
    check_share("confidence", confidence)
    tests = list(_reach(histogram, probability))
    if not all(test.passed for test in tests):
        return Tail(probability, tuple(tests))
    tests += [
        *_stationary(sequence, confidence),
        _independent(histogram, sequence),
        *_body(histogram),
    ]
    excesses = _above(histogram, EXCEEDANCES)
    model = pareto.fit(excesses)
    tests += [_fits(excesses, model), stable(histogram, excesses, model), _regular(model)]
    if not all(test.passed for test in tests):
        return Tail(probability, tuple(tests))
    excess = pareto.return_excess(model, excesses.fraction, probability)
    low, high = pareto.return_interval(excesses, model, probability, confidence)
    t = excesses.threshold
    return Tail(
        probability,
        tuple(tests),
        t,
        excesses.count,
        model.shape,
        model.scale,
        t + excess,
        Interval(t + low, t + high, confidence),
    )


def _reach(histogram: ExactHistogram, probability: float) -> list[Condition]:
    """Check whether there are enough values for any tail, and for this level of it."""
    n = histogram.n
    enough = Condition("events", n >= FEWEST_EVENTS, f"{n:,}, at least {FEWEST_EVENTS:,} needed")
    if not enough.passed:
        return [enough]
    rarest, commonest = 1 / (BEYOND * n), COMMONEST / n
    text = f"{probability:.3g}, {n:,} events allow {rarest:.3g} to {commonest:.3g}"
    reach = Condition(
        "probability", rarest <= probability * (1 + 1e-9) and probability <= commonest, text
    )
    excesses = _above(histogram, EXCEEDANCES)
    different, count = len(excesses.low), excesses.count
    fine = different >= FEWEST_DIFFERENT and count >= _FEWEST_EXCEEDANCES
    few = f"the {count} highest values are {different} different ones, {FEWEST_DIFFERENT} needed"
    return [enough, reach, Condition("resolution", fine, few)]


def _stationary(sequence: EventSequence, confidence: float) -> list[Condition]:
    drift, found = trend(sequence, confidence), changes(sequence)
    p_value = 1.0 if drift is None else drift.p_value
    text = f"p = {p_value:.2g}, refused below {LEVEL:g}"
    where = ", ".join(f"{c.kind} at event {c.event:,}" for c in found[:3])
    return [
        Condition("trend", p_value >= LEVEL, text),
        Condition("change points", not found, where or "none"),
    ]


def _independent(histogram: ExactHistogram, sequence: EventSequence) -> Condition:
    """Check whether values above a threshold follow each other no more often than by chance."""
    p_values = []
    for share in _DEPENDENCE_SHARES:
        level = histogram.order_statistic(histogram.n - 1 - histogram.n // share)
        p_values.append(_clusters_p([s > level for s in sequence.stretches()]))
    p_value = min(1.0, len(p_values) * min(p_values))
    text = f"of the exceedances: p = {p_value:.2g}, refused below {LEVEL:g}"
    return Condition("independence", p_value >= LEVEL, text)


def _clusters_p(exceeds: list[npt.NDArray[np.bool_]]) -> float:
    """Return the p-value of more pairs of exceedances within _LAGS events than independent ones."""
    n = sum(len(e) for e in exceeds)
    share = sum(int(e.sum()) for e in exceeds) / n
    if not 0 < share < 1:
        return 1.0
    pairs = expected = 0.0
    for lag in range(1, _LAGS + 1):
        for e in exceeds:
            pairs += float(np.count_nonzero(e[lag:] & e[:-lag]))
            expected += (len(e) - lag) * share**2
    deviation = math.sqrt(expected) * (1 - share)
    return normal_above((pairs - expected) / deviation)


def _body(histogram: ExactHistogram) -> list[Condition]:
    """Check whether the upper fifth, far more values than the tail, is of one kind of event."""
    fifth = histogram.n // _BODY_SHARE
    gain = shape = 0.0
    excesses = _above(histogram, fifth)
    if len(excesses.low) > 2:
        shape = pareto.fit(excesses).shape
    compared = _above(histogram, min(fifth, _MOST_COMPARED))
    if len(compared.low) > 2:
        gain = goodness.mixture_gain(compared, pareto.fit(compared))
    gained = f"two kinds of events are likelier than one by {gain:.1f} in log-likelihood"
    heavy = f"shape {shape:.2f} above the 80 % quantile, at most {BODY_SHAPE:g}: a heavy tail, or"
    return [
        Condition(
            "one kind of event", gain <= MIXTURE_GAIN, gained + f", at most {MIXTURE_GAIN:g}"
        ),
        Condition("light body", shape <= BODY_SHAPE, heavy + " a second kind of event"),
    ]


def _fits(excesses: pareto.Excesses, model: pareto.Pareto) -> Condition:
    statistic = goodness.anderson_darling(excesses, model)
    p_value = goodness.anderson_darling_p(statistic, model.shape)
    text = f"Anderson-Darling {statistic:.2f}, p = {p_value:.2g}, refused below {FIT_LEVEL:g}"
    return Condition("fit", p_value >= FIT_LEVEL, text)


def stable(histogram: ExactHistogram, excesses: pareto.Excesses, model: pareto.Pareto) -> Condition:
    """Check whether the shape above higher thresholds is the same, but for the fewer values.

    Estimates from a part of the values differ by the difference of their variances; the shape's is
    (1 + shape)^2 / count for many values: Smith, "Maximum Likelihood Estimation in a Class of
    Nonregular Cases", Biometrika 72 (1985). For few it scatters more, hence simulated limits.
    """
    worst = 0.0
    for share in _HIGHER_SHARES:
        higher = _above(histogram, int(excesses.count * share))
        if len(higher.low) < 3:
            continue
        shape = pareto.fit(higher).shape
        variance = (1 + max(model.shape, -0.5)) ** 2 * (1 / higher.count - 1 / excesses.count)
        worst = max(worst, abs(shape - model.shape) / math.sqrt(variance))
    most = goodness.stable_limit(model.shape)
    text = f"shape changes by {worst:.1f} standard errors above higher thresholds"
    return Condition("stability", worst <= most, text + f", at most {most:.1f}")


def _regular(model: pareto.Pareto) -> Condition:
    text = f"shape {model.shape:.2f}, {SHAPES[0]:g} to {SHAPES[1]:g} allowed"
    return Condition("shape", SHAPES[0] <= model.shape <= SHAPES[1], text)


def _above(histogram: ExactHistogram, count: int) -> pareto.Excesses:
    return pareto.Excesses.above(histogram.values, histogram.counts, count)
