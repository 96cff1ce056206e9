# SPDX-License-Identifier: GPL-3.0-or-later
"""The times when a periodic task starts and finishes: its pin toggles at both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import BY_PINS, FINISH, LATENCY, WORK
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.reported import Subject
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.model.settings import Settings


class StartFinish(MeasuredByTarget):
    """The start and finish of a periodic task, at both of which it toggles its pin."""

    measurands = (
        LATENCY, FINISH, WORK, LATENCY + BY_PINS, FINISH + BY_PINS, WORK + BY_PINS,
    )  # fmt: skip
    description = SelfMeasurement(
        name="start_finish",
        title="a periodic task's start and finish, each after its earliest, and its work between",
        variants={"task": "clock_nanosleep until the time of each period"},
        parts=(
            IterationPart(LATENCY, "start"),
            IterationPart(FINISH, "finish"),
            IterationPart(WORK, "work"),
        ),
        keys=("period", "work"),
        needs=("period",),
        by_answers=("task",),
        always_pin=True,
        periodic=True,
    )

    @property
    def subjects(self) -> tuple[Subject, ...]:
        note = "Starts and finishes are against the earliest of each."
        return (Subject(self.name, "start-finish", note=note),)

    def rows(self) -> dict[str, str]:
        return {
            "start by ticks": LATENCY,
            "start by pins": LATENCY + BY_PINS,
            "finish by ticks": FINISH,
            "finish by pins": FINISH + BY_PINS,
        }

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        return [
            *time_words(agent, "period_ns"),
            *time_words(agent, "work_ns", before="work "),
            *agent_words(agent, without=("work_ns",)),
        ]
