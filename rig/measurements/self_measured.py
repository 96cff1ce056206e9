# SPDX-License-Identifier: GPL-3.0-or-later
"""What measurements that the target makes by itself have in common."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from rig.analysis.model.self_measurement import COMMON_KEYS, SelfMeasurement
from rig.analysis.model.sources import EventSource, SelfMeasured
from rig.instruments import ArmOptions, TargetSummary
from rig.measurements.measurement import SPARE_LOG_RECORDS, Measurement

if TYPE_CHECKING:
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.model.settings import Settings
    from rig.recording.course import Course


class MeasuredByTarget(Measurement):
    """Values of the target's own counter; the pins, where they are used, are the witness."""

    description: ClassVar[SelfMeasurement]
    """Its variants and the parts of a value."""
    sources = (SelfMeasured,)
    plan_table = "agent"
    no_pulses = "the target measures by itself, and no pulses are sent"
    has_events = False

    def __init_subclass__(cls) -> None:
        """Take from the description what every measurement has."""
        cls.name = cls.description.name
        cls.agent_keys = (*COMMON_KEYS, *cls.description.keys)

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")

    def target_source(self, period_ns: int, count: int) -> EventSource:  # noqa: ARG002
        return SelfMeasured(count)

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        """It ends by itself: the log needs no more room than for what is asked."""
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
        """Edges of the response pin that the target has made, by its account."""
        return self.description.pin_writes(settings.agent, summary.records)

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.self_measured import ValueEvaluator  # loads scipy

        return ValueEvaluator(run, self.description)
