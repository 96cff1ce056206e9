# SPDX-License-Identifier: GPL-3.0-or-later
"""The time until a woken task of high priority runs, and what follows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import LATENCY, SWITCH_BACK, WAIT
from rig.measurements.measurement import agent_words, time_words
from rig.measurements.self_measured import MeasuredByTarget

if TYPE_CHECKING:
    from rig.analysis.model.settings import Settings

_MEANS = {
    "semaphore": "a POSIX semaphore",
    "signal": "a signal that is waited for (sigwaitinfo)",
    "futex": "a futex",
    "eventfd": "an eventfd",
    "pipe": "a pipe",
    "handler": "a signal with a handler (kill, sigsuspend); it runs when the handler is entered",
}


class TaskPreemption(MeasuredByTarget):
    """The time of the switch to the woken task alone."""

    performed_by = "threads of a process"
    description = SelfMeasurement(
        name="task_preemption",
        title="from a task that wakes one of higher priority to that one",
        variants=_MEANS,
        parts=(IterationPart(LATENCY, "preemption"),),
        keys=("tasks_as", "pause", "busy", "low_priority"),
    )

    def variant_words(self, settings: Settings) -> list[str]:
        return _variant_words(settings)


class Preemption(MeasuredByTarget):
    """The times of the switch to the woken task, of that task, and of the switch back."""

    performed_by = "threads of a process"
    measurands = (LATENCY, WAIT, SWITCH_BACK)
    description = SelfMeasurement(
        name="preemption",
        title="to a woken task of higher priority, its own time, and back",
        variants={
            **_MEANS,
            "timer": "its own timer, while the other one spins reading the counter",
        },
        parts=(
            IterationPart(LATENCY, "cs1"),
            IterationPart(WAIT, "wait", beyond="wait_ns"),
            IterationPart(SWITCH_BACK, "cs2"),
        ),
        keys=("tasks_as", "pause", "busy", "wait", "low_priority", "timeout"),
        fails=("timer",),
    )

    def rows(self) -> dict[str, str]:
        """Return the rows as published: cs1 and cs2 are the two context switches."""
        return {"cs1": LATENCY, "wait": WAIT, "cs2": SWITCH_BACK}

    def variant_words(self, settings: Settings) -> list[str]:
        return _variant_words(settings)


_TIMES = {"pause_ns": "pause ", "busy_ns": "busy ", "wait_ns": "wait "}
"""Words of times that distinguish runs, and what is written before each."""


def _variant_words(settings: Settings) -> list[str]:
    agent = settings.agent
    hidden = (*_TIMES, "low_priority", "timeout_ns")
    times = (time_words(agent, key, before=before) for key, before in _TIMES.items())
    return [*agent_words(agent, without=hidden), *(text for found in times for text in found)]
