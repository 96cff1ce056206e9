# SPDX-License-Identifier: GPL-3.0-or-later
"""The time that a task of high priority waits for a mutex that one of low priority holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement, whole_word
from rig.limit_names import LATENCY
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.model.settings import Settings


def _least_ns(words: Mapping[str, str]) -> int:
    """Return the wait that the tasks cause on purpose: without a protocol the middle one's, too."""
    inverted = words.get("variant", "none") == "none"
    return whole_word(words, "section_ns") + (whole_word(words, "work_ns") if inverted else 0)


class PriorityInversion(MeasuredByTarget):
    """Waits for a mutex, while a task of middle priority is busy for a known time."""

    performed_by = "threads of a process"
    description = SelfMeasurement(
        name="priority_inversion",
        title="from a high task's release to the mutex that a low one holds, a middle one busy",
        variants={
            "none": "a mutex without a protocol",
            "inheritance": "whoever holds the mutex inherits the priority of those who wait",
            "ceiling": "whoever holds the mutex has the highest priority of those who may take it",
        },
        parts=(IterationPart(LATENCY, "blocked"),),
        keys=("work", "section"),
        needs=("work", "section"),
        levels=3,
        least_ns=_least_ns,
    )

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        return [
            *time_words(agent, "work_ns", before="middle "),
            *time_words(agent, "section_ns", before="section "),
            *agent_words(agent, without=("work_ns", "section_ns")),
        ]
