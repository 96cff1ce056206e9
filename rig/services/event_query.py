# SPDX-License-Identifier: GPL-3.0-or-later
"""What is looked for in a run, and what is found; apart from what looks, which loads slowly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rig.analysis.model.events import EventClass

ANY: Final = 1 << 61


@dataclass(frozen=True)
class EventQuery:
    """Which event to look for. Times in samples, ranges without their ends."""

    low: int = 0
    high: int = ANY
    """Its latency, unless there are `kinds`."""
    first_sample: int = 0
    end_sample: int = ANY
    """Its stimulus."""
    kinds: tuple[EventClass, ...] = ()
    """It is one of these, whatever its latency."""


@dataclass(frozen=True)
class NotableEvent:
    """An event that is worth a look. Times in samples."""

    event: int
    """Number of the stimulus, from 0."""
    stimulus_sample: int
    response_sample: int
    """-1: nothing answered it."""
    reason: str
    """`maximum`, `missed`, `late`, `merged`, `ambiguous`, `over limit`, or `seen`: asked for."""

    @property
    def latency_samples(self) -> int | None:
        """None without an answer."""
        return None if self.response_sample < 0 else self.response_sample - self.stimulus_sample
