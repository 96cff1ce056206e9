# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between runs: against scipy, and their intervals against simulation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.uncertainty.difference import Sample, average_difference, quantile_difference

GHZ = 10**9  # one sample is one nanosecond
MEDIAN, P99 = Fraction(1, 2), Fraction(99, 100)


def sample(values, rate_hz=GHZ):
    histogram = ExactHistogram()
    histogram.add(np.asarray(values, np.int64))
    return Sample(histogram, rate_hz)


def drawn(rng, n, shift=0):
    return (3000 + shift + rng.gamma(3.0, 500.0, n)).astype(np.int64)


def test_welch_as_scipy_has_it():
    rng = np.random.default_rng(1)
    first, second = drawn(rng, 200), drawn(rng, 3000, 100)
    found = average_difference(sample(first), sample(second))
    expected = stats.ttest_ind(second, first, equal_var=False).confidence_interval(0.95)
    assert found.value_ns == pytest.approx(second.mean() - first.mean())
    assert (found.low_ns, found.high_ns) == pytest.approx((expected.low, expected.high))


def test_rates_may_differ():
    found = average_difference(sample([10, 12]), sample([5, 6], GHZ // 2))
    assert found.value_ns == 0.0


def test_little_data_give_no_interval():
    assert average_difference(sample([]), sample([1])) is None
    assert quantile_difference(sample([1]), sample([]), MEDIAN) is None
    assert average_difference(sample([1]), sample([4])).low_ns is None
    few = quantile_difference(sample(range(500)), sample(range(10, 510)), P99)
    assert (few.value_ns, few.low_ns, few.is_clear) == (10.0, None, False)


def test_the_same_runs_give_the_same_interval():
    rng = np.random.default_rng(2)
    pair = sample(drawn(rng, 2000)), sample(drawn(rng, 2000, 300))
    found = quantile_difference(*pair, MEDIAN)
    assert found == quantile_difference(*pair, MEDIAN)
    assert found.is_clear
    assert not quantile_difference(pair[0], pair[0], MEDIAN).is_clear


def test_a_constant_latency_is_known_to_a_sample():
    one, other = sample([100] * 50, 10**8), sample([103] * 50, 10**8)
    found = quantile_difference(one, other, MEDIAN)
    assert (found.value_ns, found.is_clear) == (30.0, True)
    assert found.high_ns - found.low_ns == pytest.approx(2 * 10 / np.sqrt(2))
    assert average_difference(one, other).value_ns == 30.0


@pytest.mark.parametrize("p", [None, MEDIAN, P99], ids=["average", "median", "p99"])
def test_intervals_hold_the_true_difference(p):
    """In 95 % of 300 pairs of runs, within what chance allows at a level of 0.1 %."""
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(300):
        pair = sample(drawn(rng, 1500)), sample(drawn(rng, 3000, 77))
        found = average_difference(*pair) if p is None else quantile_difference(*pair, p)
        held += found.low_ns <= 77 <= found.high_ns
    low, high = stats.binom.ppf([0.001, 0.999], 300, 0.95)
    assert low <= held <= high
