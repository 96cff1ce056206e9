# SPDX-License-Identifier: GPL-3.0-or-later
"""Several periodic tasks: start, finish and execution time of each, from the target's log.

A cycle is two values of the log by the target's own clock, from due to start and from there to the
finish. The first task's start and finish are on the pin as well, as those of `start_finish` are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from rig.analysis.crosscheck.witness import log_witnesses
from rig.analysis.log.contingency import Irregularities
from rig.analysis.log.responses import CHUNK
from rig.analysis.log.values import are_values
from rig.analysis.measurements.pipeline import Aligned, RunFindings, planned_counts
from rig.analysis.measurements.self_measured import CLOCK_HZ, ValueEvaluator, effects_of_clock
from rig.analysis.model.details import Details
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.task_set import TASKS_MAX, PeriodicTask, TaskSet, parse_task_set
from rig.analysis.model.witness import Witness
from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.instruments import LOG_PART_SHIFT, LOG_RECORD, Int64Array
from rig.limit_names import FINISH, LATENCY, WORK, of_task


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
    last: tuple[int, int] | None = None
    """Number and due time of its last period."""

    def add(self, found: Cycles) -> npt.NDArray[np.bool_]:
        """Add cycles of the task; return which are not on its grid, or not in order."""
        number, due = found.number, found.due
        last = (int(number[0]) - 1, None) if self.last is None else self.last
        before = np.concatenate([[last[0]], number[:-1]])
        self.last = int(number[-1]), int(due[-1])
        self.start.add(found.start - due, found.start)
        self.finish.add(found.finish - due, found.finish)
        self.work.add(found.finish - found.start, found.finish)
        self.done += len(number)
        return ~found.is_whole | (number <= before)


class TaskSetEvaluator(ValueEvaluator):
    """The evaluator of a set of periodic tasks."""

    def scan(self) -> None:
        self.scan_answers()
        self._set = parse_task_set(self.settings.agent)
        if not self._set.tasks:  # a foreign file's
            self._set = replace(self._set, tasks=(PeriodicTask(1, 0, 0),))
        self._tallies = [_Tally() for _ in self._set.tasks]
        self._odd, self._span_ns, seen = Irregularities(), [], 0
        origin: int | None = None
        before = [0, *accumulate(self._set.periods)]
        for piece in cycles(self.raw):
            place = seen + np.arange(len(piece.task))
            seen += len(place)
            if not len(place):
                continue
            self._span_ns += [int(piece.due.min()), int(piece.finish.max())]
            if origin is None:  # when all were due for the first time, as the first cycle tells
                passed = int(piece.number[0]) - 1
                origin = int(piece.due[0]) - passed * self._set.tasks[0].period_ns
            self._odd.add(place[piece.task >= len(self._tallies)])
            for number, tally in enumerate(self._tallies):
                mine = piece.task == number
                if mine.any():
                    columns = (getattr(piece, name)[mine] for name in Cycles.__dataclass_fields__)
                    own = Cycles(*columns)
                    period_ns = self._set.tasks[number].period_ns
                    due = origin + (own.number - before[number] - 1) * period_ns
                    self._odd.add(place[mine][tally.add(own) | (own.due != due)])

    def measure(self, aligned: Aligned) -> RunFindings:
        effects, found = effects_of_clock(), []
        for number, tally in enumerate(self._tallies, 1):
            series_of = {LATENCY: tally.start, FINISH: tally.finish, WORK: tally.work}
            for name, series in series_of.items():
                found.append(measurand(of_task(name, number), series, CLOCK_HZ, effects))
        done = sum(tally.done for tally in self._tallies)
        return RunFindings(
            measurands=(*found, *self.seen_by_pins(aligned.bench)),
            counts=planned_counts(done, sum(self._set.periods), self.stretches.glitches),
            seen=done,
            paired_by="the target's log",
            duration_s=(max(self._span_ns) - min(self._span_ns)) / 1e9 if self._span_ns else 0.0,
            details=_figures(self._set, self._tallies, found),
            witnesses=self._witnesses_of(aligned, done),
        )

    def _witnesses_of(self, aligned: Aligned, done: int) -> tuple[Witness, ...]:
        account, answers = self.account, self.answers
        if account.handled is None:
            return ()
        text = self._odd.text("cycles out of order or off their task's grid, number")
        told = account.handled - (account.unanswered or 0)
        if not text and not account.log_dropped and done != told:
            text = f"{told:,} cycles by the agent's count, {done:,} in the log"
        found = [
            *log_witnesses(self.raw, self.log, account, answers.count, answers.differing),
            Witness("values", not text, text or f"{done:,} cycles of {len(self._tallies)} tasks"),
        ]
        if aligned.agreement is not None:
            found.append(aligned.agreement.witness)
        return tuple(found)


def _figures(tasks: TaskSet, tallies: list[_Tally], found: list[Measurand]) -> TaskSetFigures:
    figures = [each.statistics for each in found]
    return TaskSetFigures(
        tasks=tuple(
            TaskFigures(task, periods, max(0, periods - tally.done), *figures[at : at + 3])
            for task, periods, tally, at in zip(
                tasks.tasks, tasks.periods, tallies, range(0, 3 * TASKS_MAX, 3), strict=False
            )
        ),
        utilization=tasks.utilization,
    )
