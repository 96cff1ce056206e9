# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of measurements that the target makes by itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rig.analysis.model.self_measurement import SelfMeasurement
from rig.analysis.model.sources import SelfMeasured
from rig.document import Fact, Section, Tone, Toned, facts, section
from rig.event_source import EventSource
from rig.formatting import microseconds
from rig.instruments import ArmOptions, TargetSummary
from rig.limit_names import FAILED
from rig.measurements.measurement import SPARE_LOG_RECORDS, Measurement
from rig.measurements.reported import CLOCK, TICKS, statistics_table

if TYPE_CHECKING:
    from rig.analysis.measurements.evaluation import Evaluation
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.measurements.values import ValueFigures
    from rig.analysis.model.details import Details
    from rig.analysis.model.run_data import RawRun
    from rig.analysis.model.settings import Settings
    from rig.measurements.value_table import ValueTable
    from rig.recording.course import Course


class MeasuredByTarget(Measurement):
    """A measurement by the target's own counter; the pins, where they are used, are the witness."""

    description: ClassVar[SelfMeasurement]
    """Description of its variants and of the parts of a value."""
    performed_by: ClassVar[str] = "user task"
    """What is measured, for tables: `user task`, or several threads."""
    sources = (SelfMeasured,)
    plan_table = "agent"
    no_pulses = "the target measures by itself, and no pulses are sent"
    has_events = False
    events = "values"
    event_end = "value"

    def __init_subclass__(cls) -> None:
        """Take from the description what every measurement has."""
        cls.name = cls.description.name
        cls.agent_keys = cls.description.all_keys

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")

    def counts_limited(self, variant: str) -> tuple[str, ...]:
        return (FAILED,) if variant in self.description.fails else ()

    def target_source(self, period_ns: int, count: int) -> EventSource:  # noqa: ARG002
        return SelfMeasured(count)

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        """Return what the agent is asked to do: it ends by itself, so its log has room for that."""
        on_pins = self.description.on_pins(settings.agent)
        return ArmOptions(
            measurement=self.name,
            capacity=self.description.capacity(settings.agent, planned) + SPARE_LOG_RECORDS,
            sequence_bits=len(settings.wiring.sequence) if on_pins else 0,
            options=dict(settings.agent),
        )

    def course(self, settings: Settings, timeout_samples: int) -> Course:
        from rig.recording.by_target import ValueCourse  # loads the native library

        return ValueCourse(settings, timeout_samples, partial(self.pin_writes, settings))

    def pin_writes(self, settings: Settings, summary: TargetSummary) -> int:
        """Return the number of the response pin's edges that the target made, by its summary."""
        failed = summary.unanswered or 0 if self.description.can_fail(settings.agent) else 0
        return self.description.pin_writes(settings.agent, summary.records - failed)

    def details(self) -> tuple[type[Details], ...]:
        from rig.analysis.measurements.values import ValueFigures

        return (ValueFigures,)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.self_measured import ValueEvaluator  # loads scipy

        return ValueEvaluator(run, self.description)

    def value_table(self, raw: RawRun, settings: Settings) -> ValueTable | None:
        from rig.measurements.value_table import logged_table

        return logged_table(self.description, raw, settings)

    def by(self, settings: Settings) -> str:
        described = self.description
        return CLOCK if described.variant(settings.agent) in described.clocked else TICKS

    def performer(self, settings: Settings, port: str) -> str:  # noqa: ARG002
        tasks_as = settings.agent.get("tasks_as")
        return tasks_as if tasks_as == "processes" else self.performed_by

    def cause(self, settings: Settings) -> Fact:
        return Fact("values", f"{settings.planned}, measured inside the target")

    def quantity(self, evaluation: Evaluation) -> str:
        found = _found(evaluation)
        return found.rows[0].title if found is not None and found.rows else "value"

    def sections(self, evaluation: Evaluation) -> tuple[Section, ...]:
        """Return a line for each part of a value, and the facts of them all."""
        found = _found(evaluation)
        if found is None:
            return ()
        return section(
            "measured",
            f"In microseconds: {found.title}",
            statistics_table(*((row.title, row.figures) for row in found.rows)),
            facts(_facts(found)),
        )


def _found(evaluation: Evaluation) -> ValueFigures | None:
    from rig.analysis.measurements.values import ValueFigures

    return evaluation.details if isinstance(evaluation.details, ValueFigures) else None


def _facts(found: ValueFigures) -> Iterator[Fact]:
    yield Fact("variant", f"{found.variant}: {found.variant_words}")
    yield Fact("unit", f"{1e9 / found.unit_hz:.3g} ns, {_unit(found)}")
    yield Fact("outside", found.seen_outside)
    if found.batch:
        yield Fact("mean of", f"{found.batch:,} switches that were timed as a whole, each value")
    if found.warm_up:
        most = microseconds(found.warm_up_max_ns)
        dropped = f"the first {found.warm_up:,} values are in no figure, of up to {most} us"
        yield Fact("warm-up", dropped)
    if found.failed is not None:
        failed = f"{found.failed:,} iterations, which gave no value"
        yield Fact("failed", Toned(failed, Tone.BAD) if found.failed else "none")
    if found.went_on:
        yield Fact("went on", f"{found.went_on:,} wakes did not preempt at once")
    if found.without_value:
        yield Fact("no value", f"{found.without_value:,} iterations without a switch")
    if found.at_zero:
        step = found.smallest_step_ns
        least = "no larger one" if step is None else f"the least step is {step:,.0f} ns"
        yield Fact("no step", f"{found.at_zero:,} values of 0; {least}")


def _unit(found: ValueFigures) -> str:
    if found.by_clock:
        return "by the target's own clock in nanoseconds"
    tick = f"1/{found.batch} of a tick" if found.batch else "a tick"
    if found.rate_ppm is None:
        return f"{tick} at the rate that the agent reported"
    return f"{tick} as reported; the analyzer finds its rate {found.rate_ppm:+.3f} ppm off"
