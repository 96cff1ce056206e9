# SPDX-License-Identifier: GPL-3.0-or-later
"""A target as the virtual bench's wires see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from rig.instruments import Int64Array, UInt8Array

WireEdge = tuple[int, int, int]
"""An edge: its true time in ps, analyzer channel, level."""


@dataclass(frozen=True, slots=True)
class WireEdges:
    """Many edges, in order of time; arrays of shape (n,)."""

    time_ps: Int64Array
    channel: UInt8Array
    level: UInt8Array

    @classmethod
    def joined(cls, parts: Sequence[WireEdges]) -> Self:
        """Return all edges of the parts, in order of time, channel and level."""
        time_ps = np.concatenate([part.time_ps for part in parts])
        channel = np.concatenate([part.channel for part in parts])
        level = np.concatenate([part.level for part in parts])
        order = np.lexsort((level, channel, time_ps))
        return cls(time_ps[order], channel[order], level[order])

    @classmethod
    def of(cls, edges: Sequence[WireEdge]) -> Self:
        """Return the same edges in the other form."""
        columns = np.array(edges, np.int64).reshape(-1, 3)
        return cls(columns[:, 0], columns[:, 1].astype(np.uint8), columns[:, 2].astype(np.uint8))

    def listed(self) -> list[WireEdge]:
        """Return the same edges in the other form."""
        columns = (self.time_ps.tolist(), self.channel.tolist(), self.level.tolist())
        return list(zip(*columns, strict=True))

    def levels_from(self, levels: int) -> Int64Array | None:
        """Return the channels' levels behind each edge, a bit a channel; `levels`: those before.

        None if an edge repeats the level that its channel had.
        """
        behind = np.bitwise_xor.accumulate(np.int64(1) << self.channel.astype(np.int64)) ^ levels
        return behind if np.array_equal(behind >> self.channel & 1, self.level) else None

    def split(self, until_ps: int) -> tuple[Self, Self]:
        """Return the edges before a time, and the others."""
        at = int(np.searchsorted(self.time_ps, until_ps))
        first = (self.time_ps[:at], self.channel[:at], self.level[:at])
        rest = (self.time_ps[at:], self.channel[at:], self.level[at:])
        return type(self)(*first), type(self)(*rest)

    def __len__(self) -> int:
        return len(self.time_ps)


@dataclass(frozen=True, slots=True)
class AnswersAhead:
    """The next interrupts' answers, decided before the interrupts have come."""

    latency_ps: Int64Array
    """The latency of each interrupt, in order; shape (n,)."""
    free_ps: int
    """No answer comes before this time."""
    apart_ps: int
    """The least time from one answer to the next."""
    rising: bool
    """Whether the interrupt comes with the rising edge."""
    level: int
    """The level of the response line behind the first of these answers."""


class WiredTarget(Protocol):
    """A target, modelled or real: edges come in, edges of the answering pins go out.

    The bench's loop tells of every stimulus edge up to now, lets the target follow to now, and
    takes what the pins did.
    """

    @property
    def rising(self) -> bool:
        """Whether the interrupt comes with the rising edge."""
        ...

    @property
    def answers_at_once(self) -> bool:
        """Whether an answer is known as soon as its stimulus edge is: the loop stops at each."""
        ...

    @property
    def stride_cycles(self) -> int:
        """The longest stretch of time, in cycles of the microcontroller, to run without it."""
        ...

    @property
    def busy(self) -> bool:
        """Whether something waits for the target: time need not keep to real time."""
        ...

    @property
    def eager(self) -> bool:
        """Whether the target acts by itself: whoever records it waits for nothing but time."""
        ...

    def answers_ahead(self) -> AnswersAhead | None:
        """Return how the next interrupts will be answered, if that is known before they come.

        Then it waits for `answered`, and does nothing else until then.
        """

    def answered(self, stimulus_ps: Int64Array, response_ps: Int64Array) -> None:
        """Take interrupts that came and how they were answered; perhaps fewer than known ahead."""

    def on_stimulus(self, time_ps: int, level: int) -> None:
        """Take an edge at the interrupt pin."""

    def pass_until(self, now_ps: int) -> None:
        """Let time pass until now."""

    def take_edges(self, until_ps: int) -> list[WireEdge]:
        """Edges of the answering pins before a time, in order."""

    def take_many(self, until_ps: int) -> WireEdges:
        """Return the edges of interrupts that were `answered`, before a time."""

    def take_decided(self) -> list[WireEdge]:
        """Edges of the response pin known since the last call, past or still to come."""
