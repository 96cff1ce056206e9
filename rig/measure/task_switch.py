# SPDX-License-Identifier: GPL-3.0-or-later
"""From one task to the next of the same priority, on one processor."""

from __future__ import annotations

from rig.limit_names import LATENCY
from rig.measure.inside import Inside, Part

TASK_SWITCH = Inside(
    name="task_switch",
    title="from a task that gives way to the next one of the same priority",
    variants={
        "yield": "each task yields (sched_yield) in turn",
        "mutex": "two tasks wait for each other's mutex",
    },
    parts=(Part(LATENCY, "switch"),),
    keys=("tasks",),
)
