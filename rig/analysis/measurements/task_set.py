# SPDX-License-Identifier: GPL-3.0-or-later
"""Several periodic tasks: start, finish and execution time of each, from the target's log.

A cycle is two values of the log by the target's own clock, from due to start and from there to the
finish. The first task's start and finish are on the pin as well, as those of `start_finish` are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from rig.analysis.crosscheck.witness import log_witnesses
from rig.analysis.log.contingency import Irregularities
from rig.analysis.log.responses import CHUNK
from rig.analysis.log.values import are_values
from rig.analysis.measurements.interrupts import InterruptEvaluator
from rig.analysis.measurements.pipeline import (
    Aligned,
    RecordedRun,
    RunFindings,
    planned_counts,
)
from rig.analysis.measurements.self_measured import CLOCK_HZ, ValueEvaluator, effects_of_clock
from rig.analysis.measurements.stimuli import Stimuli
from rig.analysis.model.details import Details
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.task_set import TASKS_MAX, PeriodicTask, TaskSet, parse_task_set
from rig.analysis.model.witness import Witness
from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.instruments import LOG_PART_SHIFT, LOG_RECORD, Int64Array
from rig.limit_names import (
    FINISH,
    LATENCY,
    MISSED_PERIODS,
    WORK,
    of_task,
    of_task_beside,
)

_ENDED = "the periodic tasks had come to their last period before the run was over"


@dataclass(frozen=True)
class TaskFigures:
    """The figures of one task of the set."""

    task: PeriodicTask
    periods: int
    """Number of periods that it had."""
    missed: int
    """Number of those in which it did not run, as it was not done before they began."""
    start: DescriptiveStatistics
    """From when it was due to its first instruction."""
    finish: DescriptiveStatistics
    """From when it was due to the end of its work."""
    work: DescriptiveStatistics
    """From its start to its finish, with all that interrupted it."""


@dataclass(frozen=True)
class TaskSetFigures(Details):
    """The figures of all tasks of the set, by the target's own clock."""

    kind = "task_set"

    tasks: tuple[TaskFigures, ...]
    utilization: float
    """Share of the processor's time that the tasks' work takes."""


@dataclass(frozen=True)
class Cycles:
    """Cycles of tasks, in the log's order. Times in ns of the target's clock, shapes (n,)."""

    task: Int64Array
    """From 0, in the plan's order."""
    number: Int64Array
    """Number of the task's period, from 1; the next task's go on behind this one's last."""
    due: Int64Array
    start: Int64Array
    finish: Int64Array
    is_whole: npt.NDArray[np.bool_]
    """Whether both values are of one cycle, and follow each other."""


def cycles(raw: RawRun) -> Iterator[Cycles]:
    """Yield the cycles of a log in pieces."""
    held = np.empty(0, LOG_RECORD)
    for first in range(0, raw.log_count, CHUNK):
        rows = raw.log(first, CHUNK)
        rows = np.concatenate([held, rows[are_values(rows)]])
        end = len(rows) // 2 * 2
        held, rows = rows[end:], rows[:end]
        part = (rows["flags"] >> np.uint32(LOG_PART_SHIFT)).astype(np.int64)
        number, before, after = (
            rows[name].astype(np.int64) for name in ("handled", "before_ticks", "after_ticks")
        )
        is_whole = (part[1::2] == part[::2] + 1) & (part[::2] % 2 == 0)
        is_whole &= (number[1::2] == number[::2]) & (before[1::2] == after[::2])
        is_whole &= (after[1::2] >= before[1::2]) & (after[::2] >= before[::2])
        yield Cycles(part[::2] // 2, number[::2], before[::2], after[::2], after[1::2], is_whole)


@dataclass
class _Tally:
    """The values of one task."""

    start: MeasurandSeries = field(default_factory=MeasurandSeries)
    finish: MeasurandSeries = field(default_factory=MeasurandSeries)
    work: MeasurandSeries = field(default_factory=MeasurandSeries)
    done: int = 0
    number: int = 0
    """Number of its last period; 0: it has none yet."""

    def add(self, found: Cycles) -> npt.NDArray[np.bool_]:
        """Add cycles of the task; return which are not on its grid, or not in order."""
        number, due = found.number, found.due
        before = np.concatenate([[self.number], number[:-1]])
        self.number = int(number[-1])
        self.start.add(found.start - due, found.start)
        self.finish.add(found.finish - due, found.finish)
        self.work.add(found.finish - found.start, found.finish)
        self.done += len(number)
        return ~found.is_whole | (number <= before)


class TaskSetScan:
    """The cycles of a log, each task's by itself, and what is odd about them."""

    def __init__(self, raw: RawRun, tasks: TaskSet, numbered_from: int = 0) -> None:
        """`numbered_from`: what the log's numbers of cycles begin behind."""
        self.tasks = tasks
        self._tallies = [_Tally() for _ in tasks.tasks]
        self.odd = Irregularities()
        self._origin: int | None = None
        self._first, self._last = 0, 0
        self._before = list(accumulate(tasks.periods, initial=numbered_from))
        seen = 0
        for piece in cycles(raw):
            place = seen + np.arange(len(piece.task))
            seen += len(place)
            if len(place):
                self._add(piece, place)
        self.done = sum(tally.done for tally in self._tallies)

    def _add(self, piece: Cycles, place: Int64Array) -> None:
        if self._origin is None:  # when all were due for the first time, as the first cycle tells
            task = min(int(piece.task[0]), len(self._tallies) - 1)
            passed = int(piece.number[0]) - self._before[task] - 1
            self._origin = int(piece.due[0]) - passed * self.tasks.tasks[task].period_ns
            self._first = int(piece.due.min())
        self._first = min(self._first, int(piece.due.min()))
        self._last = max(self._last, int(piece.finish.max()))
        self.odd.add(place[piece.task >= len(self._tallies)])
        for number, tally in enumerate(self._tallies):
            mine = piece.task == number
            if mine.any():
                columns = (getattr(piece, name)[mine] for name in Cycles.__dataclass_fields__)
                own = Cycles(*columns)
                period_ns = self.tasks.tasks[number].period_ns
                due = self._origin + (own.number - self._before[number] - 1) * period_ns
                self.odd.add(place[mine][tally.add(own) | (own.due != due)])

    @property
    def duration_s(self) -> float:
        """The time from when the first cycle was due to the last one's finish."""
        return (self._last - self._first) / 1e9

    def passed(self) -> tuple[int, ...]:
        """Return the number of each task's periods that were over when the last cycle finished."""
        origin = self._last if self._origin is None else self._origin
        every = zip(self.tasks.tasks, self.tasks.periods, self._before, self._tallies, strict=False)
        return tuple(
            min(most, max(tally.number - before, (self._last - origin) // task.period_ns))
            for task, most, before, tally in every
        )

    def measurands(self, name_of: Callable[[str, int], str] = of_task) -> tuple[Measurand, ...]:
        """Return start, finish and work of each task. `name_of`: of one of them, and a task."""
        effects, found = effects_of_clock(), []
        for number, tally in enumerate(self._tallies, 1):
            series_of = {LATENCY: tally.start, FINISH: tally.finish, WORK: tally.work}
            for name, series in series_of.items():
                found.append(measurand(name_of(name, number), series, CLOCK_HZ, effects))
        return tuple(found)

    def figures(self, found: Sequence[Measurand], periods: Sequence[int]) -> TaskSetFigures:
        """Return the figures of all tasks, of whose periods so many are over."""
        figures = [each.statistics for each in found]
        return TaskSetFigures(
            tasks=tuple(
                TaskFigures(task, each, max(0, each - tally.done), *figures[at : at + 3])
                for task, each, tally, at in zip(
                    self.tasks.tasks, periods, self._tallies, range(0, 3 * TASKS_MAX, 3),
                    strict=False,
                )
            ),
            utilization=self.tasks.utilization,
        )  # fmt: skip

    def witness(self, told: int | None) -> Witness:
        """Compare the cycles with each other, and with the agent's count, if it told one."""
        text = self.odd.text("cycles out of order or off their task's grid, number")
        if not text and told is not None and self.done != told:
            text = f"{told:,} cycles by the agent's count, {self.done:,} in the log"
        sound = f"{self.done:,} cycles of {len(self._tallies)} tasks"
        return Witness("values", not text, text or sound)


class TaskSetEvaluator(ValueEvaluator):
    """The evaluator of a set of periodic tasks."""

    def scan(self) -> None:
        self.scan_answers()
        tasks = parse_task_set(self.settings.agent)
        if not tasks.tasks:  # a foreign file's
            tasks = replace(tasks, tasks=(PeriodicTask(1, 0, 0),))
        self._scan = TaskSetScan(self.raw, tasks)

    def measure(self, aligned: Aligned) -> RunFindings:
        scan = self._scan
        found, periods = scan.measurands(), scan.tasks.periods
        return RunFindings(
            measurands=(*found, *self.seen_by_pins(aligned.bench)),
            counts=planned_counts(scan.done, sum(periods), self.stretches.glitches),
            seen=scan.done,
            paired_by="the target's log",
            duration_s=scan.duration_s,
            details=scan.figures(found, periods),
            witnesses=self._witnesses_of(aligned),
        )

    def _witnesses_of(self, aligned: Aligned) -> tuple[Witness, ...]:
        account, answers = self.account, self.answers
        if account.handled is None:
            return ()
        told = None if account.log_dropped else account.handled - (account.unanswered or 0)
        found = [
            *log_witnesses(self.raw, self.log, account, answers.count, answers.differing),
            self._scan.witness(told),
        ]
        if aligned.agreement is not None:
            found.append(aligned.agreement.witness)
        return tuple(found)


class WithTasksEvaluator(InterruptEvaluator):
    """The evaluator of interrupts that are answered while periodic tasks run."""

    def __init__(self, run: RecordedRun, stimuli: Stimuli, tasks: TaskSet) -> None:
        """`tasks`: those that were asked for, with the most periods that they may have."""
        super().__init__(run, stimuli)
        self._tasks = tasks

    def measure(self, aligned: Aligned) -> RunFindings:
        found = super().measure(aligned)
        scan = TaskSetScan(self.raw, self._tasks, self.account.handled or 0)
        measurands, periods = scan.measurands(of_task_beside), scan.passed()
        figures = scan.figures(measurands, periods)
        missed = sum(each.missed for each in figures.tasks)
        ended = scan.done and periods[0] == self._tasks.periods[0]
        return replace(
            found,
            measurands=(*found.measurands, *measurands),
            details=figures,
            counted={**(found.counted or {}), MISSED_PERIODS: missed},
            own_witnesses=(*found.own_witnesses, scan.witness(None)),
            caveats=(*found.caveats, *((_ENDED,) if ended else ())),
        )
