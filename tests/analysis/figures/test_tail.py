# SPDX-License-Identifier: GPL-3.0-or-later
"""The tail estimates what is known where it may, and refuses by the right name where it may not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rig.analysis.statistics.tail import tail
from tests.analysis.figures.drawn import (
    OFFSET,
    UNIT,
    autoregressive,
    histogram_of,
    sequence_of,
    whole,
)


def estimate(values, probability, **sizes):
    return tail(histogram_of(values), sequence_of(values, **sizes), probability)


def exponential(seed, n=5000):
    return np.random.default_rng(seed).exponential(size=n)


def failed(found):
    return {test.name for test in found.tests if not test.passed}


def test_the_level_of_an_exponential_tail():
    found = estimate(whole(exponential(1)), 1e-4)
    assert found.refused == ""
    assert -np.log(1e-4) * UNIT + OFFSET in found.interval
    assert found.interval.low < found.level < found.interval.high
    assert found.exceedances == 100
    assert found.shape == pytest.approx(0, abs=0.4)


def test_a_bounded_tail_ends():
    values = whole(stats.genpareto(-0.4).rvs(20_000, random_state=2))
    found = estimate(values, 1e-5)
    assert found.refused == ""
    assert found.shape < 0
    assert stats.genpareto(-0.4).isf(1e-5) * UNIT + OFFSET in found.interval


def test_a_trend_is_refused():
    found = estimate(whole(exponential(3) + np.linspace(0, 1, 5000)), 1e-4)
    assert {"trend", "change points"} <= failed(found)
    assert found.level is None
    assert "trend: p = " in found.refused


def test_a_second_kind_of_event_is_refused():
    rng = np.random.default_rng(4)
    values = exponential(4)
    values[rng.random(5000) < 0.01] *= 10
    assert "one kind of event" in failed(estimate(whole(values), 1e-4))


def test_a_heavy_body_is_refused():
    values = whole(stats.genpareto(0.3).rvs(5000, random_state=12))
    found = estimate(values, 1e-4)
    assert "light body" in failed(found)
    assert "a heavy tail, or a second kind of event" in found.refused


def test_a_cliff_is_refused():
    """All latencies up to the longest are as likely, and none is longer."""
    values = whole(stats.uniform().rvs(5000, random_state=13) * 10)
    assert "shape" in failed(estimate(values, 1e-4))


def test_exceedances_that_follow_each_other_are_refused():
    found = estimate(whole(autoregressive(np.random.default_rng(5), 5000, 0.6)), 1e-4)
    assert failed(found) == {"independence"}


def test_a_tail_that_is_no_pareto_tail_is_refused():
    """A shelf: the same highest latency again and again, as a timeout makes it."""
    rng = np.random.default_rng(6)
    values = exponential(6)
    values[rng.random(5000) < 0.02] = 8 + 0.2 * rng.random()
    assert failed(estimate(whole(values), 1e-4)) & {"fit", "resolution", "one kind of event"}


@pytest.mark.parametrize(
    ("values", "probability", "name"),
    [
        (whole(exponential(7, 1999)), 1e-3, "events"),
        (whole(exponential(8)), 1e-5, "probability"),
        (whole(exponential(8)), 0.5, "probability"),
        (np.rint(exponential(9)).astype(np.int64), 1e-4, "resolution"),
        (np.full(5000, 3), 1e-4, "resolution"),
        (np.empty(0, np.int64), 1e-4, "events"),
    ],
)
def test_what_cannot_be_answered_is_refused(values, probability, name):
    found = estimate(values, probability)
    assert failed(found) == {name}
    assert found.interval is None


def test_coarse_samples_are_no_obstacle():
    """A tail of some tens of samples, ties everywhere."""
    values = np.rint(exponential(10, 20_000) * 12).astype(np.int64)
    found = estimate(values, 1e-5)
    assert found.refused == ""
    assert -np.log(1e-5) * 12 in found.interval


def test_summaries_of_a_long_run_refuse_as_well():
    sizes = {"full_events": 1 << 14, "blocks": 1 << 10}
    values = exponential(11, 60_000)
    assert estimate(whole(values), 1e-5, **sizes).refused == ""
    drifting = values + np.linspace(0, 1, 60_000)
    assert "trend" in failed(estimate(whole(drifting), 1e-5, **sizes))


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_what_makes_no_sense_is_an_error(probability):
    with pytest.raises(ValueError, match="probability is"):
        estimate(whole(exponential(1)), probability)
