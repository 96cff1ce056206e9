# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of OC1A against trains known from the firmwares' sources."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice, pairwise

from rig.virtual.emulator import Emulator, StopReason

Start = Callable[[str], Emulator]

INTERVALS = (400, 65535, 65536, 65537, 131072, 200003, 1601, 70000)  # of train.c
WIDTH = 160
INSTRUCTION_CYCLES = 5 + 8
"""The longest instruction, and an interrupt entered from sleep right after it."""


def test_compare_edges_are_exact_over_wraps_and_hops(start: Start) -> None:
    rounds = 50
    edges = start("train").run(rounds * sum(INTERVALS)).edges
    assert [level for _, level in edges] == [1, 0] * (len(edges) // 2)
    rising = [at for at, level in edges if level]
    falling = [at for at, level in edges if not level]
    assert {down - up for up, down in zip(rising, falling, strict=True)} == {WIDTH}
    assert len(rising) > (rounds - 1) * len(INTERVALS)
    steps = [later - earlier for earlier, later in pairwise(rising)]
    assert steps == list(islice(cycle(INTERVALS), len(steps)))


def test_edges_do_not_depend_on_how_time_is_granted(start: Start) -> None:
    until = 2 * sum(INTERVALS)
    whole = start("train").run(until).edges
    emulator = start("train")
    pieces = []
    at = 0
    while at < until:
        report = emulator.run(min(at + 977, until), stop_falling=True)
        pieces += report.edges
        at = report.cycle
    assert pieces == whole


def test_port_writes_strobes_and_compares_at_the_counters_top(start: Start) -> None:
    """pin.c: SBI and CBI take 2 cycles, NOP 1, LDI and OUT 1, STS 2."""
    edges = start("pin").run(600_000).edges
    assert [level for _, level in edges] == [1 - n % 2 for n in range(len(edges))]
    steps = [later - earlier for (earlier, _), (later, _) in pairwise(edges)]
    by_port, by_strobe, start_of_timer, by_compare = steps[:3], steps[3:7], steps[7], steps[8:]
    assert by_port == [2 + 1, 2 + 1 + 1, 2 + 1]
    assert all(1 <= step <= 8 for step in by_strobe)
    assert 65536 < start_of_timer < 65536 + 40
    assert set(by_compare) == {65536}


def test_stop_at_an_edge_is_right_after_it(start: Start) -> None:
    emulator = start("train")
    at = 0
    for n in range(60):
        rising = n % 2 == 0
        report = emulator.run(at + 10**6, stop_rising=rising, stop_falling=not rising)
        assert report.reason is StopReason.EDGE
        ((edge, level),) = report.edges
        assert level == rising
        assert 0 <= report.cycle - edge < INSTRUCTION_CYCLES
        at = report.cycle


def test_only_the_edge_asked_for_stops(start: Start) -> None:
    emulator = start("train")
    first = emulator.run(10**6, stop_rising=True)
    second = emulator.run(10**6, stop_rising=True)
    assert [level for _, level in first.edges] == [1]
    assert [level for _, level in second.edges] == [0, 1]


def test_the_limit_is_met_to_an_instruction(start: Start) -> None:
    emulator = start("train")
    at = 0
    for step in (1, 2, 3, 5000, 17, 100_000, 65_536, 1_000_000):
        report = emulator.run(at + step)
        assert report.reason is StopReason.LIMIT
        assert at + step <= report.cycle < at + step + INSTRUCTION_CYCLES
        at = report.cycle
    assert emulator.run(at - 1000).cycle == at, "time does not go back"


def test_a_full_report_ends_the_grant_and_loses_nothing(start: Start) -> None:
    emulator = start("train")
    until = 300 * 10**6
    edges = []
    reasons = []
    at = 0
    while at < until:
        report = emulator.run(until)
        edges += report.edges
        reasons.append(report.reason)
        at = report.cycle
    assert reasons == [StopReason.EDGE] * (len(edges) // 4096) + [StopReason.LIMIT]
    assert len(reasons) > 1
    rising = [at for at, level in edges if level]
    steps = [later - earlier for earlier, later in pairwise(rising)]
    assert steps == list(islice(cycle(INTERVALS), len(steps)))


def test_train_armed_follows_the_compare_interrupt(start: Start) -> None:
    emulator = start("train")
    assert not emulator.run(10).train_armed
    assert emulator.run(5000).train_armed
