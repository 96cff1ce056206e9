# SPDX-License-Identifier: GPL-3.0-or-later
"""The time from the edge that asks for an interrupt to the edge by which its handler answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from rig.analysis.model.sources import SelfTriggers
from rig.document import Fact, Section, facts, section
from rig.event_source import EventSource
from rig.formatting import microseconds
from rig.limit_names import INTERNAL, LATENCY
from rig.measurements.measurement import Measurement, source_as
from rig.measurements.reported import KERNEL_PORT, PINS, TableRow, statistics_table
from rig.stimulus.train import Train

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.measurements.stimuli import Stimuli
    from rig.analysis.model.details import Details
    from rig.analysis.model.settings import Settings
    from rig.recording.course import Course

TRIGGER_KEYS: Final = ("self_trigger", "period", "count")
"""Keys of [agent] for a target that triggers the interrupts itself."""


class Interrupt(Measurement):
    """The latency of an interrupt that its handler answers."""

    name = "interrupt"
    sources: ClassVar[tuple[type[EventSource], ...]] = (Train, SelfTriggers)
    agent_keys: ClassVar[tuple[str, ...]] = ("handler", "cpu", *TRIGGER_KEYS)

    def course(self, settings: Settings, timeout_samples: int) -> Course:
        from rig.recording.by_target import TriggerCourse  # these load the native library
        from rig.recording.train import TrainCourse

        if isinstance(settings.source, SelfTriggers):
            return TriggerCourse(settings, timeout_samples, settings.source)
        return TrainCourse(settings, timeout_samples, source_as(Train, settings))

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.self_trigger import SelfTriggerFigures

        return (SelfTriggerFigures,)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.interrupts import InterruptEvaluator  # loads scipy

        return InterruptEvaluator(run, self.stimuli(run))

    def stimuli(self, run: RecordedRun) -> Stimuli:
        """Return what is known of the stimuli beside their edges."""
        from rig.analysis.measurements.stimuli import Stimuli
        from rig.analysis.measurements.train_stimuli import TrainStimuli
        from rig.analysis.measurements.trigger_stimuli import TriggerStimuli

        match run.settings.source:
            case Train() as train:
                return TrainStimuli(run, train)
            case SelfTriggers() as triggers:
                return TriggerStimuli(run, triggers)
        return Stimuli(run)

    def performer(self, settings: Settings, port: str) -> str:  # noqa: ARG002
        return "handler in the kernel" if port == KERNEL_PORT else ""

    def unmade_rows(self, settings: Settings) -> Iterator[TableRow]:
        is_self = isinstance(settings.source, SelfTriggers)
        return (row for row in super().unmade_rows(settings) if is_self or row.by == PINS)

    def rows(self) -> dict[str, str]:
        """Return the row by the pins, and that by the log if the target makes the interrupts."""
        return {"by pins": LATENCY, "by ticks": INTERNAL}

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        """Return both witnesses' figures, for interrupts that the target makes itself."""
        from rig.analysis.measurements.self_trigger import SelfTriggerFigures

        found = evaluation.details
        if not isinstance(found, SelfTriggerFigures):
            return ()
        brackets = found.brackets
        difference = "not compared: edges and records are not as many"
        if brackets.least_ns is not None and brackets.most_ns is not None:
            difference = (
                f"{microseconds(brackets.least_ns, sign=True)} to "
                f"{microseconds(brackets.most_ns, sign=True)} us, outside less inside, of "
                f"{brackets.compared:,} events"
            )
        return section(
            "measured",
            "Latency in microseconds of the same interrupts, made by the target itself",
            statistics_table(
                ("outside, by pins", found.external), ("inside, by ticks", found.internal)
            ),
            facts([Fact("difference", difference)]),
        )


class InterruptToTask(Interrupt):
    """The latency of an interrupt that a task answers, which the handler has woken."""

    name = "interrupt_to_task"
    agent_keys: ClassVar[tuple[str, ...]] = (
        "handler", "second_level", "priority", "cpu", *TRIGGER_KEYS,
    )  # fmt: skip

    def performer(self, settings: Settings, port: str) -> str:
        if port != KERNEL_PORT:
            return "user task"
        return f"kernel {settings.agent.get('second_level', 'thread')}"


class ImportedCapture(Interrupt):
    """Edges of two channels of a capture that was made without this rig; no plan asks for it."""

    name = "capture"
    sources = ()
    agent_keys = ()
