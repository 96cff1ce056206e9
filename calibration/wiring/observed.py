# SPDX-License-Identifier: GPL-3.0-or-later
"""What was driven and what was seen of it, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.recording import Recording
from rig.config.fixture import STIMULUS

CODE_FIRST, CODE_STEP = 3, 2
"""Numbers of pulses are odd and apart: a pulse lost or gained makes no other wire's number."""
PERIOD_US = 1000
"""From one pulse to the next; high for half of it."""
QUIET_MS = 60
"""Between two wires nothing is driven for this long."""
SILENCE_S = 0.015
"""No edges for so long, and what comes next is another burst. An ordinary task on the target may be
kept from its next pulse for some milliseconds."""
RATE_TRUSTED = 3.0
"""Beyond this factor from nominal, the rough rate is believed rather than the nominal one."""


@dataclass(frozen=True)
class EdgeBurst:
    """Edges of one channel that follow each other closely."""

    first: int
    """Sample index of the first edge."""
    last: int
    edges: int
    first_level: int
    """The level that the first edge leads to."""

    @property
    def pulses(self) -> int | None:
        """How many; None if it does not end where it began."""
        return None if self.edges % 2 else self.edges // 2


@dataclass(frozen=True)
class Driven:
    """One wire's turn."""

    signal: str
    pulses: int
    """No two wires have the same number."""
    captured: int
    """Edges that the microcontroller saw on its capture pin meanwhile."""


@dataclass(frozen=True)
class Observed:
    """All that the wiring check has seen."""

    driven: tuple[Driven, ...]
    refused: Mapping[str, str]
    """Wires that nobody could drive, and why."""
    bursts: Mapping[int, tuple[EdgeBurst, ...]]
    """By channel; of those with edges."""
    rest_levels: int
    """Bit mask: the levels of the channels before anything was driven."""
    rate_hz: float
    """At which the analyzer samples, as the microcontroller's clock tells; 0 if not known."""
    nominal_rate_hz: int
    stimuli: int
    """Pulses for the target to count."""
    handled: int | None
    """Interrupts it counted; None if it was not asked."""
    not_asked: str
    """Why it was not."""
    losses: tuple[str, ...] = ()
    creeping: frozenset[str] = frozenset()
    """Wires that showed no pulse, but a level that was held for long."""

    @property
    def codes(self) -> dict[int, str]:
        """Signal by its number of pulses."""
        return {each.pulses: each.signal for each in self.driven}


@dataclass(frozen=True)
class Turns:
    """What was driven in one capture, and how much time passed."""

    driven: tuple[Driven, ...]
    refused: Mapping[str, str]
    rough_hz: float
    """Samples that came in the time that passed on the microcontroller's clock."""


@dataclass(frozen=True)
class InterruptCount:
    """What the target says of STIMULI pulses on its interrupt line."""

    stimuli: int
    handled: int | None
    not_asked: str = ""


def observed(heard: Recording, turns: Turns, counted: InterruptCount, nominal_hz: int) -> Observed:
    """A capture in which wires had their turns, cut into bursts."""
    off = turns.rough_hz / nominal_hz
    trusted = off > RATE_TRUSTED or off < 1 / RATE_TRUSTED
    silence_samples = SILENCE_S * (turns.rough_hz if trusted else nominal_hz)
    channels = sorted(set(heard.channel.tolist()))
    bursts = {channel: bursts_of(heard, channel, silence_samples) for channel in channels}
    rate_hz = _rate(tuple(burst for each in bursts.values() for burst in each), turns.driven)
    return Observed(
        driven=turns.driven,
        refused=turns.refused,
        bursts=bursts,
        rest_levels=heard.first_levels,
        rate_hz=rate_hz or (turns.rough_hz if trusted else 0.0),
        nominal_rate_hz=nominal_hz,
        stimuli=counted.stimuli,
        handled=counted.handled,
        not_asked=counted.not_asked,
        losses=tuple(loss.text for loss in heard.losses),
    )


def _rate(bursts: Sequence[EdgeBurst], driven: Sequence[Driven]) -> float:
    """The sample rate in Hz by the stimulus's own pulses, wherever they arrive; 0 if nowhere."""
    pulses = next(each.pulses for each in driven if each.signal == STIMULUS)
    for burst in bursts:
        if burst.pulses == pulses:
            # From the first edge to the last: whole periods but for the last low half.
            return (burst.last - burst.first) / ((pulses - 0.5) * PERIOD_US) * 1e6
    return 0.0


def bursts_of(heard: Recording, channel: int, silence_samples: float) -> tuple[EdgeBurst, ...]:
    """A channel's edges, cut where nothing happens for long enough."""
    index, level = heard.of_channel(channel)
    if not len(index):
        return ()
    cuts = np.flatnonzero(np.diff(index) > silence_samples) + 1
    return tuple(
        EdgeBurst(int(i[0]), int(i[-1]), len(i), int(lv[0]))
        for i, lv in zip(np.split(index, cuts), np.split(level, cuts), strict=True)
    )
