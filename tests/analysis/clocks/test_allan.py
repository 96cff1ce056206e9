# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlapping Allan deviation against its definition by frequencies, and noises of known law."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.clocks.allan import clock_phase, overlapping_adev
from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.clock import Clock
from tests.analysis.clocks.simulated import simulate


def by_definition(phase, interval, m):
    """Half the mean square of differences of adjacent mean frequencies, at every start."""
    frequency = np.diff(phase) / interval
    means = [frequency[i : i + m].mean() for i in range(len(frequency) - m + 1)]
    steps = [means[i + m] - means[i] for i in range(len(means) - m)]
    return np.sqrt(np.mean(np.square(steps)) / 2)


@given(
    st.lists(st.integers(-1000, 1000), min_size=3, max_size=40), st.sampled_from([0.1, 1.0, 7.0])
)
def test_definition(values, interval):
    phase = np.array(values, float)
    got = overlapping_adev(phase, interval)
    for tau, deviation, terms in zip(got.tau_s, got.deviation, got.terms, strict=True):
        m = round(tau / interval)
        assert deviation == pytest.approx(by_definition(phase, interval, m), rel=1e-9, abs=1e-9)
        assert terms == len(values) - 2 * m


def test_white_phase_noise_falls_with_tau():
    sigma = 20e-9
    phase = np.random.default_rng(5).normal(0, sigma, 100_000)
    got = overlapping_adev(phase, 1.0, [1, 10, 100])
    assert got.deviation == pytest.approx(np.sqrt(3) * sigma / got.tau_s, rel=0.03)


def test_white_frequency_noise_falls_with_the_root_of_tau():
    phase = np.cumsum(np.random.default_rng(6).normal(0, 1e-9, 100_000))
    got = overlapping_adev(phase, 1.0, [1, 10, 100])
    assert got.deviation == pytest.approx(1e-9 / np.sqrt(got.tau_s), rel=0.1)


def test_a_missing_phase_is_left_out():
    phase = np.arange(20.0) ** 2
    whole = overlapping_adev(phase, 1.0, [2])
    phase[7] = np.nan
    got = overlapping_adev(phase, 1.0, [2])
    assert got.deviation == pytest.approx(whole.deviation)  # a parabola is alike everywhere
    assert got.terms[0] == whole.terms[0] - 3


def test_of_a_fitted_clock():
    """The drift shows where it is above the floor that the bounds set."""
    truth = simulate(51, 30_000)
    clock = Clock(truth.brackets, bracket_test(truth.brackets, truth.rates))
    ends = truth.brackets.sample[[0, -1]].tolist()
    phase, error_s = clock_phase(clock, *ends, 0.1)
    got = overlapping_adev(phase, 0.1, phase_error_s=error_s)
    want = 0.1e-6 * got.tau_s / np.sqrt(2)
    assert (np.abs(got.deviation - want) <= got.floor).all()
    assert got.deviation[-1] == pytest.approx(want[-1], rel=0.02)
    assert got.floor[-1] < want[-1]


def test_the_phases_error_is_all_that_the_bounds_allow():
    """And no more: where the bounds are widest, the phase may be off by all of it."""
    truth = simulate(51, 3000)
    clock = Clock(truth.brackets, bracket_test(truth.brackets, truth.rates))
    first, last = truth.brackets.sample[[0, -1]].tolist()
    phase, error_s = clock_phase(clock, first, last, 0.1)
    sample = first + np.arange(len(phase)) * truth.rates.sample_rate_hz // 10
    read = clock.at(sample)
    off = (np.stack([read.lowest_ticks, read.highest_ticks]) - read.ticks) / truth.rates.tick_hz
    assert np.abs(off).max() == pytest.approx(error_s, rel=1e-6)
    time_s = (sample - first) / truth.rates.sample_rate_hz
    rate = (1 + truth.tick_skew_ppm * 1e-6) / (1 + truth.sample_skew_ppm * 1e-6) - 1
    drift = truth.drift_ppm_per_s * 1e-6
    begun_s = truth.edge_ps[0] * 1e-12
    true_s = time_s * rate + drift / 2 * ((begun_s + time_s) ** 2 - begun_s**2)
    assert (np.abs(phase - true_s) <= 2 * error_s + 1e-9).all()


@pytest.mark.parametrize("factors", [[0], [5], []])
def test_factors_that_do_not_fit(factors):
    with pytest.raises(ValueError, match="valid: 1 to 4"):
        overlapping_adev(np.zeros(10), 1.0, factors)


def test_too_few_phases():
    with pytest.raises(ValueError, match="at least three"):
        overlapping_adev(np.zeros(2), 1.0)
