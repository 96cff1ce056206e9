# SPDX-License-Identifier: GPL-3.0-or-later
"""Several periodic tasks on one processor, each with figures of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.analysis.model.task_set import TASKS_MAX, parse_task_set
from rig.document import Fact, Section, TextTable, facts, section
from rig.formatting import count, microseconds, percent, time_text
from rig.instruments import ArmOptions, TargetSummary
from rig.limit_names import BY_PINS, FINISH, INTERVAL_ERROR, LATENCY, WORK, of_task
from rig.measurements.measurement import DEADLINE, SPARE_LOG_RECORDS, agent_words
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.measurements.task_set import TaskFigures, TaskSetFigures
    from rig.analysis.model.details import Details
    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings
    from rig.arrays import FloatArray
    from rig.instruments import Int64Array
    from rig.measurements.reported import TableRow
    from rig.measurements.value_table import ValueTable

_OF_EACH: Final = {"start": LATENCY, "finish": FINISH, "work": WORK}
_PINS: Final = tuple(f"{name}{BY_PINS}" for name in (LATENCY, FINISH, WORK, INTERVAL_ERROR))
_COLUMNS: Final = (
    "task", "period", "work", "priority", "ran", "missed", "start us", "max", "finish us", "max",
    "work us", "max",
)  # fmt: skip


class PeriodicTasks(MeasuredByTarget):
    """Periodic tasks of different priorities; the first toggles the pin at its start and finish."""

    performed_by = "threads of a process"
    policies = (*MeasuredByTarget.policies, DEADLINE)
    measurands = (
        *(of_task(name, task) for task in range(1, TASKS_MAX + 1) for name in _OF_EACH.values()),
        *_PINS,
    )
    description = SelfMeasurement(
        name="periodic_tasks",
        title="start and finish of each of several periodic tasks, after it was due",
        variants={"task": "clock_nanosleep until the time of each period"},
        parts=tuple(IterationPart(name, title) for title, name in _OF_EACH.items()),
        keys=("task",),
        clocked=("task",),
        by_answers=("task",),
        always_pin=True,
        periodic=True,
        own_form=True,
    )

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        tasks = parse_task_set(settings.agent)
        records = 2 * sum(tasks.periods) + 2 * planned
        return replace(super().arm_options(settings, planned), capacity=records + SPARE_LOG_RECORDS)

    def pin_writes(self, settings: Settings, summary: TargetSummary) -> int:  # noqa: ARG002
        return 2 * (settings.planned or 0)

    def variant_words(self, settings: Settings) -> list[str]:
        return [tasks_in_words(settings), *agent_words(settings.agent, without=("periodic",))]

    def rows(self) -> dict[str, str]:
        return {
            **rows_of_tasks(of_task),
            **{f"task 1 {title} by pins": name + BY_PINS for title, name in _OF_EACH.items()},
        }

    def unmade_rows(self, settings: Settings) -> Iterator[TableRow]:
        """Yield the rows of those tasks that there are."""
        own = rows_of_tasks(of_task, len(parse_task_set(settings.agent).tasks))
        return (row for row in super().unmade_rows(settings) if row.part in own)

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.task_set import TaskSetFigures

        return (TaskSetFigures,)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.task_set import TaskSetEvaluator  # loads scipy

        return TaskSetEvaluator(run, self.description)

    def value_table(self, raw: RawRun, settings: Settings) -> ValueTable:
        from rig.analysis.measurements.task_set import cycles
        from rig.measurements.value_table import ValueTable

        columns = ("cycle", "task", "period", "due_s", "start_ns", "finish_ns", "work_ns")

        def pieces() -> Iterator[tuple[Int64Array | FloatArray, ...]]:
            seen = 0
            before = np.zeros(TASKS_MAX + 1, np.int64)
            periods = np.cumsum(parse_task_set(settings.agent).periods)
            before[1 : len(periods) + 1] = periods
            for each in cycles(raw):
                number = seen + np.arange(len(each.task))
                seen += len(number)
                due = each.due
                times = (each.start - due, each.finish - due, each.finish - each.start)
                own = each.number - before[np.minimum(each.task, TASKS_MAX)]
                yield number, each.task + 1, own, due / 1e9, *times

        return ValueTable(columns, pieces())

    def cause(self, settings: Settings) -> Fact:
        tasks = parse_task_set(settings.agent)
        used = percent(tasks.utilization, 1)
        return Fact("tasks", f"{len(tasks.tasks)}, whose work takes {used} of the processor's time")

    def quantity(self, evaluation: Evaluation) -> str:  # noqa: ARG002
        return "start of task 1"

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        """Return a line for each task: averages and maxima of its start, finish and work."""
        return task_sections(evaluation)


def tasks_in_words(settings: Settings) -> str:
    """Return the number of tasks and their share of the processor's time."""
    tasks = parse_task_set(settings.agent)
    return f"{len(tasks.tasks)} tasks {percent(tasks.utilization, 0)}"


def rows_of_tasks(name_of: Callable[[str, int], str], most: int = TASKS_MAX) -> dict[str, str]:
    """Return the rows of tables of so many tasks. `name_of`: of a measurand, and a task."""
    return {
        f"task {task} {title}": name_of(name, task)
        for task in range(1, most + 1)
        for title, name in _OF_EACH.items()
    }


def task_sections(evaluation: Evaluation) -> tuple[Section, ...]:
    """Return a table with a line for each task."""
    found = _found(evaluation)
    if found is None:
        return ()
    rows = tuple(_row(number, each) for number, each in enumerate(found.tasks, 1))
    return section(
        "measured",
        "Each task's start and finish after it was due, and its work between: average and max",
        TextTable(_COLUMNS, rows, range(len(_COLUMNS))),
        facts([Fact("processor", f"{percent(found.utilization, 1)} used by the tasks' work")]),
    )


def _row(number: int, found: TaskFigures) -> tuple[str, ...]:
    task = found.task
    times = (
        microseconds(value)
        for each in (found.start, found.finish, found.work)
        for value in (each.average_ns, each.max_ns)
    )
    rank = f"{time_text(task.runtime_ns)} a period" if task.runtime_ns else str(task.priority)
    return (
        str(number), time_text(task.period_ns), time_text(task.work_ns), rank,
        count(found.start.n), count(found.missed), *times,
    )  # fmt: skip


def _found(evaluation: Evaluation) -> TaskSetFigures | None:
    from rig.analysis.measurements.task_set import TaskSetFigures

    return evaluation.details if isinstance(evaluation.details, TaskSetFigures) else None
