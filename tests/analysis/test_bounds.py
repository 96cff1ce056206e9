# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of every statistic against distributions whose true values are known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from rig.analysis.statistics.quantiles import quantile_ranks
from rig.analysis.uncertainty.bounds import (
    CoverageInterval,
    Undetermined,
    bounds,
    needed_n,
    worst_of,
)
from rig.analysis.uncertainty.contribution import calibrated, limits
from rig.analysis.uncertainty.effects import SystematicEffects, between_answers, of_latency
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.limit_names import STATISTICS

RATE_HZ = 24_000_000
SAMPLE_NS = 1e9 / RATE_HZ
LATENCY = stats.expon(8_000.0, 3_000.0)
"""In ns."""


def truth_of(statistic: str) -> float:
    """Of the distribution itself."""
    quantiles = {"median": 0.5, "quartile_1": 0.25, "quartile_3": 0.75}
    if statistic in quantiles:
        return float(LATENCY.ppf(quantiles[statistic]))
    if statistic.startswith("p9"):
        return float(LATENCY.ppf(float(statistic[1:].replace("_", ".", 1)) / 100))
    if statistic == "interquartile_range":
        return float(LATENCY.ppf(0.75) - LATENCY.ppf(0.25))
    if statistic == "median_absolute_deviation":
        # Of an exponential: sinh(m) = 1/2 in units of its scale.
        return 3_000.0 * math.asinh(0.5)
    return float({"average": LATENCY.mean, "deviation": LATENCY.std}[statistic]())


def measured(
    latency_ns: np.ndarray, bench: BenchErrorModel | None = None, seed: int = 0
) -> Measurand:
    """As an analyzer sees them: stimuli anywhere between two samples."""
    stimulus = np.arange(len(latency_ns)) * 1e6
    stimulus += np.random.default_rng(seed).uniform(0, 1000, len(stimulus))
    first, second = (
        np.ceil(time / SAMPLE_NS).astype(np.int64) for time in (stimulus, stimulus + latency_ns)
    )
    series = MeasurandSeries()
    series.add(second - first, first)
    return measurand("latency", series, RATE_HZ, of_latency(bench or known_bench()))


def known_bench() -> BenchErrorModel:
    """Nothing is added, and that is known."""
    nothing = calibrated(0.0, 0.0, "ns", "known")
    return BenchErrorModel(SAMPLE_NS, limits(0.0, "ppm", "known"), *[nothing] * 4)


SPREAD = ("average", "median", "quartile_1", "quartile_3", "p90", "p95", "p99", "deviation",
          "interquartile_range", "median_absolute_deviation")  # fmt: skip
RUNS, N = 60, 1000


def test_the_true_value_lies_within_the_bounds() -> None:
    """95 % are asked for; of 60 runs fewer than 52 have a chance below one in a thousand."""
    covered = dict.fromkeys(SPREAD, 0)
    for seed in range(RUNS):
        rng = np.random.default_rng([1, seed])
        found = measured(LATENCY.rvs(N, random_state=rng), seed=seed)
        for statistic in SPREAD:
            bound = bounds(found, statistic)
            assert isinstance(bound, CoverageInterval)
            assert bound.low is not None
            assert bound.high is not None
            covered[statistic] += bound.low <= truth_of(statistic) <= bound.high
    assert {name: n for name, n in covered.items() if n < 52} == {}


def test_bounds_are_no_wider_than_they_need_be() -> None:
    """Not more than twice the interval that the distribution itself would need, plus a sample."""
    found = measured(LATENCY.rvs(4000, random_state=np.random.default_rng(5)))
    for statistic, needs_ns in (
        ("average", 4 * 3_000 / math.sqrt(4000)),
        ("median", 4 * 3_000 / math.sqrt(4000)),
        ("deviation", 4 * 3_000 * math.sqrt(8 / 4 / 4000)),
        ("interquartile_range", 4 * 3_000 * 1.6 / math.sqrt(4000)),
        ("median_absolute_deviation", 4 * 3_000 * 0.8 / math.sqrt(4000)),
        ("gap", 0),
    ):
        bound = bounds(found, statistic)
        assert isinstance(bound, CoverageInterval)
        assert bound.high is not None
        assert bound.low is not None
        assert bound.high - bound.low < 2.5 * needs_ns + 4 * SAMPLE_NS, statistic


def test_extremes_and_gap_are_those_of_the_values_measured() -> None:
    latency = LATENCY.rvs(500, random_state=np.random.default_rng(9))
    found = measured(latency)
    true = {"min": latency.min(), "max": latency.max(), "gap": np.ptp(latency)}
    for statistic, value in true.items():
        bound = bounds(found, statistic)
        assert isinstance(bound, CoverageInterval)
        assert bound.low <= value <= bound.high


@pytest.mark.parametrize("statistic", STATISTICS)
def test_each_statistic_of_few_values_has_bounds_or_says_why_not(statistic: str) -> None:
    for n in (0, 1, 2, 7, 8, 20):
        found = bounds(measured(np.linspace(1e4, 2e4, n)), statistic)
        if isinstance(found, Undetermined):
            assert found.why
            assert n == 0 or found.needed is None or found.needed > n
        elif found.high is None:
            assert found.needed is not None
            assert found.needed > n


def test_a_percentile_that_n_does_not_allow_names_the_n_that_would() -> None:
    found = bounds(measured(np.linspace(1e4, 2e4, 50)), "p99_9")
    assert isinstance(found, Undetermined)
    assert found.needed is not None
    assert found.needed >= 2995
    for percent in ("90", "99", "99.9"):
        n, p = needed_n(percent), float(percent) / 100
        assert quantile_ranks(n, p)[1] is not None
        assert quantile_ranks(int(0.95 * n), p)[1] is None


def test_what_the_bench_adds_shifts_all_but_the_spread() -> None:
    latency = LATENCY.rvs(2000, random_state=np.random.default_rng(3))
    plain = measured(latency)
    shifted = measured(latency, replace(known_bench(), skew_ns=calibrated(500.0, 0.0, "ns", "x")))
    for statistic in STATISTICS:
        before, after = bounds(plain, statistic), bounds(shifted, statistic)
        if isinstance(before, Undetermined):
            assert isinstance(after, Undetermined)
            continue
        assert isinstance(after, CoverageInterval)
        spread = statistic in SPREAD[7:] or statistic in ("gap", "sample_deviation")
        assert before.value - after.value == pytest.approx(0 if spread else 500)


@pytest.mark.parametrize("statistic", ["median", "quartile_1", "p90", "p99", "max", "min"])
def test_what_is_not_known_of_the_bench_widens_both_ends(statistic: str) -> None:
    """U = 2 * 100 ns, far more than the resolution's."""
    latency = LATENCY.rvs(2000, random_state=np.random.default_rng(3))
    doubtful = replace(known_bench(), skew_ns=calibrated(0.0, 100.0, "ns", "x"))
    sure, doubt = (
        bounds(measured(latency), statistic),
        bounds(measured(latency, doubtful), statistic),
    )
    assert isinstance(sure, CoverageInterval)
    assert isinstance(doubt, CoverageInterval)
    for wider in (sure.low - doubt.low, doubt.high - sure.high):
        assert wider == pytest.approx(200, abs=2.1 * SAMPLE_NS)


def test_a_fast_clock_makes_every_time_shorter() -> None:
    latency = LATENCY.rvs(2000, random_state=np.random.default_rng(3))
    fast = measured(
        latency, replace(known_bench(), time_base_ppm=limits(0, "ppm", "", estimate=1e4))
    )
    plain = measured(latency)
    for statistic in STATISTICS:
        before, after = bounds(plain, statistic), bounds(fast, statistic)
        if isinstance(before, CoverageInterval):
            assert isinstance(after, CoverageInterval)
            assert after.value == pytest.approx(0.99 * before.value)


@pytest.mark.parametrize(
    ("low", "value", "high", "expected"),
    [
        (1.0, 2.0, 3.0, (1.0, 2.0, 3.0)),
        (-3.0, -2.0, -1.0, (1.0, 2.0, 3.0)),
        (-1.0, 0.5, 2.0, (0.0, 0.5, 2.0)),
        (None, -2.0, -1.0, (0.0, 2.0, None)),
    ],
)
def test_magnitudes(low, value, high, expected) -> None:
    found = CoverageInterval(value, low, high).magnitude()
    assert (found.low, found.value, found.high) == expected


def test_the_worst_of_both_ends() -> None:
    late, early = CoverageInterval(5.0, 4.0, 6.0), CoverageInterval(-7.0, -8.0, -6.0)
    assert worst_of(late, early) == CoverageInterval(7.0, 6.0, 8.0)
    assert worst_of(late, CoverageInterval(-1.0, -2.0, 0.0)) == late
    assert isinstance(worst_of(Undetermined("none"), early), Undetermined)


def test_effects_of_nothing_known_say_what_is_missing() -> None:
    found = measured(np.full(100, 1e4), BenchErrorModel(SAMPLE_NS))
    names = {each.name for each in found.budgets["max"].unknown}
    assert {"analyzer time base", "channel skew", "line delay"} <= names
    spread = found.effects.spread("gap", 0.0)
    assert {each.name for each in spread.unknown} == {"analyzer time base"}
    assert SystematicEffects(1.0).value("x", 5.0).is_whole


def test_a_least_value_of_zero_is_zero() -> None:
    series = MeasurandSeries()
    series.add(np.array([0, 5, 7]), np.arange(3) * 1000)
    found = bounds(measurand("latency", series, RATE_HZ, of_latency(known_bench())), "min")
    assert isinstance(found, CoverageInterval)
    assert found.value == 0.0


def test_values_that_depend_on_each_other_are_worth_fewer() -> None:
    """Blocks of ten equal values are worth a tenth of as many that are free."""
    chance = np.random.default_rng(3)
    free = chance.integers(0, 1000, 20_000)
    blocks = np.repeat(chance.integers(0, 1000, 2_000), 10)
    worth = []
    for values in (free, blocks):
        series = MeasurandSeries()
        series.add(values, np.arange(len(values)) * 1000)
        worth.append(measurand("latency", series, RATE_HZ, of_latency(known_bench())).effective_n)
    assert worth[0] == pytest.approx(20_000, rel=0.1)
    assert worth[1] == pytest.approx(2_000, rel=0.2)


@pytest.mark.parametrize("skew_ns", [-120.0, 30.0])
def test_the_skew_of_the_tasks_channel_is_taken_off(skew_ns: float) -> None:
    """An answer that the task's channel shows later is nearer in truth, by just that."""
    skew = calibrated(skew_ns, 4.0, "ns", "known")
    bench = replace(known_bench(), task_skew_ns=skew)
    budget = between_answers(bench).value("latency", 1000.0)
    assert budget.correction == pytest.approx(-skew_ns)
    without = between_answers(known_bench()).value("latency", 1000.0)
    expected = math.hypot(without.combined, skew.standard_uncertainty)
    assert budget.combined == pytest.approx(expected)


@pytest.mark.parametrize("statistic", ["gap", "deviation", "interquartile_range"])
def test_one_value_has_no_spread(statistic: str) -> None:
    told = bounds(measured(np.array([8_000.0])), statistic)
    assert isinstance(told, Undetermined)
    assert told.needed is not None
    assert told.needed > 1
