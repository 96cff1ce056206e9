# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in the train of a task that does nothing but toggle its pin.

What takes the processor away from all software, as a system management interrupt (SMI) does, takes
it from this task, too: the train has a gap that the analyzer sees. So has it when anything else
holds the task up; the kernel's own tracer for such gaps (see rig.measure.tools.hwlat) runs with
interrupts off and tells what is left for the hardware.
"""

from __future__ import annotations

from rig.limit_names import LATENCY
from rig.measure.inside import Inside, Part

SMI = Inside(
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
