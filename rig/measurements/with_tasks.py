# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupts that are answered while periodic tasks run on the same processor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Final

from rig.analysis.model.task_set import PeriodicTask, TaskSet, parse_task_set
from rig.document import Fact
from rig.formatting import percent
from rig.limit_names import LATENCY, MISSED_PERIODS, of_task_beside
from rig.measurements.interrupt import Interrupt, InterruptToTask
from rig.measurements.measurement import agent_words, source_as
from rig.measurements.periodic_tasks import rows_of_tasks, task_sections, tasks_in_words
from rig.measurements.reported import CLOCK
from rig.stimulus.train import Train

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.model.details import Details
    from rig.analysis.model.settings import Settings
    from rig.document import Section
    from rig.instruments import ArmOptions
    from rig.measurements.reported import TableRow

_SPARE_NS: Final = 5 * 10**9
"""Time by which the tasks may run longer than the train: they are stopped with the run."""
_ROWS: Final = {f"{row} by {CLOCK}": name for row, name in rows_of_tasks(of_task_beside).items()}


class _WithTasks(Interrupt):
    """What measurements of interrupts beside periodic tasks have in common."""

    sources = (Train,)
    asked_of_agent: str
    """The measurement that the agent is asked for."""
    agent_keys: ClassVar[tuple[str, ...]] = ("handler", "cpu", "task")
    measurands = (LATENCY, *rows_of_tasks(of_task_beside).values())

    def counts_limited(self, variant: str) -> tuple[str, ...]:  # noqa: ARG002
        return (MISSED_PERIODS,)

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        options = super().arm_options(settings, planned)
        words = {**options.options, "duration_ns": str(_duration_ns(settings))}
        return replace(options, measurement=self.asked_of_agent, options=words)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.task_set import WithTasksEvaluator  # loads scipy

        return WithTasksEvaluator(run, self.stimuli(run), _tasks(run.settings))

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.task_set import TaskSetFigures

        return (TaskSetFigures,)

    def variant_words(self, settings: Settings) -> list[str]:
        own = super().variant_words(replace(settings, agent={}))
        rest = agent_words(settings.agent, without=("periodic",))
        return [*own, tasks_in_words(settings), *rest]

    def rows(self) -> dict[str, str]:
        return {"by pins": LATENCY, **_ROWS}

    def unmade_rows(self, settings: Settings) -> Iterator[TableRow]:
        """Yield the rows of the interrupts, and of those tasks that there are."""
        own = {"", *rows_of_tasks(of_task_beside, len(parse_task_set(settings.agent).tasks))}
        return (row for row in super().unmade_rows(settings) if row.part in own)

    def cause(self, settings: Settings) -> Fact:
        train, tasks = super().cause(settings), parse_task_set(settings.agent)
        used = percent(tasks.utilization, 1)
        beside = f"beside {len(tasks.tasks)} periodic tasks that take {used} of the processor"
        return Fact(train.name, f"{train.text}, {beside}")

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        return task_sections(evaluation)


class InterruptWithTasks(_WithTasks):
    """The latency of an interrupt that its handler answers beside periodic tasks."""

    name = "interrupt_with_tasks"
    asked_of_agent = Interrupt.name


class InterruptToTaskWithTasks(_WithTasks, InterruptToTask):
    """The latency of an interrupt that a task answers, beside periodic ones."""

    name = "interrupt_to_task_with_tasks"
    asked_of_agent = InterruptToTask.name
    agent_keys = ("handler", "second_level", "priority", "cpu", "task")


def _duration_ns(settings: Settings) -> int:
    """Return the time for which the tasks run at most."""
    ticks = source_as(Train, settings).expected_duration_ticks
    return 2 * ticks * 10**9 // settings.stimulus_clock_hz + _SPARE_NS


def _tasks(settings: Settings) -> TaskSet:
    """Return the tasks with the most periods that they have, as the agent counts them."""
    tasks = parse_task_set(settings.agent)
    if not tasks.tasks:  # a foreign file's
        return TaskSet((PeriodicTask(1, 0, 0),), 0)
    return replace(tasks, count=_duration_ns(settings) // tasks.tasks[0].period_ns + 1)
