# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles that a microcontroller's timer takes, by its data sheet.

ATmega328P data sheet, DS40002061: 16.5.1 and 17 (an edge at ICP1 is sampled as one at T1 is, which
takes 2.5 to 3.5 cycles from the pin to the counter's value), 16.6.2 (the noise canceler adds four),
16.8 (a compare match shows at its pin with the next cycle).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CaptureTiming:
    """The time from a planned tick to the stamp of an answer without latency, in timer cycles."""

    output_cycles: float
    """Cycles from the planned tick to the edge at the output pin."""
    least_cycles: float
    """Cycles from an edge at the capture pin to the counter's value that is its stamp: synchronizer
    and noise canceler, the edge's place within a cycle included."""
    most_cycles: float
    source: str

    @property
    def low_cycles(self) -> float:
        """The least time from the planned tick to the stamp."""
        return self.output_cycles + self.least_cycles

    @property
    def high_cycles(self) -> float:
        """The longest time from the planned tick to the stamp."""
        return self.output_cycles + self.most_cycles


CAPTURE_TIMINGS = {
    # The data sheet does not say which edge of the clock the 2.5 to 3.5 cycles end with: half a
    # cycle either way.
    "atmega328p": CaptureTiming(1.0, 4 + 2.0, 4 + 4.0, "ATmega328P data sheet, 16.5 to 17.1"),
}
"""Timings by the fixture's name of the chip."""


def emulated_capture(title: str) -> CaptureTiming:
    """Timing of an emulated chip of this title: firmware/emulator/README.md has what differs."""
    return CaptureTiming(1.0, 4.0, 5.0, f"emulated {title}, whose input has no synchronizer")
