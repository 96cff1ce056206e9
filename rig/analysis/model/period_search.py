# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for the shortest period that a task keeps, as the agent makes it.

Holds of as many periods each: shorter and shorter ones until periods are missed, then by halves
between the shortest hold that was kept and the longest that was lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

RESOLUTION_MIN_PPM, RESOLUTION_MAX_PPM = 1_000, 200_000
_SHORTER: Final = 7, 10
_DIGITS_MAX: Final = 12


@dataclass(frozen=True)
class PeriodSearch:
    """The parameters of a search; a foreign file may have any."""

    first_ns: int
    """The longest period, which is tried first."""
    least_ns: int
    """The shortest one that is tried."""
    count: int
    """Periods of a hold."""
    resolution_ppm: int
    work_ns: int

    @property
    def holds_max(self) -> int:
        """The largest number of holds that there may be."""
        ramp = math.log(max(1.0, self.first_ns / self.least_ns), _SHORTER[1] / _SHORTER[0])
        return math.ceil(ramp) + math.ceil(math.log2(1e6 / self.resolution_ppm)) + 3

    def next_ns(self, kept_ns: int, lost_ns: int) -> int:
        """Return the period of the next hold, 0 if it is over; 0 of either: none was."""
        if not lost_ns:
            shorter = kept_ns * _SHORTER[0] // _SHORTER[1]
            return 0 if kept_ns == self.least_ns else max(shorter, self.least_ns)
        enough = max(1, lost_ns * self.resolution_ppm // 10**6)
        is_over = not kept_ns or kept_ns - lost_ns <= enough
        return 0 if is_over else lost_ns + (kept_ns - lost_ns) // 2


def parse_period_search(words: Mapping[str, str]) -> PeriodSearch:
    """Return the search in words for the agent, with values that are possible."""

    def number(name: str, least: int) -> int:
        text = words.get(name, "")
        is_number = text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX
        return max(least, int(text)) if is_number else least

    least_ns = number("period_stop_ns", 1)
    return PeriodSearch(
        first_ns=max(least_ns, number("period_ns", 1)),
        least_ns=least_ns,
        count=number("count", 1),
        resolution_ppm=number("resolution_ppm", RESOLUTION_MIN_PPM),
        work_ns=number("work_ns", 0),
    )
