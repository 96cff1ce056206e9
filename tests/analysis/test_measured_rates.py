# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates of a bench's clocks, by runs whose clocks are off by what is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.measurements.measured_rates import hold_rate, trigger_rate
from rig.analysis.model.rate_search import RateSearch
from rig.analysis.model.sources import SelfTriggers
from rig.analysis.uncertainty.clock_limits import STIMULUS, TIMER
from rig.stimulus.train import Polarity
from tests.analysis.raw_runs import settings_of

RATE_HZ, CLOCK_HZ = 24_000_000, 16_000_000
FIRST_TICKS = 16_000


SEARCH = RateSearch(FIRST_TICKS, 1600, 500, 1000, 160, 16_000, Polarity.POSITIVE)


def hold_rates(edges: np.ndarray) -> tuple[ClockRate, ...]:
    settings = replace(settings_of("interrupt"), measurement="saturation", source=SEARCH)
    return hold_rate(SEARCH, edges, settings)


def hold(ppm: float, count: int = 500) -> np.ndarray:
    """Samples of edges of a stimulus whose clock runs too fast by this."""
    interval = FIRST_TICKS * RATE_HZ / CLOCK_HZ / (1 + ppm * 1e-6)
    return np.ceil(1000.3 + interval * np.arange(count)).astype(np.int64)


@pytest.mark.parametrize("ppm", [-200_000.0, -5000.0, 0.0, 300.0, 140_000.0])
def test_a_searchs_first_hold_tells_the_stimulus_clock(ppm: float) -> None:
    (rate,) = hold_rates(hold(ppm))
    assert rate.clock == STIMULUS
    assert abs(rate.ppm - ppm) <= rate.within_ppm < 1
    # An edge that is missing ends what is looked at.
    edges = hold(ppm)
    (rate,) = hold_rates(np.delete(edges, 100))
    assert abs(rate.ppm - ppm) <= rate.within_ppm < 2
    (short,) = hold_rates(edges[:101])
    assert rate.within_ppm == pytest.approx(short.within_ppm, rel=0.02)


def test_two_edges_tell_nothing() -> None:
    assert hold_rates(hold(0.0, 2)) == ()


@pytest.mark.parametrize("ppm", [-900.0, 0.0, 50_000.0])
def test_triggers_of_the_target_tell_its_timer(ppm: float) -> None:
    period_ns, count = 1_000_000, 10_000
    triggers = SelfTriggers(period_ns, count)
    settings = replace(settings_of("interrupt"), source=triggers)
    span = round((count - 1) * period_ns * RATE_HZ / 1e9 / (1 + ppm * 1e-6))
    (rate,) = trigger_rate(triggers, span, count, settings)
    assert rate.clock == TIMER
    assert abs(rate.ppm - ppm) < 0.1
    assert rate.within_ppm == pytest.approx(2 / (count - 1) * 1e6, rel=0.06)
