# SPDX-License-Identifier: GPL-3.0-or-later
"""How late a sleep ends."""

from __future__ import annotations

from rig.limit_names import LATENCY
from rig.measure.inside import Inside, Part

TIMER = Inside(
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
