# SPDX-License-Identifier: GPL-3.0-or-later
"""Live figures of a run of periods, and when it is over."""

from __future__ import annotations

import numpy as np

from rig.analysis.model.sources import Schedule
from rig.recording.by_target import PeriodsEnd
from rig.recording.periods import LivePeriods
from rig.streaming.histogram import BINS, bin_of
from tests.analysis.raw_runs import RATE_HZ, MemoryRun, settings_of, toggles

PERIOD = RATE_HZ // 100
SCHEDULE = Schedule(10_000_000, 50)


def live_of(samples: list[int], block_samples: int) -> LivePeriods:
    live = LivePeriods(settings_of("period", SCHEDULE), SCHEDULE)
    glitch = [(samples[0] + 5000, 1, 0), (samples[0] + 5002, 1, 1)]
    run = MemoryRun([*toggles(samples), *glitch], samples[-1] + PERIOD, block_samples=block_samples)
    for block in run.edge_blocks():
        live.add(block)
    return live


def test_answers_and_the_worst_interval_so_far() -> None:
    samples = [1000 + k * PERIOD for k in range(50)]
    samples[20] += 240  # 10 us late: one interval too long, the next too short
    for block in (1 << 40, PERIOD * 7, 1000):
        live = live_of(samples, block)
        assert (live.answers, live.last_sample) == (50, samples[-1])
        assert live.max_ns == 10_000
    assert live_of([1000], PERIOD).max_ns is None


def test_every_interval_is_in_the_histogram_and_the_worst_one_is_known() -> None:
    """Against the definition, whatever the blocks."""
    random = np.random.default_rng(5)
    samples = (1000 + PERIOD * np.arange(50) + random.integers(0, 900, 50)).tolist()
    errors = np.diff(samples) - PERIOD
    expected = np.bincount(bin_of(np.abs(errors)), minlength=BINS)
    worst = int(np.abs(errors).argmax())
    for block in (1 << 40, PERIOD * 7, 1000):
        live = live_of(samples, block)
        assert live.bins().tolist() == expected.tolist()
        assert live.worst == (worst + 1, samples[worst] + PERIOD)
        last = live.notable[-1]
        assert (last.event, last.response_sample) == (worst + 1, samples[worst + 1])
        off = [abs(each.response_sample - each.stimulus_sample) for each in live.notable]
        assert off == sorted(set(off))


def test_the_run_is_over_when_all_were_answered_and_the_timeout_has_passed() -> None:
    live = live_of([1000 + k * PERIOD for k in range(50)], 1 << 40)
    end = PeriodsEnd(SCHEDULE, RATE_HZ, 24_000, 0)
    assert not end.reached(live.answers, live.last_sample, live.last_sample + 23_999)
    assert end.reached(live.answers, live.last_sample, live.last_sample + 24_000)


def test_the_run_is_over_when_the_time_is() -> None:
    """51 periods and a thousandth, the timeout, and a second of grace."""
    live = live_of([1000 + k * PERIOD for k in range(49)], 1 << 40)
    end = PeriodsEnd(SCHEDULE, RATE_HZ, 24_000, 5_000_000)
    over = 5_000_000 + 51 * PERIOD * 1001 // 1000 + 24_000 + RATE_HZ
    assert not end.reached(live.answers, live.last_sample, over - 1)
    assert end.reached(live.answers, live.last_sample, over)
