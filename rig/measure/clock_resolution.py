# SPDX-License-Identifier: GPL-3.0-or-later
"""From one reading of a clock to the next."""

from __future__ import annotations

from rig.limit_names import LATENCY
from rig.measure.inside import Inside, Part

CLOCK_RESOLUTION = Inside(
    name="clock_resolution",
    title="from one reading of a clock to the next",
    variants={
        "monotonic": "CLOCK_MONOTONIC",
        "monotonic_raw": "CLOCK_MONOTONIC_RAW",
        "realtime": "CLOCK_REALTIME",
        "boottime": "CLOCK_BOOTTIME",
        "coarse": "CLOCK_MONOTONIC_COARSE",
        "counter": "the agent's cycle counter",
    },
    parts=(Part(LATENCY, "step"),),
    clocked=("monotonic", "monotonic_raw", "realtime", "boottime", "coarse"),
)
