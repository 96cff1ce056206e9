# SPDX-License-Identifier: GPL-3.0-or-later
"""When a run of interrupts that the target makes is over."""

from __future__ import annotations

from rig.analysis.model.sources import Schedule
from rig.recording.by_target import TriggersEnd
from tests.analysis.raw_runs import RATE_HZ

PERIOD = RATE_HZ // 100
TIMEOUT = 24_000
ARMED = 5_000_000
SILENCE = 2 * PERIOD + TIMEOUT + RATE_HZ


def end_of(count: int = 50) -> TriggersEnd:
    return TriggersEnd(Schedule(10_000_000, count), RATE_HZ, TIMEOUT, ARMED)


def test_all_seen_and_the_last_one_given_its_time() -> None:
    last = ARMED + 50 * PERIOD
    end = end_of()
    assert not end.reached(49, last - PERIOD, last - 1)
    assert not end.reached(50, last, last + TIMEOUT - 1)
    assert end.reached(50, last, last + TIMEOUT)


def test_edges_beyond_the_planned_do_not_put_it_off() -> None:
    last = ARMED + 50 * PERIOD
    end = end_of()
    assert not end.reached(50, last, last)
    assert end.reached(5000, last + TIMEOUT, last + TIMEOUT)


def test_a_pin_that_is_not_wired() -> None:
    end = end_of()
    assert not end.reached(0, 0, ARMED + SILENCE - 1)
    assert end.reached(0, 0, ARMED + SILENCE)


def test_a_target_that_leaves_periods_out_is_waited_for_until_it_is_silent() -> None:
    end = end_of()
    last = ARMED
    for seen in range(1, 50):
        last += SILENCE - 1
        assert not end.reached(seen, last, last)
    assert not end.reached(49, last, last + SILENCE - 1)
    assert end.reached(49, last, last + SILENCE)
