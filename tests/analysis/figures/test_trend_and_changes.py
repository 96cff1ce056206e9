# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift and change points: found where they were put, and not more often than stated elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rig.analysis.statistics.changes import changes, strongest_change
from rig.analysis.statistics.trend import trend
from tests.analysis.figures.drawn import autoregressive, sequence_of, whole, within


def drawn(seed, n=1000):
    return np.random.default_rng(seed).exponential(size=n)


def test_the_p_value_is_kendalls_where_values_are_independent():
    values = np.random.default_rng(1).integers(0, 40, 500)  # many ties
    found = trend(sequence_of(values))
    known = stats.kendalltau(np.arange(500), values, method="asymptotic").pvalue
    z, z_known = stats.norm.isf(found.p_value / 2), stats.norm.isf(known / 2)
    assert z * np.sqrt(found.time_events) == pytest.approx(z_known, rel=1e-6)


@pytest.mark.parametrize("coefficient", [0.0, 0.7])
def test_no_trend_is_rejected_as_often_as_stated(coefficient):
    rng = np.random.default_rng(2)
    runs = 150
    values = (whole(autoregressive(rng, 1000, coefficient)) for _ in range(runs))
    hits = sum(trend(sequence_of(v)).p_value < 0.05 for v in values)
    assert within(hits, runs, 0.05, 1e-4)


def test_a_trend_of_one_deviation_is_found_and_measured():
    found = trend(sequence_of(whole(drawn(3) + np.linspace(0, 1, 1000))))
    assert found.p_value < 1e-6
    assert 1000 in found.interval
    assert found.interval.low > 0


def test_equal_values_have_no_trend_and_no_change():
    sequence = sequence_of(np.full(500, 7))
    assert trend(sequence).p_value == 1.0
    assert changes(sequence) == ()


def test_a_trend_shows_in_blocks_too():
    n = 200_000
    values = whole(drawn(4, n) + np.linspace(0, 0.1, n))
    found = trend(sequence_of(values, full_events=1 << 14, blocks=1 << 10))
    assert found.p_value < 1e-6
    assert found.change == pytest.approx(100, rel=0.25)


def test_levels_change_where_they_were_changed():
    values = drawn(5, 3000)
    values[1000:] += 1
    values[1800:] += 2
    found = changes(sequence_of(whole(values)))
    levels = [change for change in found if change.kind == "level"]
    assert [change.event for change in levels] == pytest.approx([1000, 1800], abs=15)
    assert levels[0].after - levels[0].before == pytest.approx(1000, abs=150)


def test_a_changed_spread_is_found():
    values = np.random.default_rng(6).normal(size=2000)
    values[1200:] *= 2
    (found,) = changes(sequence_of(whole(values)))
    assert (found.kind, found.event) == ("spread", pytest.approx(1200, abs=60))


@pytest.mark.parametrize("coefficient", [0.0, 0.6])
def test_changes_are_not_found_more_often_than_stated(coefficient):
    rng = np.random.default_rng(7)
    runs = 200
    p_values = [strongest_change(autoregressive(rng, 1000, coefficient))[1] for _ in range(runs)]
    hits = sum(p < 0.05 for p in p_values)
    assert stats.binomtest(hits, runs, 0.05, alternative="greater").pvalue > 1e-4


def test_few_values_say_nothing():
    sequence = sequence_of(np.arange(9))
    assert trend(sequence) is None
    assert changes(sequence) == ()
