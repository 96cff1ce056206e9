# SPDX-License-Identifier: GPL-3.0-or-later
"""A set of periodic tasks that run on one processor, each with a priority and work of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

TASKS_MAX: Final = 16
_DIGITS_MAX: Final = 12


@dataclass(frozen=True)
class PeriodicTask:
    """A periodic task as a plan asks for it."""

    period_ns: int
    work_ns: int
    priority: int
    runtime_ns: int = 0
    """The time that it may run in each period, by deadlines; 0: it is scheduled by its priority."""

    def __str__(self) -> str:
        runtime = f":{self.runtime_ns}" if self.runtime_ns else ""
        return f"{self.period_ns}:{self.work_ns}:{self.priority}{runtime}"


@dataclass(frozen=True)
class TaskSet:
    """The tasks of a run, in the plan's order, and how long they run."""

    tasks: tuple[PeriodicTask, ...]
    count: int
    """Periods of the first task; all others run for the same time."""

    @property
    def periods(self) -> tuple[int, ...]:
        """The number of periods of each task."""
        return tuple(
            max(1, self.count * self.tasks[0].period_ns // task.period_ns) for task in self.tasks
        )

    @property
    def reserved(self) -> float:
        """The share of the processor's time that the tasks' run times in each period take."""
        return sum(task.runtime_ns / task.period_ns for task in self.tasks)

    @property
    def utilization(self) -> float:
        """The share of the processor's time that the work takes if nothing else does."""
        return sum(task.work_ns / task.period_ns for task in self.tasks)


def tasks_word(tasks: Sequence[PeriodicTask]) -> str:
    """Return the tasks as a word for the agent; parse_task_set reads it."""
    return ",".join(map(str, tasks))


def parse_task_set(words: Mapping[str, str]) -> TaskSet:
    """Return the tasks in words for the agent; there are none in what makes no sense."""
    tasks = []
    for text in words.get("periodic", "").split(",")[:TASKS_MAX]:
        numbers = [_number(part) for part in text.split(":")]
        if len(numbers) in (3, 4) and None not in numbers and numbers[0]:
            tasks.append(PeriodicTask(*(number or 0 for number in numbers)))
    return TaskSet(tuple(tasks), _number(words.get("count", "")) or 0)


def _number(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX
    return int(text) if is_number else None
