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
from rig.config.plan_stimulus import POLARITIES, SOME_CLOCK_HZ
from rig.errors import input_error
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import Polarity
from rig.toml.reader import TomlTable
from rig.toml.units import RATE, ps_to_ticks

RATE_MIN_HZ, RATE_MAX_HZ = 10, 5_000_000
"""What any chip may be able to do."""
PPM = 1_000_000
_SETUP_S = 0.1
"""To set up the train of the next rate."""
_TIME_MAX_PS = 10 * 10**12
_KEYS = (
    "rate_start", "rate_stop", "resolution", "count", "pulse_width", "polarity", "delay",
    "answered_by",
)  # fmt: skip


@dataclass(frozen=True)
class SearchPlan:
    """A search in rates and times."""

    rate_start_hz: int
    rate_stop_hz: int
    resolution_ppm: int
    """Of the limit that is looked for."""
    count: int
    """Stimuli at each rate."""
    width_ps: int
    polarity: Polarity
    delay_ps: int
    answered_by: str
    """The measurement that the agent is asked for."""

    def search(self, chip: StimulusChip) -> RateSearch:
        """In ticks of its clock. Raises ValueError, in words, for what it cannot make."""
        search = self._in_ticks(chip.clock_hz)
        chip.check(search.train(search.first_ticks))
        chip.check(search.train(search.least_ticks))
        return search

    def _in_ticks(self, clock_hz: int) -> RateSearch:
        """Raises ValueError, in words, for what no chip could make."""
        return RateSearch(
            first_ticks=_interval_ticks(self.rate_start_hz, clock_hz),
            least_ticks=_interval_ticks(self.rate_stop_hz, clock_hz),
            count=self.count,
            resolution_ppm=self.resolution_ppm,
            width_ticks=ps_to_ticks(self.width_ps, clock_hz),
            delay_ticks=ps_to_ticks(self.delay_ps, clock_hz),
            polarity=self.polarity,
            answered_by=self.answered_by,
        )

    @property
    def holds_max(self) -> int:
        """No search has more rates than this. Raises ValueError for what no chip could make."""
        return self._in_ticks(SOME_CLOCK_HZ).holds_max

    def longest_s(self, timeout_ps: int) -> float:
        """No search takes longer. Raises ValueError for what no chip could make."""
        search = self._in_ticks(SOME_CLOCK_HZ)
        rests_s = search.holds_max * (timeout_ps * 1e-12 + _SETUP_S)
        return search.longest_ticks / SOME_CLOCK_HZ + rests_s

    def with_count(self, count: int) -> SearchPlan:
        """The same with holds of another length. Raises InputError."""
        if not HOLD_MIN <= count <= HOLD_MAX:
            valid = f"an integer from {HOLD_MIN} to {HOLD_MAX}"
            raise input_error("--count", None, "", f"{count} is out of range", valid)
        return replace(self, count=count)


def _interval_ticks(rate_hz: int, clock_hz: int) -> int:
    """The nearest."""
    return (2 * clock_hz + rate_hz) // (2 * rate_hz)


def parse_search(table: TomlTable) -> SearchPlan:
    """Raises InputError."""
    table.allow_only(_KEYS)
    start_hz = table.quantity(RATE, "rate_start", RATE_MIN_HZ, RATE_MAX_HZ)
    stop_hz = table.quantity(RATE, "rate_stop", RATE_MIN_HZ, RATE_MAX_HZ)
    if stop_hz < start_hz:
        raise table.error("rate_stop", "below rate_start", "rate_start or higher")
    least, most = RESOLUTION_MIN_PPM / PPM, RESOLUTION_MAX_PPM / PPM
    return SearchPlan(
        rate_start_hz=start_hz,
        rate_stop_hz=stop_hz,
        resolution_ppm=round(table.number("resolution", least, most) * PPM),
        count=table.integer("count", HOLD_MIN, HOLD_MAX),
        width_ps=table.time_ps("pulse_width", 1, _TIME_MAX_PS),
        polarity=POLARITIES[table.choice("polarity", tuple(POLARITIES))],
        delay_ps=table.time_ps("delay", 1, _TIME_MAX_PS),
        answered_by=ANSWERED_BY[table.choice("answered_by", tuple(ANSWERED_BY), "handler")],
    )
