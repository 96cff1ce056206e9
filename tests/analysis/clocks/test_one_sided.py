# SPDX-License-Identifier: GPL-3.0-or-later
"""Stamps that are late by any amount but never early: the line runs below, whatever the load."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from rig.analysis.clocks.allan import overlapping_adev
from rig.analysis.clocks.one_sided import envelope_phase, support_line
from tests.analysis.clocks.simulated import PS_PER_S, simulate


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(-50, 50)), min_size=2, max_size=20),
)
def test_sum_of_distances_is_the_linear_programs(steps):
    sample = np.cumsum([dx for dx, _ in steps])
    stamp = 2 * sample + [y for _, y in steps]
    line = support_line(sample, stamp)
    distance = stamp - (line.ticks + line.ticks_per_sample * (sample - line.sample))
    assert distance.min() == pytest.approx(0, abs=1e-9)
    assert distance[list(line.touching)] == pytest.approx([0, 0], abs=1e-9)
    assert line.latest_ticks == pytest.approx(distance.max(), abs=1e-9)
    rows = np.column_stack([np.ones(len(sample)), sample])
    best = linprog(-rows.sum(0), rows, stamp, bounds=[(None, None)] * 2)
    assert distance.sum() == pytest.approx(stamp.sum() + best.fun, abs=1e-6)


def late(seed, n, **how):
    """A log's `after` stamps, all late and a tenth of them very late, more so toward the end."""
    truth = simulate(seed, n, **how)
    rng = np.random.default_rng(seed)
    hit = rng.random(n) < np.linspace(0, 0.2, n)
    more = np.where(hit, rng.pareto(1.1, n).clip(0, 1e4) * 1e5, 0)
    return truth, truth.brackets.after_ticks + more.astype(np.int64)


def test_rate_where_least_squares_go_wrong():
    truth, stamp = late(41, 20_000, drift_ppm_per_s=0)
    sample = truth.brackets.sample
    line = support_line(sample, stamp)
    true = float(truth.rate_ppm(0))
    assert truth.rates.ppm(line.ticks_per_sample) == pytest.approx(true, abs=0.01)
    squares = np.polyfit(sample - sample[0], stamp - stamp[0], 1)[0]
    assert abs(truth.rates.ppm(squares) - true) > 1


def test_phase_follows_the_envelope():
    truth, stamp = late(42, 20_000, drift_ppm_per_s=0.1)
    phase = envelope_phase(truth.brackets.sample, stamp, truth.rates, 0.1)
    inside = phase[np.isfinite(phase)]
    assert len(inside) > 0.9 * len(phase) > 150
    first = truth.brackets.sample[0]
    middle = first + (np.arange(len(phase)) + 0.5) * 0.1 * truth.rates.sample_rate_hz
    fast = 1 + truth.sample_skew_ppm * 1e-6
    time_ps = middle / (truth.rates.sample_rate_hz * fast) * PS_PER_S
    true = (truth.ticks(time_ps) - stamp[0]).astype(np.float64) / truth.rates.tick_hz
    true -= (middle - first) / truth.rates.sample_rate_hz
    off = (phase - true)[np.isfinite(phase)]
    assert off.min() > -30e-9
    assert off.max() < 100e-9
    # Linear drift D gives D tau / sqrt(2) (NIST SP 1065, table of conversions).
    got = overlapping_adev(phase, 0.1, [32])
    assert got.deviation[0] == pytest.approx(0.1e-6 * 3.2 / np.sqrt(2), rel=0.1)


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(ValueError, match="at least two"):
        support_line(np.array([1]), np.array([1]))
    with pytest.raises(ValueError, match="rising"):
        support_line(np.array([1, 1]), np.array([1, 2]))
