# SPDX-License-Identifier: GPL-3.0-or-later
"""The time until a woken task of high priority runs, and what follows it."""

from __future__ import annotations

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import LATENCY, SWITCH_BACK, WAIT
from rig.measurements.self_measured import MeasuredByTarget

_MEANS = {
    "semaphore": "a POSIX semaphore",
    "signal": "a signal that is waited for (sigwaitinfo)",
    "futex": "a futex",
    "eventfd": "an eventfd",
    "pipe": "a pipe",
}


class TaskPreemption(MeasuredByTarget):
    """The time of the switch to the woken task alone."""

    description = SelfMeasurement(
        name="task_preemption",
        title="from a task that wakes one of higher priority to that one",
        variants=_MEANS,
        parts=(IterationPart(LATENCY, "preemption"),),
    )


class Preemption(MeasuredByTarget):
    """The times of the switch to the woken task, of that task, and of the switch back."""

    measurands = (LATENCY, WAIT, SWITCH_BACK)
    description = SelfMeasurement(
        name="preemption",
        title="to a woken task of higher priority, its own time, and back",
        variants=_MEANS,
        parts=(
            IterationPart(LATENCY, "cs1"),
            IterationPart(WAIT, "wait"),
            IterationPart(SWITCH_BACK, "cs2"),
        ),
    )

    def rows(self) -> dict[str, str]:
        """Return the rows as published: cs1 and cs2 are the two context switches."""
        return {"cs1": LATENCY, "wait": WAIT, "cs2": SWITCH_BACK}
