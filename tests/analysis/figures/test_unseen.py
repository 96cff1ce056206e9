# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounds of rare probabilities against closed forms and scipy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rig.analysis.statistics.exceedance import (
    events_needed,
    seen_probability,
    unseen_probability,
)

shares = st.floats(1e-9, 0.999, exclude_min=True)


@given(st.integers(1, 10**12), st.floats(0.01, 0.9999))
def test_what_the_bound_means(n, confidence):
    bound = unseen_probability(n, confidence)
    assert (1 - bound) ** n == pytest.approx(1 - confidence, rel=1e-3) or n > 10**9
    assert bound == pytest.approx(1 - (1 - confidence) ** (1 / n), rel=1e-4, abs=1e-15)


@pytest.mark.parametrize("n", [100, 10_000, 10**8])
def test_the_rule_of_three(n):
    assert unseen_probability(n) < 3 / n
    assert unseen_probability(n) == pytest.approx(3 / n, rel=0.02)


@given(shares, st.floats(0.01, 0.9999))
def test_no_fewer_events_would_do(probability, confidence):
    n = events_needed(probability, confidence)
    assert unseen_probability(n, confidence) <= probability * (1 + 1e-12)
    assert n == 1 or unseen_probability(n - 1, confidence) > probability * (1 - 1e-12)


def test_known_counts():
    assert events_needed(1e-6) == 2_995_731
    assert events_needed(0.05) == 59  # the sample size of the smallest tolerance limit at 95/95
    assert events_needed(0.5, 0.5) == 1


@given(st.integers(1, 500), st.data())
def test_seen_against_scipy(n, data):
    seen = data.draw(st.integers(0, n))
    known = stats.binomtest(seen, n).proportion_ci(0.9, method="exact")
    assert seen_probability(seen, n, 0.9) == pytest.approx((known.low, known.high), abs=1e-9)


@pytest.mark.parametrize("probability", [0.0, 1.0, -1.0, float("nan"), 1e-17])
def test_what_makes_no_sense_is_refused(probability):
    with pytest.raises(ValueError, match="probability"):
        events_needed(probability)
