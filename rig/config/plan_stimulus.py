# SPDX-License-Identifier: GPL-3.0-or-later
"""The [stimulus] table of a plan: a pulse train in times."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rig.measurements.planned_events import POLARITIES, SOME_CLOCK_HZ
from rig.stimulus.chip import StimulusChip
from rig.stimulus.limits import TrainLimits
from rig.stimulus.train import COUNT_MAX, PATTERNS, SEED_MAX, Polarity, Train
from rig.toml.reader import TomlTable
from rig.toml.units import ps_to_ticks

TIME_MAX_PS = 60 * 10**12
"""The bound of every time in a plan; a chip's limits are closer, and checked with its clock."""

_COMMON = ("count", "seed", "pulse_width", "polarity", "delay")


@dataclass(frozen=True)
class StimulusPlan:
    """The pulse train in time."""

    pattern: str
    """The mnemonic of its pattern, of rig.stimulus.train.PATTERNS."""
    count: int
    """The number of pulses, from 1."""
    seed: int
    delay_ps: int
    """The time from the start of the train to its first pulse."""
    width_ps: int
    polarity: Polarity
    times_ps: Mapping[str, int]
    """The pattern's times, by field of `Train`."""
    counts: Mapping[str, int]
    """The pattern's numbers of pulses, likewise."""

    def train(self, chip: StimulusChip) -> Train:
        """Return the train in the chip's ticks. Raises ValueError if the chip cannot make it."""
        return self._in_ticks(chip.clock_hz, chip.limits)

    @property
    def expected_s(self) -> float:
        """The expected duration of the train. Raises ValueError for what no chip could make."""
        return self._in_ticks(SOME_CLOCK_HZ).expected_duration_ticks / SOME_CLOCK_HZ

    def _in_ticks(self, clock_hz: int, limits: TrainLimits | None = None) -> Train:
        """Return the train with each time rounded to the nearest tick."""
        times = {name: ps_to_ticks(time, clock_hz) for name, time in self.times_ps.items()}
        return Train(
            pattern=self.pattern,
            count=self.count,
            seed=self.seed,
            delay_ticks=ps_to_ticks(self.delay_ps, clock_hz),
            width_ticks=ps_to_ticks(self.width_ps, clock_hz),
            polarity=self.polarity,
            **times,
            **self.counts,
            limits=limits,
        )


def pattern_keys() -> dict[str, tuple[str, ...]]:
    """The keys that each pattern needs, and that no other may have, by the pattern's name."""
    return {
        pattern.name: tuple(parameter.key for parameter in pattern.parameters)
        for pattern in PATTERNS.values()
    }


def parse_stimulus(table: TomlTable) -> StimulusPlan:
    """Read the table. Raises InputError."""
    name = table.allow_only_for("pattern", pattern_keys(), _COMMON)
    pattern = next(each for each in PATTERNS.values() if each.name == name)
    count = table.integer("count", 1, COUNT_MAX)
    seed = table.integer("seed", 0, SEED_MAX)
    delay_ps = table.time_ps("delay", 1, TIME_MAX_PS)
    width_ps = table.time_ps("pulse_width", 1, TIME_MAX_PS)
    polarity = POLARITIES[table.choice("polarity", tuple(POLARITIES))]
    times_ps: dict[str, int] = {}
    counts: dict[str, int] = {}
    for each in pattern.parameters:
        if each.is_count:
            counts[each.field] = table.integer(each.key, 1, COUNT_MAX)
        else:
            times_ps[each.field] = table.time_ps(each.key, 1, TIME_MAX_PS)
    if pattern.order:
        keys = {each.field: each.key for each in pattern.parameters}
        lower, upper = pattern.order
        if times_ps[upper] < times_ps[lower]:
            problem, valid = f"shorter than {keys[lower]}", f"{keys[lower]} or longer"
            raise table.error(keys[upper], problem, valid)
    return StimulusPlan(
        pattern=pattern.mnemonic,
        count=count,
        seed=seed,
        delay_ps=delay_ps,
        width_ps=width_ps,
        polarity=polarity,
        times_ps=times_ps,
        counts=counts,
    )
