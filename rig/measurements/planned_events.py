# SPDX-License-Identifier: GPL-3.0-or-later
"""Events as a measurement's own table of a plan tells of them, in times and rates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Final, Self

from rig.analysis.model.rate_steps import REST_FACTOR
from rig.event_source import EventSource
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import Pattern, Polarity
from rig.toml.reader import TomlPath, TomlTable
from rig.toml.units import RATE, TIME, ticks_to_ps

RATE_MIN_HZ, RATE_MAX_HZ = 10, 5_000_000
"""What any chip may be able to do."""
TIME_MAX_PS: Final = 10 * 10**12
SOME_CLOCK_HZ: Final = 50_000_000
"""How long a plan takes hardly depends on the clock: this one does for those who know no chip."""
POLARITIES: Final = {polarity.name.lower(): polarity for polarity in Polarity}


class PlanValueError(ValueError):
    """A value of a plan that a bench cannot do: where it stands, what is wrong, what is valid."""

    def __init__(self, path: TomlPath, problem: str, valid: str) -> None:
        super().__init__(problem)
        self.path, self.problem, self.valid = path, problem, valid


class PlannedEvents(ABC):
    """What a plan has in place of [stimulus], by the table that its measurement reads."""

    table: ClassVar[str]
    """Its name."""
    asked_of_agent: str
    """The measurement that the agent is asked for."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Events, or as many as there may be. Raises ValueError for what no chip could make."""

    @abstractmethod
    def with_count(self, count: int) -> Self:
        """The same with another number of stimuli at each rate. Raises InputError."""

    @abstractmethod
    def longest_s(self, timeout_ps: int) -> float:
        """They take no longer. Raises ValueError for what no chip could make."""

    @abstractmethod
    def source(self, chip: StimulusChip) -> EventSource:
        """In ticks of its clock. Raises ValueError, in the words of Train, if it cannot."""

    @abstractmethod
    def shortest_level_ps(self, chip: StimulusChip) -> int:
        """The shortest pulse, or rest between two, which the analyzer must see."""

    @abstractmethod
    def check(self, chip: StimulusChip, timeout_ps: int) -> None:
        """Raise PlanValueError for what neither chip nor analysis can do, before all else."""


def check_rates(table: str, chip: StimulusChip, rates_hz: dict[str, int]) -> None:
    """Raise PlanValueError for a rate, by its key, of which the chip makes no periodic train."""
    shortest, longest = chip.limits.interval_ticks[Pattern.PERIODIC]
    low_hz, high_hz = -(-chip.clock_hz // longest), chip.clock_hz // shortest
    for key, rate_hz in rates_hz.items():
        if not low_hz <= rate_hz <= high_hz:
            problem = f"{RATE.format(rate_hz)} is out of the firmware's range"
            valid = f"{RATE.format(low_hz)} to {RATE.format(high_hz)}"
            raise PlanValueError((table, key), problem, valid)


def check_rest(chip: StimulusChip, rate_start_hz: int, timeout_ps: int) -> None:
    """Raise PlanValueError if the wait after a train does not tell it from the next rate.s."""
    longest_ticks = REST_FACTOR * interval_ticks(rate_start_hz, chip.clock_hz)
    rest_ps = ticks_to_ps(longest_ticks, chip.clock_hz)
    if timeout_ps < rest_ps:
        problem = "no rest that tells two rates apart"
        valid = f"{TIME.format(rest_ps)} or more, or a higher rate_start"
        raise PlanValueError(("response", "timeout"), problem, valid)


def interval_ticks(rate_hz: int, clock_hz: int) -> int:
    """From one stimulus to the next, to the nearest tick."""
    return (2 * clock_hz + rate_hz) // (2 * rate_hz)


def rate_span(table: TomlTable) -> tuple[int, int]:
    """rate_start and rate_stop in Hz. Raises InputError."""
    start_hz = table.quantity(RATE, "rate_start", RATE_MIN_HZ, RATE_MAX_HZ)
    stop_hz = table.quantity(RATE, "rate_stop", RATE_MIN_HZ, RATE_MAX_HZ)
    if stop_hz < start_hz:
        raise table.error("rate_stop", "below rate_start", "rate_start or higher")
    return start_hz, stop_hz
