# SPDX-License-Identifier: GPL-3.0-or-later
"""The fitted clock, and the latency inside the target that it gives, against the truth."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.brackets import Brackets
from rig.analysis.clocks.clock import Clock
from rig.analysis.clocks.latency import (
    stimulus_to_handler,
)
from tests.analysis.clocks.simulated import PS_PER_S, simulate

CASES = {
    "drifting": {},
    "steady": {"drift_ppm_per_s": 0.0},
    "resonator": {"drift_ppm_per_s": 8.0, "bound_ppm_per_s": 10.0},
    "rare": {"interval_us": 200_000.0},
    "microcontroller": {"tick_hz": 16_000_000},
}


def fitted(seed, n, **how):
    truth = simulate(seed, n, **how)
    return truth, Clock(truth.brackets, bracket_test(truth.brackets, truth.rates))


def at_samples(truth, sample):
    """True time of a sample, in ps, which need not be whole."""
    fast = 1 + np.longdouble(truth.sample_skew_ppm) * 1e-6
    return np.asarray(sample, np.longdouble) / (truth.rates.sample_rate_hz * fast) * PS_PER_S


@pytest.mark.parametrize("how", CASES.values(), ids=CASES)
def test_bounds_hold_everywhere_and_are_narrow(how):
    truth, clock = fitted(11, 4000, **how)
    ends = truth.brackets.sample[[0, -1]] + np.array([-50_000, 50_000])
    sample = np.random.default_rng(1).permutation(np.linspace(*ends, 5000).astype(np.int64))
    got = clock.at(sample)
    true = (truth.ticks(at_samples(truth, sample)) - got.origin_ticks).astype(np.float64)
    assert (got.lowest_ticks <= true).all()
    assert (true <= got.highest_ticks).all()
    width_ns = (got.highest_ticks - got.lowest_ticks) * truth.rates.tick_ns
    if how != CASES["rare"]:  # there the drift may hide more than the brackets show
        assert np.median(width_ns) < 120
    assert np.abs(got.ticks - true).max() < width_ns.max() / truth.rates.tick_ns / 2


@pytest.mark.parametrize("drift_ppm_per_s", [10.0, -10.0])
def test_bounds_hold_far_outside_the_events_at_the_fastest_drift(drift_ppm_per_s):
    truth, clock = fitted(15, 1000, drift_ppm_per_s=drift_ppm_per_s, bound_ppm_per_s=10.0)
    away = np.array([-24_000_000 * 10, -24_000_000, 24_000_000, 24_000_000 * 10])
    sample = truth.brackets.sample[[0, 0, -1, -1]] + away
    got = clock.at(sample)
    true = (truth.ticks(at_samples(truth, sample)) - got.origin_ticks).astype(np.float64)
    assert (got.lowest_ticks <= true).all()
    assert (true <= got.highest_ticks).all()


@pytest.mark.parametrize("seed", range(5))
def test_rate_follows_the_drift(seed):
    truth, clock = fitted(seed, 50_000)
    inside = clock.knots_sample[1:-1]
    assert len(inside) > 30
    assert clock.rate_ppm(inside) == pytest.approx(truth.rate_ppm(inside), abs=0.01)


def test_named_events_do_not_bend_the_clock():
    truth = simulate(12, 4000)
    before, after = truth.brackets.before_ticks.copy(), truth.brackets.after_ticks.copy()
    before[2000] += 5000
    after[2000] += 5000
    lied = Brackets(truth.brackets.sample, before, after)
    test = bracket_test(lied, truth.rates)
    got = Clock(lied, test).at(lied.sample)
    true = (truth.ticks(at_samples(truth, lied.sample)) - got.origin_ticks).astype(np.float64)
    assert ((got.lowest_ticks <= true) & (true <= got.highest_ticks)).all()


def test_a_broken_run_has_no_clock():
    truth = simulate(13, 2000)
    before, after = truth.brackets.before_ticks.copy(), truth.brackets.after_ticks.copy()
    before[1000:] += 10**6
    after[1000:] += 10**6
    broken = Brackets(truth.brackets.sample, before, after)
    with pytest.raises(ValueError, match="no one clock"):
        Clock(broken, bracket_test(broken, truth.rates))


def test_latency_inside_the_target():
    """Stimulus edges some microseconds ahead of answers whose reading comes before the pin."""
    truth, clock = fitted(14, 5000)
    latency_ps = np.random.default_rng(2).integers(2_000_000, 30_000_000, 5000)
    stimulus_ps = truth.edge_ps - latency_ps
    fast = np.longdouble(truth.rates.sample_rate_hz) * (1 + truth.sample_skew_ppm * 1e-6)
    sample = np.ceil(stimulus_ps * (fast / PS_PER_S)).astype(np.int64)
    before = truth.brackets.before_ticks
    got = stimulus_to_handler(clock, sample, before)
    # Between the two true moments: the first tick of the reading, and its last.
    shortest = (before - truth.ticks(stimulus_ps)).astype(np.float64)
    assert (got.lowest_ns <= shortest).all()
    assert (shortest <= got.highest_ns).all()
    assert (got.highest_ns - got.lowest_ns).max() < 150
    assert np.abs(got.middle_ns - shortest).max() < 75
    assert "(5,000 events)" in got.text
