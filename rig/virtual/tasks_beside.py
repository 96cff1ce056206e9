# SPDX-License-Identifier: GPL-3.0-or-later
"""Periodic tasks of a modelled target that run while it answers interrupts.

Those of a higher priority than whatever answers delay the answer, and the answer delays all others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from heapq import merge
from itertools import accumulate, pairwise
from typing import NamedTuple

from rig.analysis.model.task_set import PeriodicTask, parse_task_set
from rig.instruments import LOG_CLOCK, LOG_PART_SHIFT, LOG_VALUE
from rig.virtual.self_measuring import NS_PS
from rig.virtual.task_set import Cycle, Span, run_tasks

_ABOVE_ALL = 100
"""Priority of a handler, which no task preempts."""
_PRIORITY = "80"


class CycleValue(NamedTuple):
    """A value of the log: from due to start, or from start to finish."""

    number: int
    """Number of the cycle, from 1; those of the next task go on behind this one's last."""
    begin_ps: int
    end_ps: int
    flags: int


class TasksBeside:
    """Periodic tasks, and when the answers to interrupts have the processor."""

    def __init__(self, words: Mapping[str, str], draw: Callable[[int], int], start_ps: int) -> None:
        """Raises ValueError for what an agent refuses."""
        tasks, duration = parse_task_set(words), words.get("duration_ns", "")
        if not tasks.tasks or not duration.isdecimal():
            raise ValueError("periodic beside interrupts needs duration_ns")
        count = int(duration) // tasks.tasks[0].period_ns + 1
        self._tasks, self._draw, self._start_ps = replace(tasks, count=count), draw, start_ps
        is_task = words.get("measurement") == "interrupt_to_task"
        self._priority = int(words.get("priority", _PRIORITY)) if is_task else _ABOVE_ALL
        self._cycles, self._busy = run_tasks(self._those(above=True), draw)
        self._begins = [begin_ps for begin_ps, _ in self._busy]
        self._answers: list[Span] = []

    @property
    def records(self) -> int:
        """The most records that they may have."""
        return 2 * sum(self._tasks.periods)

    def _those(self, *, above: bool) -> list[tuple[PeriodicTask, int]]:
        """Return the tasks whose priority is above that of the answer, or all others."""
        every = zip(self._tasks.tasks, self._tasks.periods, strict=True)
        return [each for each in every if self._is_above(each[0]) is above]

    def _is_above(self, task: PeriodicTask) -> bool:
        return task.priority > self._priority

    def free_ps(self, at_ps: int) -> int:
        """Return when whatever answers has the processor, that wants it from a time on."""
        at_ps -= self._start_ps
        place = bisect_right(self._begins, at_ps) - 1
        while 0 <= place < len(self._busy) and self._busy[place][0] <= at_ps:
            at_ps = max(at_ps, self._busy[place][1])
            place += 1
        return self._start_ps + at_ps

    def answered(self, taken_ps: int, answer_ps: int, toggle_ps: int) -> None:
        """Note that an interrupt was taken, and answered.

        A handler has the processor meanwhile; a task that answers has it for the write alone.
        """
        begin_ps = taken_ps if self._priority == _ABOVE_ALL else answer_ps
        self._answers.append((begin_ps - self._start_ps, answer_ps + toggle_ps - self._start_ps))

    def values(self, now_ps: int) -> Iterator[CycleValue]:
        """Yield the values of all cycles that are finished, task by task."""
        below, _ = run_tasks(
            self._those(above=False),
            self._draw,
            taken=_apart([*merge(self._busy, self._answers)]),
        )
        cycles = {True: iter(self._cycles), False: iter(below)}
        before = accumulate(self._tasks.periods, initial=0)
        for number, (task, first) in enumerate(zip(self._tasks.tasks, before, strict=False)):
            for cycle in next(cycles[self._is_above(task)]):
                if self._start_ps + cycle.finish_ps <= now_ps:
                    yield from self._of_cycle(number, first, cycle)

    def _of_cycle(self, task: int, first: int, cycle: Cycle) -> Iterator[CycleValue]:
        times = [self._start_ps + each for each in cycle[1:]]
        for part, (begin_ps, end_ps) in enumerate(pairwise(times)):
            flags = LOG_VALUE | LOG_CLOCK | (2 * task + part) << LOG_PART_SHIFT
            yield CycleValue(first + cycle.number, begin_ps, end_ps, flags)


def clock_ns(at_ps: int) -> int:
    """Return the system's own clock at a time."""
    return at_ps // NS_PS


def _apart(spans: list[Span]) -> list[Span]:
    """Return spans, ascending, with those that touch or overlap as one."""
    found: list[Span] = []
    for begin_ps, end_ps in spans:
        if found and begin_ps <= found[-1][1]:
            found[-1] = found[-1][0], max(end_ps, found[-1][1])
        else:
            found.append((begin_ps, end_ps))
    return found
