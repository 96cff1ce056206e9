# SPDX-License-Identifier: GPL-3.0-or-later
"""A task of low priority wakes one of high priority: how soon that one runs, and what follows."""

from __future__ import annotations

from rig.limit_names import LATENCY, SWITCH_BACK, WAIT
from rig.measure.inside import Inside, Part

_MEANS = {
    "semaphore": "a POSIX semaphore",
    "signal": "a signal that is waited for (sigwaitinfo)",
    "futex": "a futex",
    "eventfd": "an eventfd",
    "pipe": "a pipe",
}

TASK_PREEMPTION = Inside(
    name="task_preemption",
    title="from a task that wakes one of higher priority to that one",
    variants=_MEANS,
    parts=(Part(LATENCY, "preemption"),),
)

PREEMPTION = Inside(
    name="preemption",
    title="to a woken task of higher priority, its own time, and back",
    variants=_MEANS,
    parts=(Part(LATENCY, "cs1"), Part(WAIT, "wait"), Part(SWITCH_BACK, "cs2")),
)
