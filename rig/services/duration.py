# SPDX-License-Identifier: GPL-3.0-or-later
"""The duration of a run, before it is made."""

from __future__ import annotations

from typing import Final

from rig.config.plan import SECOND_PS, Plan
from rig.target.scenario import IDLE

SETUP_S: Final = 3.0
"""The time to open the instruments, and to evaluate and report what was measured."""
BOOT_S: Final = 20.0
"""The time in which a guest boots for each run."""
LOAD_S: Final = 2.5
"""The time in which a load starts, and the system is watched before and under it."""


def expected_s(plan: Plan, *, guest: bool = False) -> float:
    """Return the time of a whole run, from opening the instruments to its report.

    `guest`: on a target that boots first.
    Raises ValueError for a train that no chip could make.
    """
    before_s = SETUP_S + (BOOT_S if guest else 0) + (LOAD_S if plan.scenario != IDLE else 0)
    return before_s + measuring_s(plan)


def measuring_s(plan: Plan) -> float:
    """Return the time of the target's tools, of the events after them, and of the wait at the end.

    Raises ValueError for a train that no chip could make.
    """
    tools_s = 0 if plan.tools is None else plan.tools.expected_s(plan.agent)
    return tools_s + plan.events_s + plan.response.timeout_ps / SECOND_PS


def in_words(seconds: float) -> str:
    """Return a time as people write it: `45 s`, `3 min`, `5.6 h`."""
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    if seconds < 99.5 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
