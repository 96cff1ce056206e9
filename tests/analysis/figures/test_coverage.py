# SPDX-License-Identifier: GPL-3.0-or-later
"""Is the true value inside the stated 95 % intervals as often as stated? And does the tail refuse?

Seeds are fixed, and none of them was used to choose a constant. The short tests ask whether the
hits could be chance at 95 %, the long ones (marker `truth`) whether they are within 93 to 97 % of
2000 runs.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from rig.analysis.statistics.average import average_interval, effective_n
from rig.analysis.statistics.quantiles import quantile_interval
from rig.analysis.statistics.tail import tail
from tests.analysis.figures.drawn import (
    OFFSET,
    UNIT,
    autoregressive,
    histogram_of,
    sequence_of,
    whole,
    within,
)

RUNS = 2000
SHORT_RUNS = 500
N = 1000
TAIL_N = 2000
LONGER = {5000: 300, 20_000: 100}
"""Runs of each distribution, by events."""
REFUSED_RUNS = 400
DISTRIBUTIONS = {
    "exponential": stats.expon(),
    "gamma": stats.gamma(3),
    "bounded": stats.genpareto(-0.2),
    "lognormal": stats.lognorm(0.5),
}
PROCESSES = {
    **{name: (true, 0.0) for name, true in DISTRIBUTIONS.items()},
    "normal": (stats.norm(), 0.0),
    "autoregression": (stats.norm(), 0.5),
    "exponential autoregression": (stats.expon(), 0.5),
    "slow autoregression": (stats.norm(), 0.8),
}
"""Distribution of the values, and correlation of a normal value with the one before it, which the
values are made from."""
HEAVY = {"nearly heavy": stats.genpareto(0.1), "heavy": stats.genpareto(0.2)}


def process(name, rng, n):
    true, coefficient = PROCESSES[name]
    if not coefficient:
        return true.rvs(n, random_state=rng)
    return true.ppf(stats.norm.cdf(autoregressive(rng, n, coefficient)))


def intervals(values):
    """Of average, median and p99."""
    histogram, sequence = histogram_of(values), sequence_of(values)
    yield average_interval(sequence, values.mean(), values.std(ddof=1)).interval
    for p in (0.5, 0.99):
        level = float(histogram.quantile(Fraction(p)))
        yield quantile_interval(histogram, p, 0.95, effective_n(sequence, level))


def covered(name, runs, seed):
    """Runs whose interval holds the true value: average, median, p99."""
    rng = np.random.default_rng(seed)
    true = PROCESSES[name][0]
    truths = [t * UNIT + OFFSET for t in (true.mean(), true.median(), true.ppf(0.99))]
    hits = np.zeros(3, int)
    for _ in range(runs):
        found = intervals(whole(process(name, rng, N)))
        hits += [t in interval for t, interval in zip(truths, found, strict=True)]
    return hits


def tails(true, runs, seed, n=TAIL_N, spoiled=lambda _rng, values: values):
    """Runs not refused, and those of them whose interval holds the true level."""
    rng = np.random.default_rng(seed)
    probability = 0.1 / n
    level = true.isf(probability) * UNIT + OFFSET
    answered = hits = 0
    for _ in range(runs):
        values = whole(spoiled(rng, true.rvs(n, random_state=rng)))
        found = tail(histogram_of(values), sequence_of(values), probability)
        if not found.refused:
            answered += 1
            hits += level in found.interval
    return answered, hits


def drifting(_rng, values):
    """A trend of one deviation over the run."""
    return values + np.linspace(0, values.std(), len(values))


def of_two_kinds(rng, values):
    """One event in a hundred has ten times the scale."""
    return np.where(rng.random(len(values)) < 0.01, 10 * values, values)


# --- short --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["exponential", "normal", "autoregression"])
def test_intervals_hold_the_true_value(name):
    for hits in covered(name, SHORT_RUNS, seed=9001):
        assert within(hits, SHORT_RUNS, 0.95, 1e-3)


@pytest.mark.parametrize("name", ["exponential", "bounded"])
def test_the_tails_interval_holds_the_true_level(name):
    answered, hits = tails(DISTRIBUTIONS[name], 40, seed=9002)
    assert answered > 28
    assert within(hits, answered, 0.95, 1e-3)


@pytest.mark.parametrize("spoiled", [drifting, of_two_kinds])
@pytest.mark.parametrize("true", [DISTRIBUTIONS["exponential"], HEAVY["heavy"]])
def test_the_tail_refuses(true, spoiled):
    answered, _ = tails(true, 40, seed=9003, spoiled=spoiled)
    assert answered <= 4  # at 95 %, 2 are expected; 1e-2


# --- long ---------------------------------------------------------------------------------------


@pytest.mark.truth
@pytest.mark.parametrize("name", PROCESSES)
def test_intervals_hold_the_true_value_in_2000_runs(name):
    shares = covered(name, RUNS, seed=9014) / RUNS
    print(name, "average, median, p99:", shares)
    assert ((shares >= 0.93) & (shares <= 0.97)).all(), shares


@pytest.mark.truth
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_tails_interval_holds_the_true_level_in_2000_runs(name):
    answered, hits = tails(DISTRIBUTIONS[name], RUNS, seed=9005)
    print(name, "answered", answered / RUNS, "coverage", hits / answered)
    assert answered > RUNS * 0.7
    assert 0.93 <= hits / answered <= 0.97


@pytest.mark.truth
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("n", LONGER)
def test_longer_runs_are_answered_as_well(n):
    for name, true in DISTRIBUTIONS.items():
        answered, hits = tails(true, LONGER[n], seed=9006, n=n)
        print(name, n, "answered", answered / LONGER[n], "coverage", hits / answered)
        assert answered > LONGER[n] * 0.7
        assert within(hits, answered, 0.95, 1e-3)


@pytest.mark.truth
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", [*DISTRIBUTIONS, *HEAVY])
@pytest.mark.parametrize("spoiled", [drifting, of_two_kinds])
def test_the_tail_refuses_in_95_of_100_runs(name, spoiled):
    true = {**DISTRIBUTIONS, **HEAVY}[name]
    answered, _ = tails(true, REFUSED_RUNS, seed=9007, spoiled=spoiled)
    print(name, spoiled.__name__, "refused", 1 - answered / REFUSED_RUNS)
    assert answered <= 0.05 * REFUSED_RUNS
