# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the events of a run come from: each run has one such source, and it is one of five kinds.

Two of them need a stimulus microcontroller: the pulse train of `rig.stimulus.train` and the search
of `rate_search.py`. The three in this file need only the target.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Annotated, Any

from rig.analysis.model.rate_search import RateSearch
from rig.stimulus.train import Polarity, Train
from rig.untrusted.decode import Range, decoded


@dataclass(frozen=True)
class TargetClocked:
    """Events that the target makes at equal intervals of its own clock."""

    period_ns: Annotated[int, Range(1, 10**12)]
    """From one event to the next, nominally."""
    count: Annotated[int, Range(1, 2**32)]
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

    count: Annotated[int, Range(1, 2**32)]
    """Values after which the run ends."""


EventSource = Train | Schedule | SelfTriggers | RateSearch | SelfMeasured
"""The kinds of sources. A capture that was made without this rig has none that is known."""


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


@dataclass(frozen=True)
class _Stored:
    """The keys by which a run file stores where the events come from; one of them at most."""

    train: Train | None = None
    schedule: Schedule | None = None
    triggers: SelfTriggers | None = None
    inside: Annotated[int, Range(1, 2**32)] | None = None
    search: RateSearch | None = None

    def __post_init__(self) -> None:
        """Raises ValueError for more than one."""
        given = [each.name for each in fields(self) if getattr(self, each.name) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} given; valid: one of them at most")

    @property
    def source(self) -> EventSource | None:
        inside = None if self.inside is None else SelfMeasured(self.inside)
        return self.train or self.schedule or self.triggers or inside or self.search


SOURCE_KEYS = tuple(each.name for each in fields(_Stored))
"""Keys of stored settings that tell of the source."""


def source_to_json(source: EventSource | None) -> dict[str, Any]:
    """Keys of stored settings; what only newer versions know is there only if it is of use."""
    stored: dict[str, Any] = {"train": None, "schedule": None, "triggers": None}
    match source:
        case SelfMeasured():
            stored["inside"] = source.count
        case RateSearch():
            stored["search"] = asdict(source)
        case Schedule():
            stored["schedule"] = asdict(source)
        case SelfTriggers():
            stored["triggers"] = asdict(source)
        case Train():
            stored["train"] = asdict(source)
    return stored


def source_from_json(stored: dict[str, Any]) -> EventSource | None:
    """The source that stored settings tell of. Raises ValueError if they make no sense."""
    return decoded(_Stored, {name: stored[name] for name in SOURCE_KEYS if name in stored}).source
