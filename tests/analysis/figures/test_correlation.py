# SPDX-License-Identifier: GPL-3.0-or-later
"""Dependence against sums by hand and processes whose dependence is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from rig.analysis.statistics.correlation import (
    autocorrelation,
    autocovariance,
    integrated_time,
    portmanteau,
    ranks,
    whitened,
)
from tests.analysis.figures.drawn import autoregressive, within


@given(st.lists(st.lists(st.integers(-50, 50), min_size=4, max_size=30), min_size=1, max_size=3))
def test_autocovariance_is_the_average_product(stretches):
    arrays = [np.array(s, float) for s in stretches]
    average = np.concatenate(arrays).mean()
    got = autocovariance(arrays, 3)
    for lag in range(4):
        products = [
            (a - average) * (b - average)
            for s in arrays
            for a, b in zip(s[: len(s) - lag], s[lag:], strict=True)
        ]
        assert got[lag] == pytest.approx(np.mean(products), abs=1e-6)


@pytest.mark.parametrize("coefficient", [0.0, 0.3, 0.6, 0.9])
def test_time_of_an_autoregression(coefficient):
    rng = np.random.default_rng(1)
    series = autoregressive(rng, 200_000, coefficient)
    known = (1 + coefficient) / (1 - coefficient)
    assert integrated_time([series]).events == pytest.approx(known, rel=0.12)
    # The same from stretches of it, as a long run keeps them.
    pieces = np.split(series, 50)[::2]
    assert integrated_time(pieces).events == pytest.approx(known, rel=0.15)


def test_degrees_of_freedom_tell_how_far_the_estimate_scatters():
    """An estimated variance worth f degrees of freedom has a relative variance of 2 / f."""
    rng = np.random.default_rng(6)
    found = [integrated_time([autoregressive(rng, 2000, 0.7)]) for _ in range(200)]
    times = np.array([time.events for time in found])
    stated = 2 / np.mean([time.degrees_of_freedom for time in found])
    assert np.var(times) / np.mean(times) ** 2 == pytest.approx(stated, rel=0.6)


def test_alternating_values_do_not_count_for_more_than_they_are():
    assert integrated_time([np.tile([0.0, 1.0], 500)]).events == 1.0


def test_independence_is_rejected_as_often_as_stated():
    rng = np.random.default_rng(2)
    runs = 400
    hits = sum(portmanteau([rng.exponential(size=500)]) < 0.05 for _ in range(runs))
    assert within(hits, runs, 0.05)


def test_one_enormous_value_does_not_hide_dependence():
    series = autoregressive(np.random.default_rng(3), 1000, 0.4)
    series[500] = 1e6
    found = autocorrelation([series])
    assert abs(found.coefficients[0]) < found.band
    assert found.p_value < 1e-6


def test_coefficients_of_an_autoregression():
    found = autocorrelation([autoregressive(np.random.default_rng(4), 100_000, 0.5)])
    assert found.coefficients[:3] == pytest.approx([0.5, 0.25, 0.125], abs=0.02)
    assert found.band == pytest.approx(1.96 / np.sqrt(100_000), rel=1e-3)


@pytest.mark.parametrize("values", [[3.0] * 50, [1.0, 2.0]])
def test_nothing_can_depend_on_anything(values):
    assert integrated_time([np.array(values)]).events == 1.0


def test_whitening_takes_dependence_off():
    series = autoregressive(np.random.default_rng(5), 20_000, 0.9)
    assert portmanteau([series]) < 1e-6
    assert portmanteau([whitened(series)]) > 1e-3


@example([0, 1, 2, 1], 0, 0.5)  # halves in a narrow range
@given(
    st.lists(st.integers(-40, 40), min_size=1, max_size=200),
    st.sampled_from([0, 0.5, 1e9, 2.0**51, 2.0**53, 1e300]),
    st.sampled_from([1, 0.5, 3, 1e6, np.nan]),
)
def test_ranks_are_average_ranks(numbers, offset, scale):
    values = np.array(numbers) * scale + offset
    expected = stats.rankdata(values) - (len(values) + 1) / 2
    assert np.array_equal(ranks(values), expected, equal_nan=True)


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9), min_size=1, max_size=50))
def test_ranks_of_integers(numbers):
    values = np.array(numbers, np.int64)
    expected = stats.rankdata(values) - (len(values) + 1) / 2
    assert np.array_equal(ranks(values), expected)
