# SPDX-License-Identifier: GPL-3.0-or-later
"""A target as the virtual bench's wires see it."""

from __future__ import annotations

from typing import Protocol

WireEdge = tuple[int, int, int]
"""True time in ps, analyzer channel, level."""


class WiredTarget(Protocol):
    """Modelled or real: edges come in, edges of the answering pins go out.

    The bench's loop tells of every stimulus edge up to now, lets the target follow to now, and
    takes what the pins did.
    """

    @property
    def rising(self) -> bool:
        """The interrupt comes with the rising edge."""
        ...

    @property
    def answers_at_once(self) -> bool:
        """Its answer is known as soon as the stimulus edge is: the loop stops at each for it."""
        ...

    @property
    def stride_cycles(self) -> int:
        """The longest stretch of time, in cycles of the microcontroller, to run without it."""
        ...

    @property
    def busy(self) -> bool:
        """Something waits for it: time need not keep to real time."""
        ...

    @property
    def eager(self) -> bool:
        """It does what it does by itself: whoever records it waits for nothing but time."""
        ...

    def on_stimulus(self, time_ps: int, level: int) -> None:
        """An edge arrives at the interrupt pin."""

    def pass_until(self, now_ps: int) -> None:
        """Time has passed until now."""

    def take_edges(self, until_ps: int) -> list[WireEdge]:
        """Edges of the answering pins before a time, in order."""

    def take_decided(self) -> list[WireEdge]:
        """Edges of the response pin known since the last call, past or still to come."""
