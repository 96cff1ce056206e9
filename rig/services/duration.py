# SPDX-License-Identifier: GPL-3.0-or-later
"""The duration of a run, before it is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rig.campaign.skipping import is_guest
from rig.config.fixture import Fixture
from rig.config.plan import SECOND_PS, Plan
from rig.target.scenario import IDLE

SETUP_S: Final = 3.0
"""The time to open the instruments, and to evaluate and report what was measured."""
BOOT_S: Final = 20.0
"""The time in which a guest boots for each run."""
LOAD_S: Final = 2.5
"""The time in which a load starts, and the system is watched before and under it."""


EVALUATE_S: Final = 5e-6
"""The time in which an event is evaluated, stored and drawn, of a run that is long."""


@dataclass(frozen=True)
class _Pace:
    """The time that virtual time takes: on an otherwise idle machine, rounded up."""

    second_s: float
    loaded_second_s: float
    """Of a second under a load on the target."""
    event_s: float

    def time_s(self, virtual_s: float, events: float, *, loaded: bool) -> float:
        return virtual_s * (self.loaded_second_s if loaded else self.second_s) + (
            events * self.event_s
        )


_MODEL: Final = _Pace(second_s=0.02, loaded_second_s=0.02, event_s=40e-6)
_GUEST: Final = _Pace(second_s=0.2, loaded_second_s=10.0, event_s=0.5e-3)


def expected_s(plan: Plan, fixture: Fixture | None = None) -> float:
    """Return the time of a whole run, from opening the instruments to its report.

    `fixture`: a virtual one has a time of its own; None: any real one.
    Raises ValueError for a train that no chip could make.
    """
    before_s = SETUP_S + (LOAD_S if plan.scenario != IDLE else 0) + plan.count * EVALUATE_S
    if fixture is None or fixture.virtual is None:
        return before_s + measuring_s(plan)
    loaded = plan.scenario != IDLE
    if is_guest(fixture):
        wakes = 0.0 if plan.tools is None else plan.tools.expected_wakes(plan.agent)
        virtual_s, events = measuring_s(plan), plan.count * (plan.agent.batch or 1) + wakes
        return before_s + BOOT_S + _GUEST.time_s(virtual_s, events, loaded=loaded)
    return before_s + _MODEL.time_s(plan.events_s, plan.count, loaded=loaded)


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
