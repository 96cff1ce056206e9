# SPDX-License-Identifier: GPL-3.0-or-later
"""Periodic tasks beside interrupts delay answers, and are delayed, as worked out by hand."""

from __future__ import annotations

import pytest

from rig.instruments import LOG_PART_SHIFT
from rig.virtual.tasks_beside import TasksBeside

US = 1_000_000
START_PS = 7_000 * US
WORDS = {
    "measurement": "interrupt_to_task",
    "priority": "81",
    "periodic": "1000000:100000:82,2000000:300000:80",
    "duration_ns": "3999999",
}


def tasks(**words: str) -> TasksBeside:
    return TasksBeside({**WORDS, **words}, lambda _at: 0, START_PS)


def at(time_us: int) -> int:
    return START_PS + time_us * US


def cycles_of(beside: TasksBeside, until_us: int) -> list[tuple[int, int, int, int]]:
    """Task, number, start after due and work in us, of each cycle that is over."""
    values = list(beside.values(at(until_us)))
    return [
        (
            (first.flags >> LOG_PART_SHIFT) // 2,
            first.number,
            (first.end_ps - first.begin_ps) // US,
            (second.end_ps - second.begin_ps) // US,
        )
        for first, second in zip(values[::2], values[1::2], strict=True)
    ]


def test_a_task_of_higher_priority_delays_an_answer_until_it_has_finished() -> None:
    beside = tasks()
    assert [beside.free_ps(at(time_us)) - START_PS for time_us in (0, 99, 100, 250, 1010)] == [
        time_us * US for time_us in (100, 100, 100, 250, 1100)
    ]


def test_a_handler_is_delayed_by_no_task() -> None:
    assert tasks(measurement="interrupt").free_ps(at(5)) == at(5)


def test_an_answer_delays_the_tasks_below_it_alone() -> None:
    beside = tasks()
    undisturbed = cycles_of(beside, 4000)
    assert undisturbed == [(0, number, 0, 100) for number in range(1, 5)] + [
        (1, 5, 100, 300), (1, 6, 100, 300)
    ]  # fmt: skip
    beside.answered(at(180), at(190), 20 * US)  # a task's answer has the processor for its write
    assert cycles_of(beside, 4000)[4:] == [(1, 5, 100, 320), (1, 6, 100, 300)]


def test_a_handler_delays_all_tasks_while_it_runs() -> None:
    beside = tasks(measurement="interrupt")
    for due_us in (1000, 2000):
        beside.answered(at(due_us - 10), at(due_us + 30), 5 * US)
    assert [(start, work) for task, _, start, work in cycles_of(beside, 4000) if not task] == [
        (0, 100), (35, 100), (35, 100), (0, 100)
    ]  # fmt: skip


def test_only_what_is_over_is_in_the_log() -> None:
    assert cycles_of(tasks(), 1050) == [(0, 1, 0, 100), (1, 5, 100, 300)]


@pytest.mark.parametrize("word", ["periodic", "duration_ns"])
def test_what_an_agent_refuses_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="needs duration_ns"):
        tasks(**{word: ""})
