# SPDX-License-Identifier: GPL-3.0-or-later
"""How late a sleep ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rig.analysis.model.self_measurement import Part, SelfMeasurement
from rig.limit_names import LATENCY
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.model.settings import Settings


class Timer(MeasuredByTarget):
    """A task sleeps again and again."""

    description = SelfMeasurement(
        name="timer",
        title="from the time that a sleep should end to the task",
        variants={
            "absolute": "clock_nanosleep until a time",
            "relative": "clock_nanosleep for a time",
            "periodic": "clock_nanosleep until the next time of a grid, as a periodic task starts",
        },
        parts=(Part(LATENCY, "delay"),),
        keys=("period",),
        needs=("period",),
        clocked=("absolute", "relative", "periodic"),
    )

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        if not starts_periodic_task(agent):
            return super().variant_words(settings)
        return [*time_words(agent, "period_ns"), *agent_words(agent, without=("variant",))]


def starts_periodic_task(agent: Mapping[str, str]) -> bool:
    """Whether the values are the starts of a periodic task, by the words for the agent."""
    return agent.get("variant") == "periodic"
