# SPDX-License-Identifier: GPL-3.0-or-later
"""Sources of events that need only the target.

Those that need a stimulus microcontroller are the pulse train of `rig.stimulus.train`, and the
search of `rate_search.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rig.event_source import EventSource
from rig.untrusted.decode import NumberRange


@dataclass(frozen=True)
class TargetClocked(EventSource):
    """Events that the target makes at equal intervals of its own clock."""

    period_ns: Annotated[int, NumberRange(1, 10**12)]
    """Time from one event to the next, nominally."""
    count: Annotated[int, NumberRange(1, 2**32)]
    """Number of events after which the run ends; those without an answer are counted as well."""


@dataclass(frozen=True)
class Schedule(TargetClocked):
    """Periods at whose beginning a task of the target answers."""

    kind = "schedule"


@dataclass(frozen=True)
class SelfTriggers(TargetClocked):
    """Interrupts that the target triggers on its own interrupt line, and answers."""

    kind = "self_triggers"


@dataclass(frozen=True)
class SelfMeasured(EventSource):
    """Values that the target measures by its own counter, with no stimulus and no schedule."""

    kind = "self_measured"

    count: Annotated[int, NumberRange(1, 2**32)]
    """Number of values after which the run ends."""
