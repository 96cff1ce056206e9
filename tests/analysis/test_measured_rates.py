# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates of a bench's clocks, by runs whose clocks are off by what is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rig.analysis.measurements.measured_rates import hold_rate, trigger_rate
from rig.analysis.model.rate_search import RateSearch
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import SelfTriggers
from rig.analysis.uncertainty.clock_limits import STIMULUS, TIMER
from rig.stimulus.train import Polarity
from tests.analysis.raw_runs import settings_of

RATE_HZ, CLOCK_HZ = 24_000_000, 16_000_000
FIRST_TICKS = 16_000


def searching() -> Settings:
    search = RateSearch(FIRST_TICKS, 1600, 500, 1000, 160, 16_000, Polarity.POSITIVE)
    return replace(settings_of("interrupt"), measurement="saturation", source=search)


def hold(ppm: float, count: int = 500) -> np.ndarray:
    """Samples of edges of a stimulus whose clock runs too fast by this."""
    interval = FIRST_TICKS * RATE_HZ / CLOCK_HZ / (1 + ppm * 1e-6)
    return np.ceil(1000.3 + interval * np.arange(count)).astype(np.int64)


@pytest.mark.parametrize("ppm", [-200_000.0, -5000.0, 0.0, 300.0, 140_000.0])
def test_a_searchs_first_hold_tells_the_stimulus_clock(ppm: float) -> None:
    (rate,) = hold_rate(hold(ppm), searching())
    assert rate.clock == STIMULUS
    assert abs(rate.ppm - ppm) <= rate.within_ppm < 1
    # An edge that is missing ends what is looked at.
    edges = hold(ppm)
    (rate,) = hold_rate(np.delete(edges, 100), searching())
    assert abs(rate.ppm - ppm) <= rate.within_ppm < 2
    (short,) = hold_rate(edges[:101], searching())
    assert rate.within_ppm == pytest.approx(short.within_ppm, rel=0.02)


def test_two_edges_or_no_search_tell_nothing() -> None:
    assert hold_rate(hold(0.0, 2), searching()) == ()
    assert hold_rate(hold(0.0), settings_of("interrupt")) == ()


@pytest.mark.parametrize("ppm", [-900.0, 0.0, 50_000.0])
def test_triggers_of_the_target_tell_its_timer(ppm: float) -> None:
    period_ns, count = 1_000_000, 10_000
    settings = replace(settings_of("interrupt"), source=SelfTriggers(period_ns, count))
    span = round((count - 1) * period_ns * RATE_HZ / 1e9 / (1 + ppm * 1e-6))
    (rate,) = trigger_rate(span, count, settings)
    assert rate.clock == TIMER
    assert abs(rate.ppm - ppm) < 0.1
    assert rate.within_ppm == pytest.approx(2 / (count - 1) * 1e6, rel=0.06)
