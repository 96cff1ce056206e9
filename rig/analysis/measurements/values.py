# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of a measurement inside the target, beside those of its first part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rig.analysis.model.details import Details
from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.untrusted.decode import NumberRange


@dataclass(frozen=True)
class ValueRow:
    """The figures of one part of each iteration."""

    title: str
    figures: DescriptiveStatistics


@dataclass(frozen=True)
class ValueFigures(Details):
    """The figures of all parts, and how their unit became time."""

    kind = "values"

    title: str
    variant: str
    variant_words: str
    rows: tuple[ValueRow, ...]
    unit_hz: Annotated[int, NumberRange(1, 10**18)]
    """Nominal rate of the clock that values were read from, times the batch that each is of."""
    by_clock: bool
    """True: values are of a clock of the system in ns; else of the agent's cycle counter."""
    rate_ppm: float | None
    """Rate of the counter by the analyzer, against the nominal one."""
    on_pins: bool
    """Whether the analyzer saw the end of each value."""
    went_on: int
    """Number of wakes after which the waking task went on before the woken one ran."""
    without_value: int | None
    """Number of iterations without a value, by the agent's count."""
    at_zero: int
    """Number of values of no length: the clock did not go on."""
    smallest_step_ns: float | None
    """The least value above zero."""
    failed: int | None = None
    """Number of iterations that failed, and gave no value; None: none can."""
    batch: int | None = None
    """Number of switches that each value is the mean of; None: it is of one."""
    warm_up: int | None = None
    """Number of values that were asked for before those of the figures; None: none were."""
    warm_up_max_ns: float | None = None
    """Largest of them."""
    both_ends: bool = False
    """Whether the analyzer also saw the begin of each value."""

    @property
    def seen_outside(self) -> str:
        """The part of the values that the analyzer has seen, in words."""
        if not self.on_pins:
            return "none; the target's word alone"
        if self.both_ends:
            return "the pin's edge at the beginning and at the end of each"
        return (
            "the pin's edge after each; where it began, and so its length: the target's word alone"
        )
