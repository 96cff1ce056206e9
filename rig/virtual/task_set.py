# SPDX-License-Identifier: GPL-3.0-or-later
"""A modelled processor that runs periodic tasks by priorities or deadlines, and preempts them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from rig.analysis.model.task_set import PeriodicTask, TaskSet, parse_task_set
from rig.instruments import LOG_CLOCK, LOG_PART_SHIFT, LOG_VALUE
from rig.measurements.measurement import DEADLINE
from rig.virtual.self_measuring import NS_PS, Means
from rig.virtual.truth import ANSWERED

RR_SLICE_PS = 100 * 10**9
"""The time after which Linux lets another task of the same priority run, by policy rr."""
Span = tuple[int, int]
"""From when to when something had the processor, in ps."""


class Cycle(NamedTuple):
    """A period in which a task ran; times in ps since all tasks were due for the first time."""

    number: int
    due_ps: int
    start_ps: int
    finish_ps: int


class _Task:
    """A task, with the cycle that it is in or waits for."""

    def __init__(
        self, task: PeriodicTask, periods: int, draw: Callable[[int], int], policy: str
    ) -> None:
        self._priority, self._policy = task.priority, policy
        self._period_ps, self._work_ps = task.period_ns * NS_PS, task.work_ns * NS_PS
        self._runtime_ps = task.runtime_ns * NS_PS or math.inf
        self._periods, self._draw = periods, draw
        self._number, self.cycles = 0, list[Cycle]()
        self._wait_for(1)

    def _wait_for(self, number: int) -> None:
        self._number, self._start_ps, self.left_ps = number, -1, self._work_ps
        is_over = number > self._periods
        self._due_ps = (number - 1) * self._period_ps
        self._wake_at(math.inf if is_over else self._due_ps + self._draw(self._due_ps))

    def _wake_at(self, at_ps: float) -> None:
        self.ready_ps = self.queued_ps = at_ps
        self._deadline_ps = at_ps + self._period_ps
        self._runtime_left_ps, self._slice_left_ps = self._runtime_ps, self._slice_ps

    @property
    def _slice_ps(self) -> float:
        return RR_SLICE_PS if self._policy == "rr" else math.inf

    @property
    def urgency(self) -> float:
        """The more urgent task of two runs."""
        return -self._deadline_ps if self._policy == DEADLINE else self._priority

    def run(self, now_ps: int, until_ps: float) -> int:
        """Run until a time, to the end of the work or of what it may run; return when it ended."""
        if self._start_ps < 0:
            self._start_ps = now_ps
        most_ps = min(self.left_ps, self._runtime_left_ps, self._slice_left_ps)
        end_ps = int(min(now_ps + most_ps, until_ps))
        self.left_ps -= end_ps - now_ps
        self._runtime_left_ps -= end_ps - now_ps
        self._slice_left_ps -= end_ps - now_ps
        if self.left_ps and not self._runtime_left_ps:
            self._wake_at(self._deadline_ps)  # the system makes it wait for its next run time
        elif self.left_ps and not self._slice_left_ps:
            self.queued_ps, self._slice_left_ps = end_ps, self._slice_ps
        if not self.left_ps:
            self.cycles.append(Cycle(self._number, self._due_ps, self._start_ps, end_ps))
            # It waits for the next due time that is still to come.
            self._wait_for(max(self._number + 1, end_ps // self._period_ps + 2))
        return end_ps


def simulate(tasks: TaskSet, draw: Callable[[int], int], policy: str = "") -> list[list[Cycle]]:
    """Return the cycles of each task. `draw`: how late one is that is due at a time, in ps."""
    return run_tasks(zip(tasks.tasks, tasks.periods, strict=True), draw, policy)[0]


def run_tasks(
    tasks: Iterable[tuple[PeriodicTask, int]],
    draw: Callable[[int], int],
    policy: str = "",
    taken: Sequence[Span] = (),
) -> tuple[list[list[Cycle]], list[Span]]:
    """Return the cycles of each task, and when one of them ran.

    `tasks`: each with the number of its periods. `taken`: when the processor
    is for what preempts them all, ascending and apart.
    """
    running = [_Task(*each, draw, policy) for each in tasks]
    now_ps, next_taken, ran = 0, 0, list[Span]()
    while (first_ps := min((task.ready_ps for task in running), default=math.inf)) < math.inf:
        now_ps = max(now_ps, int(first_ps))
        while next_taken < len(taken) and taken[next_taken][1] <= now_ps:
            next_taken += 1
        taken_ps = taken[next_taken] if next_taken < len(taken) else (math.inf, 0)
        if taken_ps[0] <= now_ps:
            now_ps = taken_ps[1]
            continue
        ready = [task for task in running if task.ready_ps <= now_ps]
        task = max(ready, key=lambda each: (each.urgency, -each.queued_ps))
        above = (each.ready_ps for each in running if each.urgency > task.urgency)
        until_ps = min((at for at in (*above, taken_ps[0]) if at > now_ps), default=math.inf)
        end_ps = task.run(now_ps, until_ps)
        ran.append((now_ps, end_ps))
        now_ps = end_ps
    return [task.cycles for task in running], ran


class TaskSetTask:
    """The tasks of a measurement, as time passes; the first one writes the pins."""

    def __init__(self, means: Means, words: Mapping[str, str], start_ps: int) -> None:
        """Raises ValueError for what an agent refuses."""
        tasks = parse_task_set(words)
        if not tasks.tasks or not tasks.count:
            raise ValueError("periodic_tasks needs periodic and count")
        self._means, self._start_ps = means, start_ps
        self._cycles = simulate(tasks, means.draw, words.get("policy", ""))
        self._before = [0, *accumulate(tasks.periods)]
        self.handled = self._before[-1]
        self.missed = self.handled - sum(map(len, self._cycles))
        self._writes = [
            (start_ps + at_ps, cycle, part)
            for cycle in self._cycles[0]
            for part, at_ps in enumerate((cycle.start_ps, cycle.finish_ps))
        ]
        self._last_ps = start_ps + max(each[-1].finish_ps for each in self._cycles if each)
        self._written, self.over = 0, False

    def pass_until(self, end_ps: int) -> None:
        """Write the pins for what begins before a time; the others are logged at the end."""
        while self._written < len(self._writes) and self._writes[self._written][0] < end_ps:
            at_ps, cycle, part = self._writes[self._written]
            self._means.show(cycle.number, at_ps, part << LOG_PART_SHIFT)
            self._written += 1
            if part:
                self._note(0, cycle)
        if not self.over and self._last_ps < end_ps:
            self.over = True
            for task, cycles in enumerate(self._cycles[1:], 1):
                for cycle in cycles:
                    self._note(task, cycle)

    def _note(self, task: int, cycle: Cycle) -> None:
        number = self._before[task] + cycle.number
        times = [self._start_ps + each for each in cycle[1:]]
        for part, (begin_ps, end_ps) in enumerate(pairwise(times)):
            flags = LOG_VALUE | LOG_CLOCK | (2 * task + part) << LOG_PART_SHIFT
            before, after = begin_ps // NS_PS, end_ps // NS_PS
            self._means.note(number, before, after, flags)
            self._means.truth([begin_ps, end_ps, before, after, number, ANSWERED, 0, 0])
