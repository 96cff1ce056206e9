# SPDX-License-Identifier: GPL-3.0-or-later
"""The time from one reading of a clock to the next."""

from __future__ import annotations

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import LATENCY
from rig.measurements.self_measured import MeasuredByTarget


class ClockResolution(MeasuredByTarget):
    """Readings of one clock of the system, one after the other."""

    description = SelfMeasurement(
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
        parts=(IterationPart(LATENCY, "step"),),
        by_settable_clock=("realtime",),
        clocked=("monotonic", "monotonic_raw", "realtime", "boottime", "coarse"),
    )
