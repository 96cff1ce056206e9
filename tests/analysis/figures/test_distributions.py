# SPDX-License-Identifier: GPL-3.0-or-later
"""Distributions, ranks and slopes without scipy.stats, against it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rig.analysis.statistics.distributions import (
    binomial_quantile,
    binomial_up_to,
    chi_squared_above,
    normal_above,
    normal_quantile,
    student_quantile,
)
from rig.analysis.statistics.trend import falling_pairs, trend
from tests.analysis.figures.drawn import sequence_of

SHARES = st.floats(1e-9, 1 - 1e-9)


@given(SHARES, st.floats(1, 1e6), st.integers(1, 20), st.floats(-30, 30))
def test_continuous_distributions(share, freedom, lags, value):
    assert normal_quantile(share) == stats.norm.ppf(share)
    assert normal_above(value) == stats.norm.sf(value)
    assert student_quantile(share, freedom) == stats.t.ppf(share, freedom)
    assert chi_squared_above(abs(value), lags) == stats.chi2.sf(abs(value), lags)


@given(st.integers(1, 10**9), st.sampled_from([0.01, 0.5, 0.9, 0.999, 0.999999]), SHARES)
def test_the_binomial_distribution(n, p, share):
    quantile = int(binomial_quantile(np.array(share), n, p))
    assert quantile == stats.binom.ppf(share, n, p)
    count = np.array([-1, 0, quantile, n - 1, n])
    known = stats.binom.cdf(count, n, p)
    assert binomial_up_to(count, n, p) == pytest.approx(known, rel=1e-9, abs=1e-300)


@given(st.lists(st.integers(0, 40), min_size=1, max_size=60))
def test_falling_pairs_are_counted(ranks):
    pairs = [(a, b) for i, a in enumerate(ranks) for b in ranks[i + 1 :]]
    assert falling_pairs(np.array(ranks)) == sum(a > b for a, b in pairs)


@pytest.mark.parametrize("highest", [100, 65_536, 10**6])
def test_falling_pairs_of_many_values_are_kendalls(highest):
    values = np.random.default_rng(highest).integers(0, highest + 1, 70_000)
    values[0] = highest
    _, ties = np.unique(values, return_counts=True)
    pairs = len(values) * (len(values) - 1) / 2
    untied = pairs - float((ties * (ties - 1) / 2).sum())
    tau = stats.kendalltau(np.arange(len(values)), values, method="asymptotic").statistic
    score = untied - 2 * falling_pairs(values)
    assert score == pytest.approx(tau * np.sqrt(pairs * untied), rel=1e-9)


@pytest.mark.parametrize("highest", [3, 10**4])
@pytest.mark.parametrize("n", [10, 128, 1000])
def test_the_change_is_theils_and_sens(n, highest):
    values = np.random.default_rng(n).integers(0, highest, n)
    found = trend(sequence_of(values))
    groups = int(max(10, min(128, n / max(1.0, 2 * found.time_events))))
    length = n // groups
    averages = values[: groups * length].reshape(groups, length).mean(axis=1)
    known = stats.theilslopes(averages, np.arange(groups) * length, alpha=0.95)
    ends = np.array([known.slope, known.low_slope, known.high_slope]) * (n - 1)
    interval = found.interval
    assert [found.change, interval.low, interval.high] == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize(
    ("modules", "without"),
    [
        ("rig.session.results, rig.cli.analyze, rig.cli.show, rig.cli.table", "scipy.stats"),
        ("rig.session.results, rig.cli.analyze, rig.cli.show, rig.cli.table", "matplotlib"),
        ("rig.cli.run, rig.services.measure, rig.cli.verify, rig.virtual.__main__", "scipy"),
    ],
)
def test_no_command_waits_for_what_it_does_not_need(modules, without):
    """Figures are made without scipy.stats and matplotlib; measuring without all of scipy."""
    program = f"import sys, {modules}\nprint({without!r} in sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout == "False\n"
