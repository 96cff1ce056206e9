# SPDX-License-Identifier: GPL-3.0-or-later
"""Stimuli are sorted into holds by the rests between them, wherever the stretches are cut."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.measurements.holds import HoldTally
from rig.analysis.model.events import EventClass
from rig.analysis.model.rate_search import RateSearch
from rig.analysis.pairing.pairing import Events
from rig.stimulus.train import Polarity

RATE_HZ, CLOCK_HZ = 24_000_000, 16_000_000
SEARCH = RateSearch(16_000, 400, 20, 20_000, 160, 8_000, Polarity.POSITIVE)
FIRST = SEARCH.first_ticks * RATE_HZ // CLOCK_HZ
"""Samples of the longest interval."""
LATENCY = 50


def events_of(stimulus: np.ndarray) -> Events:
    n = len(stimulus)
    none = np.empty(0, np.int64)
    kind = np.full(n, EventClass.ANSWERED, np.uint8)
    return Events(0, stimulus, stimulus + LATENCY, np.arange(n), kind, none, none.astype(np.uint8))


def tally_of(stimulus: np.ndarray, cuts: list[int], faster_ppm: float = 0.0) -> HoldTally:
    tally = HoldTally(SEARCH, RATE_HZ, CLOCK_HZ, faster_ppm)
    for part in np.split(stimulus, sorted(min(cut, len(stimulus)) for cut in cuts)):
        tally.add(events_of(part))
    tally.finish()
    return tally


@given(st.lists(st.integers(0, 60), max_size=5))
def test_holds_do_not_depend_on_where_the_stretches_are_cut(cuts: list[int]) -> None:
    hold = np.arange(SEARCH.count)
    stimulus = np.concatenate([hold * FIRST, 10**7 + hold * 12_000, 2 * 10**7 + hold[:7] * 900])
    tally = tally_of(stimulus, cuts)
    assert [hold.sent for hold in tally.holds] == [20, 20, 7]
    assert [hold.is_complete for hold in tally.holds] == [True, True, False]
    assert [hold.is_sustained for hold in tally.holds] == [True, True, False]
    assert [hold.rate_hz for hold in tally.holds] == pytest.approx([1_000, 2_000, RATE_HZ / 900])
    assert [hold.spacing_ns for hold in tally.holds] == pytest.approx([1e6, 5e5, 37_500])
    assert tally.holds[0].average_ns == pytest.approx(LATENCY * 1e9 / RATE_HZ)
    assert tally.uneven == []


@pytest.mark.parametrize("faster_ppm", [-50_000.0, 0.0, 50_000.0])
def test_a_rest_is_longer_than_two_of_the_longest_interval(faster_ppm: float) -> None:
    """A stimulus that the analyzer did not see, at the lowest rate, ends no hold."""
    first = FIRST / (1 + faster_ppm * 1e-6)
    begin = np.arange(10) * int(first)
    for rest, holds in ((1.99 * first, 1), (2.01 * first, 2)):
        stimulus = np.concatenate([begin, begin[-1] + int(rest) + begin])
        assert len(tally_of(stimulus, [], faster_ppm).holds) == holds


def test_a_stimulus_off_its_rate_is_named() -> None:
    """By more than two samples and a tick, which is one sample and a half: so 3 are within."""
    stimulus = np.arange(20) * 12_000
    for off, named in ((3, []), (4, [10 * 12_000 + 4, 11 * 12_000])):
        moved = stimulus.copy()
        moved[10] += off
        assert tally_of(moved, []).uneven == named
