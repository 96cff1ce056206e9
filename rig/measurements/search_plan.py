# SPDX-License-Identifier: GPL-3.0-or-later
"""The [search] table of a plan: the rates between which the highest one is searched, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rig.analysis.model.rate_search import RESOLUTION_MAX_PPM, RESOLUTION_MIN_PPM, RateSearch
from rig.measurements.planned_events import RatesPlan, read_rates
from rig.toml.reader import TomlTable

PPM: Final = 1_000_000


@dataclass(frozen=True)
class SearchPlan(RatesPlan):
    """A search for the highest rate, in rates and times."""

    table = "search"

    resolution_ppm: int
    """Resolution of the limit that is searched for."""

    def in_ticks(self, clock_hz: int) -> RateSearch:
        return RateSearch(resolution_ppm=self.resolution_ppm, **self.trains(clock_hz))


def parse_search(table: TomlTable) -> SearchPlan:
    """Return the plan's search. Raises InputError."""
    least, most = RESOLUTION_MIN_PPM / PPM, RESOLUTION_MAX_PPM / PPM
    return SearchPlan(
        **read_rates(table, "resolution"),
        resolution_ppm=round(table.number("resolution", least, most) * PPM),
    )
