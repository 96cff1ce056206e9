# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact statistics against numpy and the standard library."""

from __future__ import annotations

import statistics as stdlib
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from rig.analysis.statistics.descriptive import (
    DescriptiveStatistics,
    ExactHistogram,
    as_dict,
    median_absolute_deviation,
    statistics,
)

GHZ = 10**9  # one sample is one nanosecond


@given(
    st.lists(st.integers(0, 10**7), min_size=1, max_size=300),
    st.lists(st.integers(0, 300), max_size=4),
)
def test_against_numpy(values, cuts):
    histogram = ExactHistogram()
    for piece in np.split(np.array(values), sorted(cuts)):
        histogram.add(piece)
    got = statistics(histogram, GHZ)
    q1, median, q3, p99, p999 = np.percentile(values, [25, 50, 75, 99, 99.9])
    assert (got.n, got.min_ns, got.max_ns) == (len(values), min(values), max(values))
    assert got.gap_ns == max(values) - min(values)
    assert got.average_ns == pytest.approx(stdlib.fmean(values), rel=1e-12)
    assert got.deviation_ns == pytest.approx(stdlib.pstdev(values), rel=1e-9, abs=1e-6)
    assert got.median_ns == pytest.approx(median, rel=1e-12)
    assert got.interquartile_range_ns == pytest.approx(q3 - q1, rel=1e-9, abs=1e-6)
    assert (got.p99_ns, got.p99_9_ns) == (
        pytest.approx(p99, rel=1e-9),
        pytest.approx(p999, rel=1e-9),
    )


@given(st.lists(st.integers(0, 10**7), min_size=2, max_size=300))
def test_spread_against_the_standard_library_and_scipy(values):
    histogram = ExactHistogram()
    histogram.add(np.array(values))
    got = statistics(histogram, GHZ)
    assert got.sample_deviation_ns == pytest.approx(stdlib.stdev(values), rel=1e-9, abs=1e-6)
    mad = scipy_stats.median_abs_deviation(values)
    assert got.median_absolute_deviation_ns == pytest.approx(mad, rel=1e-12)


@pytest.mark.parametrize(
    ("n", "given", "not_given"),
    [
        (9, (), ("p90", "p95", "p99_99", "p99_999", "p99_9999")),
        (20, ("p90", "p95"), ("p99_99", "p99_999", "p99_9999")),
        (99_999, ("p90", "p95", "p99_99"), ("p99_999", "p99_9999")),
        (1_000_000, ("p90", "p95", "p99_99", "p99_999", "p99_9999"), ()),
    ],
)
def test_percentiles_go_as_far_as_n_allows(n, given, not_given):
    values = np.random.default_rng(n).integers(0, 50_000, n)
    histogram = ExactHistogram()
    histogram.add(values)
    got = as_dict(statistics(histogram, GHZ))
    for name in given:
        percent = float(name[1:].replace("_", "."))
        assert got[f"{name}_ns"] == pytest.approx(np.percentile(values, percent), rel=1e-9)
    assert [got[f"{name}_ns"] for name in not_given] == [None] * len(not_given)


@example([2**62, 2**62 + 8, 2**63 - 1])  # twice one of them has more than 64 bits
@example([-(2**63), -(2**62) - 8, -(2**62) - 1])
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20))
def test_median_absolute_deviation_of_any_integers(values):
    """A damaged log holds any 64 bits."""
    histogram = ExactHistogram()
    histogram.add(np.array(values))
    whole = [Fraction(value) for value in values]
    middle = stdlib.median(whole)
    expected = stdlib.median([abs(value - middle) for value in whole])
    assert median_absolute_deviation(histogram) == expected


def test_one_value_has_no_sample_deviation():
    histogram = ExactHistogram()
    histogram.add(np.array([5]))
    got = statistics(histogram, GHZ)
    assert (got.deviation_ns, got.sample_deviation_ns) == (0.0, None)
    assert got.median_absolute_deviation_ns == 0.0


@given(st.permutations(list(range(0, 3000, 7))))
def test_order_and_pieces_do_not_matter(values):
    first, second = ExactHistogram(), ExactHistogram()
    first.add(np.array(values))
    for value in values:
        second.add(np.array([value]))
    assert statistics(first, 24_000_000) == statistics(second, 24_000_000)


def test_nothing_counted():
    assert statistics(ExactHistogram(), GHZ) == DescriptiveStatistics(0)
    assert statistics(ExactHistogram(), GHZ).max_ns is None


def test_scale_is_exact_for_a_rate_that_is_no_round_period():
    histogram = ExactHistogram()
    histogram.add(np.array([24, 48]))
    got = statistics(histogram, 24_000_000)
    assert (got.min_ns, got.max_ns, got.average_ns) == (1000.0, 2000.0, 1500.0)
