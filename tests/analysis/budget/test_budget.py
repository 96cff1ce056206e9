# SPDX-License-Identifier: GPL-3.0-or-later
"""Uncertainty budgets against the GUM's own example, closed forms and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rig.analysis.statistics.descriptive import excess_kurtosis
from rig.analysis.uncertainty.budget import Budget, Judgment, coverage_factor, judge
from rig.analysis.uncertainty.contribution import (
    Contribution,
    Distribution,
    calibrated,
    limits,
    mean_of,
)
from rig.analysis.uncertainty.error_model import (
    BenchErrorModel,
    average_budget,
    edge_shape,
    extreme_budget,
    latency_budget,
    toggle,
)
from tests.analysis.budget.simulated import KINDS, coverage

EXACT = calibrated(0.0, 0.0, "ns", "made so")


def _gauge_block() -> Budget:
    """JCGM 100:2008, example H.1: a gauge block of 50 mm, all in nm (table H.1)."""
    length, expansion = 50e6, 11.5e-6
    lines = [
        ("standard", calibrated(0, 25, "nm", "certificate", degrees_of_freedom=18), 1.0),
        ("repeated observations", mean_of(13 * math.sqrt(5), 5, "nm", "pooled"), 1.0),
        ("comparator, random", calibrated(0, 3.9, "nm", "certificate", degrees_of_freedom=5), 1.0),
        ("comparator, systematic", calibrated(0, 6.7, "nm", "25 %", degrees_of_freedom=8), 1.0),
        ("expansion", calibrated(0, 0.58e-6, "1/K", "", degrees_of_freedom=50), 0.1 * length),
        ("temperature", calibrated(0, 0.029, "K", "", degrees_of_freedom=2), length * expansion),
    ]
    return Budget("length", 0.0, tuple(Contribution(*line) for line in lines), unit="nm")


def test_gum_example_h1():
    """The document's own figures: each u, u_c = 32 nm, 16 degrees of freedom."""
    budget = _gauge_block()
    # The GUM pools 25 observations for u(d) = 13 / sqrt(5) = 5.8 nm with 24 degrees of freedom.
    pooled = calibrated(0, 13 / math.sqrt(5), "nm", "pooled", degrees_of_freedom=24)
    second = Contribution("repeated observations", pooled)
    parts = (budget.contributions[0], second, *budget.contributions[2:])
    budget = Budget("length", 0.0, parts, unit="nm")
    found = [round(c.uncertainty, 1) for c in budget.contributions]
    assert found == [25.0, 5.8, 3.9, 6.7, 2.9, 16.7]
    assert round(budget.combined) == 32
    assert math.floor(budget.degrees_of_freedom) == 16
    # H.1.6 takes 99 %: t = 2.92, U = 93 nm. The same distribution at 95.45 %:
    assert stats.t.ppf(0.995, 16) == pytest.approx(2.92, abs=0.005)
    assert budget.coverage_factor == pytest.approx(stats.t.ppf(0.97725, 16), abs=1e-4)


@pytest.mark.parametrize(
    ("degrees", "k"),
    [(1, 13.97), (2, 4.53), (5, 2.65), (10, 2.28), (20, 2.13), (50, 2.05), (math.inf, 2.0)],
)
def test_coverage_factors_of_gum_table_g2(degrees, k):
    assert round(coverage_factor(degrees), 2) == k


def test_distributions_have_the_deviation_of_their_shape():
    rng = np.random.default_rng(1)
    one = rng.uniform(-3, 3, 400_000)
    two = rng.uniform(-1.5, 1.5, 400_000) + rng.uniform(-1.5, 1.5, 400_000)
    assert limits(3, "ns", "").standard_uncertainty == pytest.approx(one.std(), rel=0.01)
    triangle = limits(3, "ns", "", distribution=Distribution.TRIANGULAR)
    assert triangle.standard_uncertainty == pytest.approx(two.std(), rel=0.01)
    with pytest.raises(ValueError, match="valid: rectangular, triangular"):
        limits(3, "ns", "", distribution=Distribution.NORMAL)


@given(st.floats(0.1, 1000), st.floats(100, 1e9))
def test_two_edges_of_one_sample_each_are_triangular(sample_ns, latency_ns):
    budget = latency_budget("one", latency_ns, BenchErrorModel(sample_ns))
    assert budget.combined == pytest.approx(sample_ns / math.sqrt(6))
    assert not budget.is_whole
    assert {u.name for u in budget.unknown} >= {"analyzer time base", "agent's pin write"}
    assert all(u.remedy for u in budget.unknown)


def test_corrections_are_subtracted_and_their_uncertainty_is_kept():
    bench = BenchErrorModel(
        0.0,
        time_base_ppm=calibrated(20.0, 2.0, "ppm", "counter"),
        skew_ns=calibrated(3.0, 1.0, "ns", "both inputs on one wire"),
        edge_shape_ns=EXACT,
        line_ns=calibrated(5.0, 0.0, "ns", "1 m"),
        pin_write_delay=toggle(40.0, "log"),
    )
    budget = latency_budget("one", 1_000_000.0, bench)
    assert budget.corrected == pytest.approx(1_000_000 - 20 - 3 - 5 - 20)
    assert budget.combined == pytest.approx(math.sqrt(2**2 + 1**2 + 400 / 3))
    assert budget.is_whole
    assert budget.expanded == pytest.approx(2 * budget.combined)
    assert sum(budget.share(c) for c in budget.contributions) == pytest.approx(1)


def test_a_calibrated_bench_needs_no_parts_but_the_calibration():
    parts = {"time_base_ppm": limits(1, "ppm", ""), "pin_write_delay": EXACT}
    calibration = calibrated(12.0, 3.0, "ns", "loopback")
    whole = BenchErrorModel(0.0, calibration_ns=calibration, is_calibrated=True, **parts)
    budget = latency_budget("one", 1000.0, whole)
    assert budget.is_whole
    assert budget.corrected == 988.0
    names = [u.name for u in latency_budget("one", 1.0, BenchErrorModel(0.0, **parts)).unknown]
    assert names == ["channel skew", "threshold and edge shape", "line delay"]


@given(
    st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(0, 1e6), st.floats(1, 1e6)), min_size=1),
    st.floats(1e-3, 1e3),
)
def test_units_do_not_matter_and_more_never_helps(lines, factor):
    parts = tuple(
        Contribution(str(i), calibrated(0, u, "ns", "", degrees_of_freedom=nu), c)
        for i, (c, u, nu) in enumerate(lines)
    )
    budget, less = Budget("x", 1.0, parts), Budget("x", 1.0, parts[1:])
    assert budget.combined >= less.combined
    scaled = Budget("x", factor, tuple(part.scaled(factor) for part in parts))
    assert scaled.combined == pytest.approx(factor * budget.combined, rel=1e-9, abs=1e-300)
    finite = [c.quantity.degrees_of_freedom for c in parts if c.uncertainty]
    if finite and budget.combined > 1e-100:
        # G.4.1: never below the smallest, never above the sum.
        assert min(finite) * (1 - 1e-9) <= budget.degrees_of_freedom <= sum(finite) * (1 + 1e-9)


def test_average_of_one_value_has_no_repeatability():
    budget = average_budget(1000.0, 0.0, 1, BenchErrorModel(10.0))
    assert "repeatability" in {u.name for u in budget.unknown}


def test_quantization_is_in_the_scatter_once():
    bench = BenchErrorModel(10.0)
    spread = average_budget(1000.0, 50.0, 100, bench, coherence=0.0)
    assert spread.combined == pytest.approx(5.0)
    locked = average_budget(1000.0, 0.0, 100, bench, coherence=1.0)
    assert locked.combined == pytest.approx(10 / math.sqrt(6))


def test_crowded_extremes_get_the_whole_sample():
    bench = BenchErrorModel(10.0)
    assert extreme_budget("maximum", 1e3, bench, alone=True).combined == pytest.approx(
        10 / math.sqrt(6)
    )
    crowded = extreme_budget("maximum", 1e3, bench, alone=False)
    assert crowded.combined == pytest.approx(10 / math.sqrt(3))
    assert crowded.expanded > 10, "the error comes near one sample"


@pytest.mark.parametrize(
    ("corrected", "judgment"),
    [
        (89.9, Judgment.KEPT),
        (90.0, Judgment.KEPT),
        (90.1, Judgment.CANNOT_TELL),
        (110.0, Judgment.CANNOT_TELL),
        (110.1, Judgment.EXCEEDED),
    ],
)
def test_limits_are_judged_with_a_guard_band(corrected, judgment):
    part = Contribution("all", calibrated(0, 5, "ns", ""))
    assert judge(100.0, Budget("max", corrected, (part,))) is judgment


def test_edge_shape_of_straight_edges():
    """Thresholds at 30 to 50 % of edges with 8 and 16 ns from 10 to 90 %: 0.1 of the swing low."""
    quantity = edge_shape(8.0, 16.0, 0.3, 0.5)
    assert quantity.estimate == pytest.approx((16 - 8) / 0.8 * -0.1)
    assert quantity.standard_uncertainty == pytest.approx(
        math.hypot(10 * 0.1, 20 * 0.1) / math.sqrt(3)
    )
    with pytest.raises(ValueError, match="valid: 0 to 1"):
        edge_shape(8.0, 16.0, 0.7, 0.5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"standard_uncertainty": -1.0},
        {"standard_uncertainty": math.nan},
        {"estimate": math.inf},
        {"degrees_of_freedom": 0},
    ],
)
def test_what_is_no_uncertainty_is_refused(wrong):
    words = {"estimate": 0.0, "standard_uncertainty": 1.0, "unit": "ns", "source": "here"}
    with pytest.raises(ValueError, match="here"):
        calibrated(**{**words, **wrong})


def _covers(kind: str, runs: int, seed: int) -> None:
    """Not significantly below 95 % at a level of 0.1 %."""
    least = stats.binom.ppf(0.001, runs, 0.95)
    found = coverage(KINDS[kind], runs, seed)
    assert all(share * runs >= least for share in found.values()), found


@pytest.mark.parametrize("kind", KINDS)
def test_expanded_uncertainty_covers_the_true_error(kind):
    _covers(kind, 300, 11)


@pytest.mark.truth
@pytest.mark.parametrize("kind", KINDS)
def test_expanded_uncertainty_covers_the_true_error_of_20000_runs(kind):
    """So many tell 95 % from 94.55 %, which 2000 do not."""
    found = coverage(KINDS[kind], 20_000, 5)
    assert all(share >= 0.95 for share in found.values()), found


@pytest.mark.parametrize(
    ("draw", "kurtosis"),
    [
        (lambda rng, shape: rng.normal(0, 1, shape), 0.0),
        (lambda rng, shape: rng.gamma(3, 1, shape), 2.0),
        (lambda rng, shape: rng.exponential(1, shape), 6.0),
    ],
)
def test_degrees_of_freedom_say_how_well_the_deviation_is_known(draw, kurtosis):
    """Formula G.3 of the GUM: 2 / (relative variance of s^2), here of 20,000 samples."""
    n = 100
    variance = draw(np.random.default_rng(4), (20_000, n)).var(axis=1, ddof=1)
    seen = 2 * variance.mean() ** 2 / variance.var()
    stated = mean_of(1.0, n, "ns", "x", excess_kurtosis=kurtosis).degrees_of_freedom
    assert stated == pytest.approx(seen, rel=0.06)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60))
def test_kurtosis_of_counted_values_is_that_of_the_values(values):
    unique, counts = np.unique(values, return_counts=True)
    found = excess_kurtosis(unique, counts)
    if len(unique) == 1:
        assert found == 0.0
    else:
        assert found == pytest.approx(stats.kurtosis(values), abs=1e-9)


def test_a_budget_that_forgets_a_part_does_not_cover():
    """The test above would see it: with the skew taken for 0, coverage falls far below."""
    blind = KINDS["skew above all"]
    rng = np.random.default_rng(3)
    missed = 0
    for _ in range(200):
        error = rng.uniform(-blind.skew_ns, blind.skew_ns)
        missed += abs(error) > latency_budget("one", 1e3, BenchErrorModel(41.7)).expanded
    assert missed > 40
