# SPDX-License-Identifier: GPL-3.0-or-later
"""The wiring of a run: the channel of each signal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rig.untrusted.decode import NumberRange, OneOf

CHANNELS_MAX = 64
"""Levels of all channels fit one integer."""
Channel = Annotated[int, NumberRange(0, CHANNELS_MAX - 1)]


@dataclass(frozen=True)
class Wiring:
    """The channel of each signal, and which edges of stimulus and response count."""

    stimulus: Channel
    response: Channel
    sequence: tuple[Channel, ...] = ()
    """Channels of sequence bits, least significant first."""
    active_level: Annotated[int, OneOf((0, 1))] = 1
    """Level of the stimulus line after its leading edge."""
    answer_level: Annotated[int, OneOf((0, 1))] | None = None
    """Level of the response line after an answer; None: every edge of it is one."""
    task: Channel | None = None
    """Channel of the pin of a task that is interrupted, if it is wired."""

    def named(self) -> tuple[tuple[str, int], ...]:
        """Return signal and channel of each wire."""
        task = () if self.task is None else (("task", self.task),)
        bits = ((f"sequence{bit}", channel) for bit, channel in enumerate(self.sequence))
        return (("stimulus", self.stimulus), ("response", self.response), *task, *bits)
