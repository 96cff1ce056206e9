# SPDX-License-Identifier: GPL-3.0-or-later
"""The [search] table of a plan: between which rates the highest one is looked for, and how."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rig.analysis.model.rate_search import (
    ANSWERED_BY,
    HOLD_MAX,
    HOLD_MIN,
    RESOLUTION_MAX_PPM,
    RESOLUTION_MIN_PPM,
    RateSearch,
)
from rig.errors import input_error
from rig.measurements.planned_events import (
    POLARITIES,
    SOME_CLOCK_HZ,
    TIME_MAX_PS,
    PlannedEvents,
    check_rates,
    check_rest,
    interval_ticks,
    rate_span,
)
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import Polarity
from rig.toml.reader import TomlTable
from rig.toml.units import ps_to_ticks, ticks_to_ps

PPM = 1_000_000
_SETUP_S = 0.1
"""To set up the train of the next rate."""
_KEYS = (
    "rate_start", "rate_stop", "resolution", "count", "pulse_width", "polarity", "delay",
    "answered_by",
)  # fmt: skip


@dataclass(frozen=True)
class SearchPlan(PlannedEvents):
    """A search in rates and times."""

    table = "search"

    rate_start_hz: int
    rate_stop_hz: int
    resolution_ppm: int
    """Of the limit that is looked for."""
    count_each: int
    """Stimuli at each rate."""
    width_ps: int
    polarity: Polarity
    delay_ps: int
    asked_of_agent: str

    def source(self, chip: StimulusChip) -> RateSearch:
        """In ticks of its clock. Raises ValueError, in words, for what it cannot make."""
        search = self._in_ticks(chip.clock_hz)
        chip.check(search.train(search.first_ticks))
        chip.check(search.train(search.least_ticks))
        return search

    def _in_ticks(self, clock_hz: int) -> RateSearch:
        """Raises ValueError, in words, for what no chip could make."""
        return RateSearch(
            first_ticks=interval_ticks(self.rate_start_hz, clock_hz),
            least_ticks=interval_ticks(self.rate_stop_hz, clock_hz),
            count=self.count_each,
            resolution_ppm=self.resolution_ppm,
            width_ticks=ps_to_ticks(self.width_ps, clock_hz),
            delay_ticks=ps_to_ticks(self.delay_ps, clock_hz),
            polarity=self.polarity,
            answered_by=self.asked_of_agent,
        )

    @property
    def count(self) -> int:
        search = self._in_ticks(SOME_CLOCK_HZ)
        return search.count * search.holds_max

    def check(self, chip: StimulusChip, timeout_ps: int) -> None:
        rates_hz = {"rate_start": self.rate_start_hz, "rate_stop": self.rate_stop_hz}
        check_rates(self.table, chip, rates_hz)
        check_rest(chip, self.rate_start_hz, timeout_ps)

    def shortest_level_ps(self, chip: StimulusChip) -> int:
        return ticks_to_ps(self.source(chip).shortest_level_ticks, chip.clock_hz)

    def longest_s(self, timeout_ps: int) -> float:
        search = self._in_ticks(SOME_CLOCK_HZ)
        rests_s = search.holds_max * (timeout_ps * 1e-12 + _SETUP_S)
        return search.longest_ticks / SOME_CLOCK_HZ + rests_s

    def with_count(self, count: int) -> SearchPlan:
        if not HOLD_MIN <= count <= HOLD_MAX:
            valid = f"an integer from {HOLD_MIN} to {HOLD_MAX}"
            raise input_error("--count", None, "", f"{count} is out of range", valid)
        return replace(self, count_each=count)


def parse_search(table: TomlTable) -> SearchPlan:
    """Raises InputError."""
    table.allow_only(_KEYS)
    start_hz, stop_hz = rate_span(table)
    least, most = RESOLUTION_MIN_PPM / PPM, RESOLUTION_MAX_PPM / PPM
    return SearchPlan(
        rate_start_hz=start_hz,
        rate_stop_hz=stop_hz,
        resolution_ppm=round(table.number("resolution", least, most) * PPM),
        count_each=table.integer("count", HOLD_MIN, HOLD_MAX),
        width_ps=table.time_ps("pulse_width", 1, TIME_MAX_PS),
        polarity=POLARITIES[table.choice("polarity", tuple(POLARITIES))],
        delay_ps=table.time_ps("delay", 1, TIME_MAX_PS),
        asked_of_agent=ANSWERED_BY[table.choice("answered_by", tuple(ANSWERED_BY), "handler")],
    )
