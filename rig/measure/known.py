# SPDX-License-Identifier: GPL-3.0-or-later
"""All measurements inside the target, by name."""

from __future__ import annotations

from typing import Final

from rig.measure.clock_resolution import CLOCK_RESOLUTION
from rig.measure.inside import COMMON_KEYS, Inside
from rig.measure.services import SERVICES
from rig.measure.smi import SMI
from rig.measure.start_finish import START_FINISH
from rig.measure.task_creation import TASK_CREATION
from rig.measure.task_switch import TASK_SWITCH
from rig.measure.timer import TIMER
from rig.measure.wakes import PREEMPTION, TASK_PREEMPTION

SATURATION: Final = "saturation"
"""The search for the highest rate, by stimuli: not inside. Here, since what it needs loads long."""
INSIDE: dict[str, Inside] = {
    each.name: each
    for each in (
        TASK_SWITCH,
        TASK_PREEMPTION,
        PREEMPTION,
        TIMER,
        CLOCK_RESOLUTION,
        TASK_CREATION,
        SERVICES,
        START_FINISH,
        SMI,
    )
}


def agent_keys() -> dict[str, tuple[str, ...]]:
    """Keys of a plan's [agent] that each of them may have."""
    return {name: (*COMMON_KEYS, *each.keys) for name, each in INSIDE.items()}
