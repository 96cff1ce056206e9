# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency models against the distributions they claim, and clocks against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rig.config.virtual import (
    ConstantModel,
    GammaModel,
    LoadModel,
    MixtureModel,
    NormalModel,
    ReferenceModel,
)
from rig.errors import InputError
from rig.virtual.clock import Clock
from rig.virtual.models import build_model

US = 10**6
N = 20_000
P_LEAST = 1e-6
"""A fixed seed either fits its distribution or does not; this far out it does not."""


def draws(model, seed=1, n=N, step_ps=1000 * US):
    built = build_model(model, np.random.default_rng(seed))
    return np.array([built.draw(i * step_ps) for i in range(n)])


@pytest.mark.parametrize(
    ("model", "distribution"),
    [
        (GammaModel(3 * US, US // 2, 3.0), stats.gamma(3.0, 3 * US, US / 2)),
        (NormalModel(8 * US, US, 0), stats.norm(8 * US, US)),
        (NormalModel(5 * US, 2 * US, 4 * US), stats.truncnorm(-0.5, np.inf, 5 * US, 2 * US)),
    ],
)
def test_distribution(model, distribution):
    assert stats.kstest(draws(model), distribution.cdf).pvalue > P_LEAST
    # The test can fail: a shift of a twentieth of the deviation does.
    shifted = draws(model) + distribution.std() / 20
    assert stats.kstest(shifted, distribution.cdf).pvalue < P_LEAST


def test_constant():
    assert set(draws(ConstantModel(5 * US), n=100)) == {5 * US}


def test_mixture_has_its_share_of_outliers():
    values = draws(MixtureModel(6 * US, US // 10, 0, 0.05, 60 * US))
    body = 6 * US + US  # ten deviations above the mean
    share = stats.binomtest(int((values > body).sum()), N, 0.05 * 53 / 54)
    assert share.pvalue > P_LEAST
    assert 50 * US < values.max() <= 60 * US


def test_load_model_grows_with_the_rate():
    model = LoadModel(5 * US, US // 10, 0, 0.5, 2000 * US)
    slow, fast = draws(model, step_ps=5000 * US), draws(model, step_ps=500 * US)
    assert slow.mean() == pytest.approx(5 * US, rel=0.01)
    # Three earlier interrupts lie within the window at 500 us, the one at its border no more.
    assert fast[10:].mean() == pytest.approx(5 * US * (1 + 0.5 * 3), rel=0.01)


def test_published_row():
    """Table 7.9 of the reference: average 5.284, min 3.35, max 11.919, deviation 0.928 us."""
    values = draws(ReferenceModel("7.9/Linux 2.6.27/interrupt/ISR/cpu"))
    assert values.mean() == pytest.approx(5.284 * US, rel=0.01)
    assert values.std() == pytest.approx(0.928 * US, rel=0.03)
    assert values.min() >= 3.35 * US
    assert values.max() <= 11.919 * US


def test_unknown_row_shows_a_valid_one():
    with pytest.raises(InputError, match=r"no published row 'x/y'; valid: table/system.*\"6\.\d"):
        draws(ReferenceModel("x/y"), n=1)


def test_same_seed_same_values():
    model = GammaModel(3 * US, US // 2, 3.0)
    assert draws(model, n=50).tolist() == draws(model, n=50).tolist()
    assert draws(model, n=50).tolist() != draws(model, seed=2, n=50).tolist()


@given(st.integers(10**6, 10**10), st.integers(-(10**8), 10**8), st.integers(0, 10**16))
def test_clock_is_exact(rate_hz, error_ppb, time_ps):
    clock = Clock(rate_hz, error_ppb, start_ticks=5)
    exact = Fraction(time_ps * rate_hz * (10**9 + error_ppb), 10**21)
    assert clock.ticks(time_ps) == 5 + exact.__floor__()
    assert clock.ticks_at_or_after(time_ps) == 5 + exact.__ceil__()
    tick = clock.ticks_at_or_after(time_ps)
    assert clock.time_ps(tick) >= time_ps
    assert clock.ticks(clock.time_ps(tick)) == tick
