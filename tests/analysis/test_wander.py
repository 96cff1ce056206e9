# SPDX-License-Identifier: GPL-3.0-or-later
"""Allan deviations of clocks whose wander is known."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.brackets import Brackets, Rates
from rig.analysis.clocks.clock import Clock
from rig.analysis.measurements.clock_stability import FollowedClock, PlannedTimes, clock_stabilities
from rig.analysis.model.settings import ClockBounds
from tests.analysis.raw_runs import settings_of
from tests.analysis.test_bracketing import Bench
from tests.analysis.test_measurands import periods
from tests.analysis.test_periods import Truth, noise

RATE_HZ, CLOCK_HZ, TICK_HZ = 24_000_000, 16_000_000, 10**9
N, SPACING_S = 20_000, 0.001
SETTINGS = replace(settings_of("interrupt"), clocks=ClockBounds())


def at_times(drift: float, rate_hz: int, time_s: np.ndarray) -> np.ndarray:
    """What a clock shows that becomes faster by `drift` (relative) every second."""
    return time_s * rate_hz * (1 + drift * time_s / 2)


def stimulus_clock(drift: float) -> FollowedClock | None:
    """Edges leave the pin at whole ticks of a drifting clock; the analyzer's is true."""
    ticks = (np.arange(N) * SPACING_S * CLOCK_HZ).astype(np.int64) + np.arange(N) % 7
    shown = ticks / CLOCK_HZ
    time_s = shown - drift * shown**2 / 2  # to first order
    times = PlannedTimes()
    sample = np.ceil((time_s + 0.1) * RATE_HZ).astype(np.int64)
    for part in np.array_split(np.arange(N), 7):
        times.add(sample[part], ticks[part])
    return times.followed(SETTINGS)


def target_clock(drift: float) -> FollowedClock:
    time_s = 0.1 + np.arange(N) * SPACING_S + np.random.default_rng(1).uniform(0, 1e-4, N)
    edges = np.ceil(time_s * RATE_HZ).astype(np.int64)
    before = np.floor(at_times(drift, TICK_HZ, time_s)).astype(np.int64) - 20
    events = Brackets(edges, before, before + 60)
    clock = Clock(events, bracket_test(events, Rates(RATE_HZ, TICK_HZ)))
    return FollowedClock(clock, int(edges[0]), int(edges[-1]), N)


def test_a_steady_drift_shows_in_every_pair_as_it_must() -> None:
    """Of a drift D the Allan deviation is D tau / sqrt(2), whatever the averaging time."""
    target, stimulus = target_clock(4e-7), stimulus_clock(-3e-7)
    assert stimulus is not None
    found = {each.pair: each for each in clock_stabilities(target, stimulus, RATE_HZ)}
    for pair, drift in (
        ("target against analyzer", 4e-7),
        ("stimulus against analyzer", 3e-7),
        ("target against stimulus", 7e-7),
    ):
        each = found[pair]
        assert len(each.tau_s) == len(each.deviation) == len(each.floor) > 5
        longest = each.tau_s[-1]
        assert longest > 2
        expected = drift * longest / math.sqrt(2)
        assert expected > 4 * each.floor[-1]
        assert each.deviation[-1] == pytest.approx(expected, abs=each.floor[-1] / 2)


def test_perfect_clocks_stay_below_their_floor() -> None:
    stimulus = stimulus_clock(0.0)
    assert stimulus is not None
    for each in clock_stabilities(target_clock(0.0), stimulus, RATE_HZ):
        assert (np.array(each.deviation) <= np.array(each.floor)).all()


def test_a_short_run_has_none() -> None:
    times = PlannedTimes()
    times.add(np.arange(1, 5000) * 24_000, np.arange(1, 5000) * 16_000)
    assert times.followed(SETTINGS) is None
    assert PlannedTimes().followed(SETTINGS) is None
    assert clock_stabilities(None, None, RATE_HZ) == ()


def test_edges_behind_a_hole_do_not_count() -> None:
    sample, ticks = np.arange(1, N) * 24_000, np.arange(1, N) * 16_000
    whole, cut = PlannedTimes(), PlannedTimes(int(sample[12_000]) - 5000)
    broken = sample + np.where(np.arange(1, N) > 12_000, -5000, 0)
    whole.add(sample, ticks)
    cut.add(broken, ticks)
    found = cut.followed(SETTINGS)
    assert found is not None
    assert found.events == 12_000
    assert whole.followed(SETTINGS) is not None


def test_clocks_that_drift_faster_than_told_are_no_clocks() -> None:
    assert stimulus_clock(9e-6) is not None
    slow = replace(SETTINGS, clocks=ClockBounds(stimulus_ppm_per_s=0.01))
    times = PlannedTimes()
    shown = np.arange(N) * SPACING_S
    ticks = np.rint(shown * CLOCK_HZ).astype(np.int64)
    times.add(np.ceil((shown - 4.5e-6 * shown**2) * RATE_HZ).astype(np.int64) + 1, ticks)
    assert times.followed(slow) is None


@pytest.mark.parametrize(("n", "pairs"), [(3_000, 0), (15_000, 1)])
def test_a_run_long_enough_has_them(n: int, pairs: int) -> None:
    found = Bench(n=n, drift=0.0).evaluated()
    assert len(found.stability) == pairs
    if pairs:
        assert found.stability[0].pair == "target against analyzer"


def test_periods_have_them_too() -> None:
    truth = Truth(12_000, noise(12_000), ppm=30)
    found = periods(truth)
    assert [each.pair for each in found.stability] == ["target against analyzer"]
