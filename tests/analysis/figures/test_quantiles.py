# SPDX-License-Identifier: GPL-3.0-or-later
"""Distribution-free intervals against the binomial distribution, summed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.statistics.quantiles import (
    percentiles,
    quantile_interval,
    quantile_ranks,
)
from tests.analysis.figures.drawn import histogram_of


def chance(n, p, low, high):
    """Probability that more than `low` and at most `high` of n values lie up to the quantile."""
    terms = range(0 if low is None else low + 1, (n if high is None else high) + 1)
    return sum(math.comb(n, b) * p**b * (1 - p) ** (n - b) for b in terms)


@given(st.integers(1, 60), st.sampled_from([0.05, 0.25, 0.5, 0.9, 0.99]))
def test_no_pair_of_ranks_is_closer_and_as_sure(n, p):
    low, high = quantile_ranks(n, p)
    assert chance(n, p, low, high) >= 0.95 - 1e-12
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n) if chance(n, p, a, b) >= 0.95 + 1e-9]
    if low is not None and high is not None:
        assert high - low <= min((b - a for a, b in pairs), default=n)
    else:
        assert not pairs


@pytest.mark.parametrize("n", [1_000, 10**5, 10**8])
@pytest.mark.parametrize("p", [0.5, 0.99, 0.999])
def test_large_n_is_close_to_the_normal_approximation(n, p):
    low, high = quantile_ranks(n, p)
    width = 2 * 1.959964 * math.sqrt(n * p * (1 - p))
    if high is not None:
        assert high - low == pytest.approx(width, abs=3 + 0.02 * width)
        assert (low + high) / 2 == pytest.approx(n * p, abs=3 + 0.05 * width)


def test_an_end_that_n_does_not_bound_is_open():
    values = np.arange(100)
    assert quantile_interval(histogram_of(values), 0.99).high is None
    # 0.99^298 > 0.05 > 0.99^299: from 299 values on the highest bounds the percentile alone.
    assert quantile_ranks(298, 0.99)[1] is None
    assert quantile_interval(histogram_of(values), 0.01).low is None


def test_fewer_effective_values_give_a_wider_interval():
    histogram = histogram_of(np.arange(10_000))
    all_of_them = quantile_interval(histogram, 0.9)
    a_quarter = quantile_interval(histogram, 0.9, effective_n=2_500)
    ratio = (a_quarter.high - a_quarter.low) / (all_of_them.high - all_of_them.low)
    assert ratio == pytest.approx(2, rel=0.06)


@pytest.mark.parametrize(("n", "last"), [(9, None), (10, "90"), (99, "95"), (10**6, "99.9999")])
def test_the_table_goes_as_far_as_n_allows(n, last):
    rows = percentiles(histogram_of(np.arange(n)))
    assert (rows[-1].percent if rows else None) == last


@pytest.mark.parametrize(("n", "p", "words"), [(0, 0.5, "n is 0"), (5, 1.0, "p is 1; valid")])
def test_what_makes_no_sense_is_refused(n, p, words):
    with pytest.raises(ValueError, match=words):
        quantile_ranks(n, p)
