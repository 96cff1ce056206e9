# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in the train of a task that does nothing but toggle its pin.

What takes the processor away from all software, as a system management interrupt (SMI) does, takes
it from this task, too: the train has a gap that the analyzer sees. So has it when anything else
holds the task up; the kernel's own tracer for such gaps (see rig.tools.hwlat) runs with
interrupts off and tells what is left for the hardware.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.analysis.model.self_measurement import Part, SelfMeasurement
from rig.instruments import TargetSummary
from rig.limit_names import LATENCY
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.self_measured import MeasuredByTarget
from rig.tools.tool_runs import HWLAT

if TYPE_CHECKING:
    from rig.analysis.measurements.pipeline import Evaluator, RecordedRun
    from rig.analysis.model.settings import Settings


class Smi(MeasuredByTarget):
    """A task toggles its pin all the time; what holds it up is a gap between two toggles."""

    description = SelfMeasurement(
        name="smi",
        title="from one toggle of a spinning task's pin to the next",
        variants={"task": "a task that toggles its pin all the time"},
        parts=(Part(LATENCY, "interval"),),
        keys=("pause", "threshold"),
        needs=("pause", "threshold"),
        by_answers=("task",),
        always_pin=True,
        spins=True,
    )
    tools = (HWLAT.name,)

    def variant_words(self, settings: Settings) -> list[str]:
        agent = settings.agent
        return [
            *time_words(agent, "pause_ns", before="pause "),
            *time_words(agent, "threshold_ns", before="gaps above "),
            *agent_words(agent, without=("pause_ns", "threshold_ns")),
        ]

    def pin_writes(self, settings: Settings, summary: TargetSummary) -> int:  # noqa: ARG002
        """The log tells of few of them, `handled` counts them all."""
        return summary.handled

    def evaluator(self, run: RecordedRun) -> Evaluator:
        from rig.analysis.measurements.toggle_gaps import ToggleGapEvaluator  # loads scipy

        return ToggleGapEvaluator(run)
