# SPDX-License-Identifier: GPL-3.0-or-later
"""When a periodic task starts and finishes: its pin toggles at both."""

from __future__ import annotations

from rig.limit_names import FINISH, LATENCY, WORK
from rig.measure.inside import Inside, Part

START_FINISH = Inside(
    name="start_finish",
    title="a periodic task's start and finish, each after its earliest, and its work between",
    variants={"task": "clock_nanosleep until the time of each period"},
    parts=(Part(LATENCY, "start"), Part(FINISH, "finish"), Part(WORK, "work")),
    keys=("period", "work"),
    needs=("period",),
    by_answers=("task",),
    always_pin=True,
    periodic=True,
)
