# SPDX-License-Identifier: GPL-3.0-or-later
"""The time from one task to the next of the same priority, on one processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import LATENCY
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.model.settings import Settings


class TaskSwitch(MeasuredByTarget):
    """Switches between tasks of one priority that give way to each other in turn."""

    performed_by = "threads of a process"
    description = SelfMeasurement(
        name="task_switch",
        title="from a task that gives way to the next one of the same priority",
        variants={
            "yield": "each task yields (sched_yield) in turn",
            "mutex": "two tasks wait for each other's mutex",
        },
        parts=(IterationPart(LATENCY, "switch"),),
        keys=("tasks", "tasks_as", "busy", "batch"),
        takes_turns=True,
        torn_at_ordinary_priority=True,
    )

    def variant_words(self, settings: Settings) -> list[str]:
        """Return the number of tasks alone, as published, if they yield."""
        agent = settings.agent
        own = agent_words(agent, without=("variant", "tasks", "batch", "busy_ns"))
        switched = agent.get("variant", "yield")
        if switched == "yield":
            switched = f"{agent.get('tasks', '2')} tasks"
        means = [f"means of {agent['batch']}"] if "batch" in agent else []
        return [switched, *own, *means, *time_words(agent, "busy_ns", before="busy ")]
