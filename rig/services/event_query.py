# SPDX-License-Identifier: GPL-3.0-or-later
"""The query and the result of a search in a run, apart from the search, which loads slowly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rig.analysis.model.events import EventClass

ANY: Final = 1 << 61


@dataclass(frozen=True)
class EventQuery:
    """A query for an event. Times in samples, ranges without their ends."""

    low: int = 0
    high: int = ANY
    """The range of its latency, from `low`, unless there are `kinds`."""
    first_sample: int = 0
    end_sample: int = ANY
    """The range of its stimulus, from `first_sample`."""
    kinds: tuple[EventClass, ...] = ()
    """The classes of which it is one, whatever its latency."""


@dataclass(frozen=True)
class NotableEvent:
    """An event that is worth a look. Times in samples."""

    event: int
    """The number of the stimulus, from 0."""
    stimulus_sample: int
    response_sample: int
    """The answer's sample; -1: nothing answered it."""
    reason: str
    """`maximum`, `missed`, `late`, `merged`, `ambiguous`, `over limit`, or `seen`: asked for."""

    @property
    def latency_samples(self) -> int | None:
        """The latency; None without an answer."""
        return None if self.response_sample < 0 else self.response_sample - self.stimulus_sample
