# SPDX-License-Identifier: GPL-3.0-or-later
"""How well a task keeps its periods: when it answers, and how far its intervals are off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.analysis.model.sources import EventSource, Schedule
from rig.instruments import ArmOptions
from rig.limit_names import BY_TICKS, INTERVAL_ERROR, LATENCY
from rig.measurements.measurement import (
    SPARE_LOG_RECORDS,
    Measurement,
    agent_words,
    short_time,
    source_as,
)
from rig.tools.tool_runs import CYCLICTEST, TIMERLAT

if TYPE_CHECKING:
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.model.settings import Settings
    from rig.recording.course import Course


class Period(Measurement):
    """A task answers at the beginning of each of its periods."""

    name = "period"
    title = "period accuracy"
    sources = (Schedule,)
    plan_table = "agent"
    no_pulses = "the target is measured at periods of its own, and no pulses are sent"
    measurands = (LATENCY, INTERVAL_ERROR, LATENCY + BY_TICKS, INTERVAL_ERROR + BY_TICKS)
    agent_keys = ("period", "count", "timer", "priority", "cpu")
    tools = (CYCLICTEST.name, TIMERLAT.name)

    def target_source(self, period_ns: int, count: int) -> EventSource:
        return Schedule(period_ns, count)

    def nominal_interval_ns(self, settings: Settings) -> int | None:
        return source_as(Schedule, settings).period_ns

    def arm_options(self, settings: Settings, planned: int) -> ArmOptions:
        return ArmOptions(
            measurement=self.name,
            capacity=2 * planned + SPARE_LOG_RECORDS,
            sequence_bits=len(settings.wiring.sequence),
            options=dict(settings.agent),
        )

    def variant_words(self, settings: Settings) -> list[str]:
        own = [] if settings.schedule is None else [short_time(settings.schedule.period_ns)]
        return own + agent_words(settings.agent)

    def course(self, settings: Settings, timeout_samples: int) -> Course:
        from rig.recording.by_target import ScheduleCourse  # loads the native library

        return ScheduleCourse(settings, timeout_samples, source_as(Schedule, settings))

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.periods import PeriodEvaluator  # loads scipy

        return PeriodEvaluator(run, source_as(Schedule, run.settings))
