# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers decided ahead against the same answers, handed over one by one at each stimulus edge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rig.virtual.clock import VirtualClock
from rig.virtual.emulator import Emulator, StopReason
from rig.virtual.wired_target import AnswersAhead
from tests.chip import CLOCK_HZ

from .port import open_port

Start = Callable[[str], Emulator]

PPB = 10**9
APART_PS = 30_000_000
"""Of train.c's intervals one is shorter than this and another only a little longer."""
UNTIL = 2_000_000


def answers_of(latencies: list[int], free_ps: int = 0, *, rising: bool = True) -> AnswersAhead:
    return AnswersAhead(np.array(latencies, np.int64), free_ps, APART_PS, rising, 1)


def one_by_one(
    emulator: Emulator, latencies: list[int], clock: VirtualClock, *, rising: bool = True
) -> tuple[list[tuple[int, int]], list[int]]:
    """Stimulus edges, and times of the answers as this computes them."""
    edges, times, inputs, free_ps, cycle, level = [], [], [], 0, 0, 0
    left = list(latencies)
    while cycle < UNTIL:
        report = emulator.run(UNTIL, inputs=inputs, stop_rising=rising, stop_falling=not rising)
        inputs, cycle = [], report.cycle
        edges += report.edges
        if report.edges and report.edges[-1][1] == rising and left:
            time_ps = max(clock.time_ps(report.edges[-1][0]) + left.pop(0), free_ps)
            times.append(time_ps)
            free_ps = time_ps + APART_PS
            level ^= 1
            inputs.append((clock.ticks_at_or_after(time_ps), 0, level))
    return edges, times


@pytest.mark.parametrize("error_ppb", [0, 38_000, -100_000_000])
@pytest.mark.parametrize("rising", [True, False])
def test_they_are_those_that_the_partner_would_have_made(
    start: Start, error_ppb: int, rising: bool
) -> None:
    clock = VirtualClock(CLOCK_HZ, error_ppb)
    latencies = np.random.default_rng(3).integers(3_000_000, 60_000_000, 200).tolist()
    edges, times = one_by_one(start("train"), latencies, clock, rising=rising)
    assert len(times) > 20
    ahead = start("train")
    answers = answers_of(latencies, rising=rising)
    report = ahead.run(UNTIL, answers=answers, clock_ppb=PPB + error_ppb)
    assert report.reason is StopReason.LIMIT
    assert report.edges == edges
    assert report.answers_ps.tolist() == times
    assert sum(np.diff(times) == APART_PS) > 0, "none of them was held back"


def test_they_reach_the_input_capture_at_their_cycle(start: Start) -> None:
    """capture.c toggles its stimulus pin once a turn of the timer, and tells what it captures."""
    latencies = [1_000_000 + 62_500 * n + 1 for n in range(20)]
    texts = []
    for ahead in (False, True):
        emulator = start("capture")
        with open_port(emulator.pty) as port:
            port.write(b"\x80")
            if ahead:
                report = emulator.run(UNTIL, answers=answers_of(latencies))
            else:
                _, times = one_by_one(emulator, latencies, VirtualClock(CLOCK_HZ))
            emulator.run(UNTIL + 500_000)
            texts.append(port.read())
    assert report.answers_ps.tolist() == times
    assert len(texts[0].splitlines()) > 10
    assert texts[0] == texts[1]


def test_without_an_answer_left_the_partner_is_asked(start: Start) -> None:
    emulator = start("train")
    report = emulator.run(UNTIL, answers=answers_of([5_000_000] * 3))
    assert report.reason is StopReason.EDGE
    assert [level for _, level in report.edges].count(1) == 4
    assert len(report.answers_ps) == 3
    # What was given is forgotten with its grant: edges pass without a stop.
    assert emulator.run(UNTIL).reason is StopReason.LIMIT


def test_no_answer_comes_before_the_time_that_is_free(start: Start) -> None:
    report = start("train").run(UNTIL, answers=answers_of([0] * 100, free_ps=80 * 10**9))
    assert report.answers_ps[:2].tolist() == [80 * 10**9, 80 * 10**9 + APART_PS]


def test_a_full_report_ends_the_grant_before_anything_is_lost(start: Start) -> None:
    emulator, edges, answers = start("pin"), [], []
    report = emulator.run(1)
    for _ in range(3):
        report = emulator.run(report.cycle + 10**9, answers=answers_of([1000] * 4096))
        edges += report.edges
        answers += report.answers_ps.tolist()
        assert report.reason is StopReason.EDGE
    assert [level for _, level in edges] == [1 - n % 2 for n in range(len(edges))]
    assert len(answers) == sum(level for _, level in edges)
