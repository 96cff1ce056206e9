# SPDX-License-Identifier: GPL-3.0-or-later
"""What a flow is told, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from typing import Final

from rig.analysis.model.events import EventClass
from rig.analysis.model.wiring import Wiring
from rig.capture.native import flow as native

CAPACITY: Final = 1 << 16
NOTABLE_MAX: Final = 256
"""Notable events kept until they are taken."""


@dataclass(frozen=True)
class FlowSettings:
    """What a flow is told. Times in samples."""

    wiring: Wiring
    settle_samples: int
    """The time from an answer until its sequence pins are read."""
    glitch_samples: int
    """Pulses shorter than this are counted and set aside; 0: none are."""
    horizon_samples: int
    """A stimulus is decided no later than this after its edge."""
    limit_samples: int | None
    """Latencies above it are notable."""
    capacity: int
    """Undecided stimuli kept at most, and undecided answers; a power of two."""

    def __post_init__(self) -> None:
        """Raises ValueError for settings that cannot be."""
        wiring = self.wiring
        channels = (wiring.stimulus, wiring.response, *wiring.sequence)
        if len(set(channels)) != len(channels) or not all(0 <= c < 64 for c in channels):
            raise ValueError(f"each signal needs a channel of its own from 0 to 63, not {channels}")
        if len(wiring.sequence) > native.PINS_MAX:
            raise ValueError(
                f"{len(wiring.sequence)} sequence pins; a flow reads {native.PINS_MAX} at most"
            )
        for name in ("glitch_samples", "horizon_samples", "limit_samples"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < native.SAMPLE_MAX:
                raise ValueError(f"{name} is {value}, which is not from 0 to 2**61 - 1")
        if self.capacity.bit_count() != 1 or not 0 < self.capacity <= native.CAPACITY_MAX:
            raise ValueError(f"a capacity of {self.capacity} is not a power of two up to 2**24")


class EventReason(IntFlag):
    """The reasons why an event is worth a line; several may hold."""

    MAXIMUM = 1
    """Its latency is above all before it."""
    LIMIT = 2
    """Its latency is above the limit."""
    MISSED = 4
    LATE = 8
    MERGED = 16
    AMBIGUOUS = 32


@dataclass(frozen=True)
class Notable:
    """An event that is worth a line."""

    event: int
    """Number of the stimulus, from 0."""
    stimulus_sample: int
    response_sample: int
    """-1: nothing answered it."""
    kind: EventClass
    reasons: EventReason


@dataclass(frozen=True)
class Doubts:
    """The counts of decisions before a flow could be sure; without any its figures are final."""

    expired: int = 0
    """Decisions that the horizon made: what comes later could have changed them."""
    forced: int = 0
    """Decisions made because no more undecided events can be kept."""
    contradicted: int = 0
    """Answers that do not fit what had been decided before them."""
