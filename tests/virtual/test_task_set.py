# SPDX-License-Identifier: GPL-3.0-or-later
"""The modelled processor runs periodic tasks as worked out by hand."""

from __future__ import annotations

from rig.analysis.model.task_set import PeriodicTask, TaskSet
from rig.virtual.task_set import simulate

US = 1_000_000


def run_of(
    *tasks: tuple[int, int, int], count: int, late_us: int = 0
) -> list[list[tuple[int, ...]]]:
    """Number, start and finish in us after due, of each cycle; tasks in us."""
    tasks_ns = (PeriodicTask(period * 1000, work * 1000, rank) for period, work, rank in tasks)
    found = simulate(TaskSet(tuple(tasks_ns), count), lambda _at: late_us * US)
    return [
        [(c.number, (c.start_ps - c.due_ps) // US, (c.finish_ps - c.due_ps) // US) for c in each]
        for each in found
    ]


def test_a_task_is_preempted_by_those_above_it() -> None:
    first, second, third = run_of((1000, 100, 82), (2000, 300, 81), (5000, 1200, 80), count=10)
    assert first == [(number, 0, 100) for number in range(1, 11)]
    assert second == [(number, 100, 400) for number in range(1, 6)]
    # At 5 ms the second task is not due, so it starts sooner; both are due at 6 ms.
    assert third == [(1, 400, 1700), (2, 100, 1700)]


def test_one_of_the_same_priority_is_not_preempted() -> None:
    first, second = run_of((1000, 100, 50), (2500, 1150, 50), count=3)
    assert first == [(1, 0, 100), (2, 250, 350), (3, 0, 100)]
    assert second == [(1, 100, 1250)]


def test_periods_that_begin_before_the_last_one_is_done_are_missed() -> None:
    """Two tasks that want 110 % of the processor: the lower one runs in every other period."""
    first, second = run_of((1000, 500, 2), (1000, 600, 1), count=4)
    assert first == [(number, 0, 500) for number in range(1, 5)]
    assert second == [(1, 500, 1600), (3, 500, 1600)]


def test_a_latency_is_added_to_each_start() -> None:
    first, second = run_of((1000, 100, 2), (1000, 200, 1), count=2, late_us=7)
    assert first == [(1, 7, 107), (2, 7, 107)]
    assert second == [(1, 107, 307), (2, 107, 307)]
