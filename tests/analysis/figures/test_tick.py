# SPDX-License-Identifier: GPL-3.0-or-later
"""The target's tick: found at its rate, and not where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rig.analysis.statistics.tick import PHASES, tick_phase
from tests.analysis.figures.drawn import RATE_HZ, autoregressive


def events(rng, n):
    """Times of a uniformly random train, seconds, about a millisecond apart."""
    return np.cumsum(rng.uniform(0.2e-3, 1.8e-3, n))


def found(seconds, latency_us):
    samples = np.rint(np.asarray(latency_us) * RATE_HZ / 1e6).astype(np.int64)
    return tick_phase(np.rint(seconds * RATE_HZ).astype(np.int64), samples, RATE_HZ)


@pytest.mark.parametrize("rate_hz", [100, 250 * (1 + 80e-6), 300, 1000 * (1 - 45e-6), 137.3])
@pytest.mark.parametrize("share", [0.04, 0.5])
def test_a_tick_is_found_at_its_rate(rate_hz, share):
    """Answers that come later in a part of each tick, nominal rate or not."""
    rng = np.random.default_rng(1)
    seconds = events(rng, 10_000)
    disturbed = seconds * rate_hz % 1 < share
    tick = found(seconds, 50 + 5 * rng.normal(size=10_000) + 12 * disturbed)
    assert tick.refused == ""
    assert tick.p_value < 1e-6
    assert tick.rate_hz == pytest.approx(rate_hz, abs=0.1 / seconds[-1])
    assert sum(tick.phase_n) == tick.n == 10_000
    known = 144 * share * (1 - share) / (144 * share * (1 - share) + 25)
    assert 0.5 * known < tick.explained < 1.2 * known  # a phase bin holds more than the short part


@pytest.mark.parametrize("rate_hz", [62.5, 100])
def test_a_multiple_of_the_rate_is_not_taken_for_it(rate_hz):
    """So short a disturbance has as much power at many multiples, nominal rates among them."""
    rng = np.random.default_rng(5)
    seconds = events(rng, 10_000)
    disturbed = seconds * rate_hz % 1 < 0.01
    tick = found(seconds, 50 + rng.normal(size=10_000) + 60 * disturbed)
    assert tick.rate_hz == pytest.approx(rate_hz, abs=0.1 / seconds[-1])


def test_the_fold_shows_the_disturbed_phase():
    rng = np.random.default_rng(2)
    seconds = events(rng, 8_000)
    phase = (seconds - seconds[0]) * 250 % 1
    tick = found(seconds, 50 + rng.normal(size=8_000) + 10 * ((phase > 0.25) & (phase < 0.5)))
    average_us = np.array(tick.phase_average) / 24
    assert average_us[PHASES // 4 + 1 : PHASES // 2 - 1] == pytest.approx(60, abs=1)
    assert average_us[PHASES // 2 + 1 :] == pytest.approx(50, abs=1)
    assert max(tick.phase_max) == pytest.approx(24 * 63, abs=24 * 3)


@pytest.mark.parametrize("coefficient", [0.0, 0.9])
def test_no_tick_is_found_as_rarely_as_stated(coefficient):
    rng = np.random.default_rng(3)
    runs = 60
    latencies = (100 + autoregressive(rng, 1500, coefficient) for _ in range(runs))
    p_values = [found(events(rng, 1500), latency).p_value for latency in latencies]
    hits = sum(p < 0.05 for p in p_values)
    assert stats.binomtest(hits, runs, 0.05, alternative="greater").pvalue > 1e-3


def test_regular_stimuli_are_refused():
    tick = found(np.arange(3000) * 1e-3, 50 + np.random.default_rng(4).normal(size=3000))
    assert "regular intervals" in tick.refused
    assert tick.rate_hz is None


@pytest.mark.parametrize("period_us", [10_000, 1000, 400, 200, 125, 70, 50, 33.3, 31.25, 20])
def test_answers_on_a_regular_grid_are_refused(period_us):
    """A late answer is late in the grid's phase: that is no tick, at a harmonic or an alias."""
    rng = np.random.default_rng(6)
    n = 60_000
    latency_us = np.minimum(3 + rng.gamma(2.5, 2, n), period_us * 0.9)
    tick = found(np.arange(n) * period_us / 1e6 + latency_us / 1e6, latency_us)
    assert tick.rate_hz is None
    assert tick.refused


def test_a_burst_is_too_short():
    assert "needs 0.1 s" in found(np.arange(300) * 1e-4, np.arange(300.0)).refused


@pytest.mark.parametrize(("n", "words"), [(0, "0 events"), (199, "199 events"), (500, "equal")])
def test_nothing_to_look_at(n, words):
    tick = found(np.arange(n) * 1e-3, np.full(n, 50.0))
    assert words in tick.refused
