# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the events of a run come from: each run has one such source, and it is one of five kinds.

Two of them need a stimulus microcontroller: the pulse train of `rig.stimulus.train` and the search
of `rate_search.py`. The three in this file need only the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from rig.analysis.model.rate_search import RateSearch
from rig.stimulus.train import Polarity, Train
from rig.untrusted.decode import NumberRange


@dataclass(frozen=True)
class TargetClocked:
    """Events that the target makes at equal intervals of its own clock."""

    period_ns: Annotated[int, NumberRange(1, 10**12)]
    """From one event to the next, nominally."""
    count: Annotated[int, NumberRange(1, 2**32)]
    """Events after which the run ends; those that got no answer are counted as well."""


@dataclass(frozen=True)
class Schedule(TargetClocked):
    """Periods at whose beginning a task of the target answers."""


@dataclass(frozen=True)
class SelfTriggers(TargetClocked):
    """Interrupts that the target triggers on its own interrupt line, and answers."""


@dataclass(frozen=True)
class SelfMeasured:
    """Values that the target measures by its own counter, with no stimulus and no schedule."""

    count: Annotated[int, NumberRange(1, 2**32)]
    """Values after which the run ends."""


EventSource = Train | Schedule | SelfTriggers | RateSearch | SelfMeasured
"""The kinds of sources. A capture that was made without this rig has none that is known."""
SOURCE_KINDS: Final[dict[type, str]] = {
    Train: "train",
    Schedule: "schedule",
    SelfTriggers: "self_triggers",
    RateSearch: "rate_search",
    SelfMeasured: "self_measured",
}
"""What a run file calls each kind."""


def planned_count(source: EventSource | None) -> int | None:
    """Number of events that the plan asks for; None if the source is not known.

    Of a search for the highest rate it is the number at the first rate: how many follow depends on
    the answers.
    """
    return None if source is None else source.count


def active_level(source: EventSource | None) -> int:
    """Level of the stimulus line after the leading edge of a pulse."""
    if isinstance(source, Train | RateSearch) and source.polarity is Polarity.NEGATIVE:
        return 0
    return 1
