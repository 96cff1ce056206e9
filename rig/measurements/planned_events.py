# SPDX-License-Identifier: GPL-3.0-or-later
"""Events as a measurement's own table of a plan defines them, in times and rates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from rig.analysis.model.rate_search import ANSWERED_BY, HOLD_MAX, HOLD_MIN
from rig.analysis.model.rate_steps import REST_FACTOR, RateSteps
from rig.errors import input_error
from rig.event_source import EventSource
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import Pattern, Polarity
from rig.toml.reader import TomlPath, TomlTable
from rig.toml.units import RATE, TIME, ps_to_ticks, ticks_to_ps

RATE_MIN_HZ, RATE_MAX_HZ = 10, 5_000_000
"""Range of rates that any chip may be able to make."""
TIME_MAX_PS: Final = 10 * 10**12
SOME_CLOCK_HZ: Final = 50_000_000
"""Clock by which a plan's duration, which hardly depends on it, is computed without a chip."""
_SETUP_S: Final = 0.1
"""Time to set up the train of the next rate."""
_RATES_KEYS: Final = (
    "rate_start", "rate_stop", "count", "pulse_width", "polarity", "delay", "answered_by",
)  # fmt: skip
POLARITIES: Final = {polarity.name.lower(): polarity for polarity in Polarity}


class PlanValueError(ValueError):
    """A value of a plan that a bench cannot do: its place, the problem, what is valid."""

    def __init__(self, path: TomlPath, problem: str, valid: str) -> None:
        super().__init__(problem)
        self.path, self.problem, self.valid = path, problem, valid


class PlannedEvents(ABC):
    """Events of a plan by the table that its measurement reads in place of [stimulus]."""

    table: ClassVar[str]
    """The table's name."""
    asked_of_agent: str
    """The measurement that the agent is asked for."""

    @property
    @abstractmethod
    def count(self) -> int:
        """The most events that there may be. Raises ValueError for what no chip could make."""

    @abstractmethod
    def with_count(self, count: int) -> Self:
        """Return the events with another number of stimuli at each rate. Raises InputError."""

    @abstractmethod
    def longest_s(self, timeout_ps: int) -> float:
        """Return the longest time they take. Raises ValueError for what no chip could make."""

    @abstractmethod
    def source(self, chip: StimulusChip) -> EventSource:
        """Return the source in the chip's ticks. Raises ValueError, in Train's words, if not."""

    @abstractmethod
    def shortest_level_ps(self, chip: StimulusChip) -> int:
        """Return the shortest pulse, or rest between two, which the analyzer must see."""

    @abstractmethod
    def check(self, chip: StimulusChip, timeout_ps: int) -> None:
        """Raise PlanValueError for what neither chip nor analysis can do, before all else."""


@dataclass(frozen=True)
class RatesPlan(PlannedEvents):
    """Holds, which are trains of one rate each, from one rate to a higher one."""

    rate_start_hz: int
    rate_stop_hz: int
    count_each: int
    """Stimuli at each rate."""
    width_ps: int
    polarity: Polarity
    delay_ps: int
    asked_of_agent: str

    @abstractmethod
    def in_ticks(self, clock_hz: int) -> RateSteps:
        """Return the holds in ticks of a clock. Raises ValueError, in words, for invalid ones."""

    def trains(self, clock_hz: int) -> dict[str, Any]:
        """Return what all sources of holds need of their trains, by field."""
        return {
            "first_ticks": _interval_ticks(self.rate_start_hz, clock_hz),
            "least_ticks": _interval_ticks(self.rate_stop_hz, clock_hz),
            "count": self.count_each,
            "width_ticks": ps_to_ticks(self.width_ps, clock_hz),
            "delay_ticks": ps_to_ticks(self.delay_ps, clock_hz),
            "polarity": self.polarity,
            "answered_by": self.asked_of_agent,
        }

    def source(self, chip: StimulusChip) -> RateSteps:
        steps = self.in_ticks(chip.clock_hz)
        for ticks in (steps.first_ticks, steps.least_ticks):
            chip.check(steps.train(ticks))
        return steps

    @property
    def count(self) -> int:
        return self.count_each * self.in_ticks(SOME_CLOCK_HZ).holds_max

    def with_count(self, count: int) -> Self:
        if not HOLD_MIN <= count <= HOLD_MAX:
            valid = f"an integer from {HOLD_MIN} to {HOLD_MAX}"
            raise input_error("--count", None, "", f"{count} is out of range", valid)
        return replace(self, count_each=count)

    def longest_s(self, timeout_ps: int) -> float:
        steps = self.in_ticks(SOME_CLOCK_HZ)
        rests_s = steps.holds_max * (timeout_ps * 1e-12 + _SETUP_S)
        return steps.longest_ticks / SOME_CLOCK_HZ + rests_s

    def shortest_level_ps(self, chip: StimulusChip) -> int:
        return ticks_to_ps(self.source(chip).shortest_level_ticks, chip.clock_hz)

    def check(self, chip: StimulusChip, timeout_ps: int) -> None:
        """Check that the chip makes trains of these rates, and the wait after one ends its hold."""
        self._check_rates(chip)
        rest_ticks = REST_FACTOR * _interval_ticks(self.rate_start_hz, chip.clock_hz)
        rest_ps = ticks_to_ps(rest_ticks, chip.clock_hz)
        if timeout_ps < rest_ps:
            problem = "no rest that tells two rates apart"
            valid = f"{TIME.format(rest_ps)} or more, or a higher rate_start"
            raise PlanValueError(("response", "timeout"), problem, valid)

    def _check_rates(self, chip: StimulusChip) -> None:
        shortest, longest = chip.limits.interval_ticks[Pattern.PERIODIC]
        low_hz, high_hz = -(-chip.clock_hz // longest), chip.clock_hz // shortest
        rates_hz = {"rate_start": self.rate_start_hz, "rate_stop": self.rate_stop_hz}
        for key, rate_hz in rates_hz.items():
            if not low_hz <= rate_hz <= high_hz:
                problem = f"{RATE.format(rate_hz)} is out of the firmware's range"
                valid = f"{RATE.format(low_hz)} to {RATE.format(high_hz)}"
                raise PlanValueError((self.table, key), problem, valid)


def _interval_ticks(rate_hz: int, clock_hz: int) -> int:
    """Return the time from one stimulus to the next, to the nearest tick."""
    return (2 * clock_hz + rate_hz) // (2 * rate_hz)


def read_rates(table: TomlTable, *own_keys: str) -> dict[str, Any]:
    """Return what every RatesPlan has, by its field, of a table that may have keys of its own.

    Raises InputError.
    """
    table.allow_only((*_RATES_KEYS, *own_keys))
    start_hz = table.quantity(RATE, "rate_start", RATE_MIN_HZ, RATE_MAX_HZ)
    stop_hz = table.quantity(RATE, "rate_stop", RATE_MIN_HZ, RATE_MAX_HZ)
    if stop_hz < start_hz:
        raise table.error("rate_stop", "below rate_start", "rate_start or higher")
    return {
        "rate_start_hz": start_hz,
        "rate_stop_hz": stop_hz,
        "count_each": table.integer("count", HOLD_MIN, HOLD_MAX),
        "width_ps": table.time_ps("pulse_width", 1, TIME_MAX_PS),
        "polarity": POLARITIES[table.choice("polarity", tuple(POLARITIES))],
        "delay_ps": table.time_ps("delay", 1, TIME_MAX_PS),
        "asked_of_agent": ANSWERED_BY[table.choice("answered_by", tuple(ANSWERED_BY), "handler")],
    }
