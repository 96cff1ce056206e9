# SPDX-License-Identifier: GPL-3.0-or-later
"""The time from just before a process or thread is made to its first instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import LATENCY
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.model.settings import Settings


_FIRST = "a copy as by fork, with the parent at rest until the child has ended (CLONE_VFORK)"


class TaskCreation(MeasuredByTarget):
    """Creation of a process or thread, again and again."""

    performed_by = ""  # the variant says it
    description = SelfMeasurement(
        name="task_creation",
        title="from making a process or thread to its first instruction",
        variants={"thread": "pthread_create", "fork": "fork", "fork_first": _FIRST},
        parts=(IterationPart(LATENCY, "creation"),),
        keys=("busy",),
    )

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        own = agent_words(agent, without=("busy_ns",))
        return [*own, *time_words(agent, "busy_ns", before="busy ")]
