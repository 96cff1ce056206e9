# SPDX-License-Identifier: GPL-3.0-or-later
"""The limits of the values of a train."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

TICKS_MAX: Final = 2**32 - 1
"""Longest time that the firmware's protocol has room for."""

Span = tuple[int, int]
"""The least and the most, in ticks."""


@dataclass(frozen=True)
class TrainLimits:
    """What a chip can make."""

    delay_ticks: Span
    """The time from INIT to the first leading edge."""
    width_ticks: Span
    rest_ticks: int
    """Shortest rest between a trailing edge and the next leading edge."""
    interval_ticks: Mapping[str, Span]
    """The shortest interval, by mnemonic of the pattern, that it keeps to with no late edge while
    captures are fetched, and the longest that a parameter may be."""

    def interval_of(self, mnemonic: str) -> Span:
        """Raises ValueError for a pattern that the chip does not make."""
        if mnemonic not in self.interval_ticks:
            valid = ", ".join(self.interval_ticks)
            raise ValueError(f"pattern {mnemonic} is none that the firmware makes; valid: {valid}")
        return self.interval_ticks[mnemonic]


class _AnyLimits(TrainLimits):
    """What some chip may be able to make, and what can be computed with."""

    def interval_of(self, mnemonic: str) -> Span:  # noqa: ARG002
        return 8, TICKS_MAX


ANY_CHIP: Final = _AnyLimits((1, TICKS_MAX), (1, TICKS_MAX), 1, {})
"""The limits for a train that comes from a file."""
