# SPDX-License-Identifier: GPL-3.0-or-later
"""The modelled processor runs periodic tasks as worked out by hand."""

from __future__ import annotations

from rig.analysis.model.task_set import PeriodicTask, TaskSet
from rig.virtual.task_set import simulate

US = 1_000_000


def run_of(
    *tasks: tuple[int, ...], count: int, late_us: int = 0, policy: str = ""
) -> list[list[tuple[int, ...]]]:
    """Number, start and finish in us after due, of each cycle; tasks in us."""
    tasks_ns = (
        PeriodicTask(period * 1000, work * 1000, rank, *(time * 1000 for time in runtime))
        for period, work, rank, *runtime in tasks
    )
    found = simulate(TaskSet(tuple(tasks_ns), count), lambda _at: late_us * US, policy)
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


# Two tasks that take 87 % of the processor: (period, work, priority, run time).
PAIR = ((2000, 1000, 2, 1080), (3000, 1100, 1, 1200))


def test_by_priorities_the_shorter_period_first_the_second_of_two_tasks_misses() -> None:
    """At 3 ms it has 100 us left to do, which it does from 3.0 to 3.1 ms."""
    first, second = run_of(*(task[:3] for task in PAIR), count=3)
    assert first == [(number, 0, 1000) for number in range(1, 4)]
    assert second == [(1, 1000, 3100)]


def test_by_deadlines_both_of_the_same_tasks_run_in_each_period() -> None:
    """The second one's first deadline, 3 ms, comes before the first one's second, 4 ms."""
    first, second = run_of(*PAIR, count=3, policy="deadline")
    assert first == [(1, 0, 1000), (2, 100, 1100), (3, 200, 1200)]
    assert second == [(1, 1000, 2100), (2, 100, 1200)]


def test_a_task_that_wants_more_than_its_run_time_waits_for_the_next() -> None:
    """It runs for 400 us at its due time, and for the rest of 600 us a period later."""
    (found,) = run_of((1000, 600, 0, 400), count=4, policy="deadline")
    assert found == [(1, 0, 1200), (3, 0, 1200)]


def test_by_round_robin_tasks_of_a_priority_take_turns_of_100_ms() -> None:
    tasks = ((1_000_000, 150_000, 5), (1_000_000, 120_000, 5))
    assert run_of(*tasks, count=1) == [[(1, 0, 150_000)], [(1, 150_000, 270_000)]]
    by_turns = run_of(*tasks, count=1, policy="rr")
    assert by_turns == [[(1, 0, 250_000)], [(1, 100_000, 270_000)]]
