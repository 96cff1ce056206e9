# SPDX-License-Identifier: GPL-3.0-or-later
"""The time from a task's request for a semaphore that another one holds to the semaphore."""

from __future__ import annotations

from rig.analysis.model.self_measurement import IterationPart, SelfMeasurement
from rig.limit_names import LATENCY
from rig.measurements.self_measured import MeasuredByTarget


class SemaphoreShuffle(MeasuredByTarget):
    """Requests for a semaphore, which its holder gives back as soon as it runs."""

    performed_by = "threads of a process"
    description = SelfMeasurement(
        name="semaphore_shuffle",
        title="from a request for a semaphore that a lower task holds to the semaphore",
        variants={
            "semaphore": "a POSIX semaphore with one unit",
            "mutex": "a mutex without a protocol",
        },
        parts=(IterationPart(LATENCY, "shuffle"),),
        levels=2,
    )
