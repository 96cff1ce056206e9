# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement inside the target gave, beside the figures of its first part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rig.analysis.model.details import Details
from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.untrusted.decode import NumberRange


@dataclass(frozen=True)
class ValueRow:
    """One part of each iteration."""

    title: str
    figures: DescriptiveStatistics


@dataclass(frozen=True)
class ValueFigures(Details):
    """All parts, and how their unit became time."""

    kind = "values"

    title: str
    variant: str
    variant_words: str
    rows: tuple[ValueRow, ...]
    unit_hz: Annotated[int, NumberRange(1, 10**12)]
    """Nominal rate of the clock that values were read from."""
    by_clock: bool
    """That is a clock of the system in ns; else the agent's cycle counter."""
    rate_ppm: float | None
    """What the analyzer found of the counter's rate, against the nominal one."""
    on_pins: bool
    """The analyzer saw the end of each value."""
    went_on: int
    """Wakes after which the task that woke went on before the woken one ran."""
    without_value: int | None
    """Iterations that gave none, by the agent's count."""
    at_zero: int
    """Values of no length: the clock did not go on."""
    smallest_step_ns: float | None
    """The least value above zero."""
    both_ends: bool = False
    """The analyzer saw where each value began, too."""

    @property
    def seen_outside(self) -> str:
        """What the analyzer has seen of them, in words."""
        if not self.on_pins:
            return "none; the target's word alone"
        if self.both_ends:
            return "the pin's edge at the beginning and at the end of each"
        return (
            "the pin's edge after each; where it began, and so its length: the target's word alone"
        )
