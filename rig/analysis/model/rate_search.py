# SPDX-License-Identifier: GPL-3.0-or-later
"""The highest rate of interrupts that a target keeps up with: the search for it.

Stimuli come in holds, each a train of one rate with a rest behind it. The rate is raised by steps
until a hold is lost. Then the limit is closed in on by bisection, between the fastest hold that was
kept and the slowest that was lost.

A hold is kept if each of its stimuli got an answer of its own and the answers did not fall behind:
a target that queues interrupts answers all of them at any rate, only later and later.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from rig.analysis.model.rate_steps import RateSteps
from rig.arrays import Int64Array
from rig.stimulus.limits import TICKS_MAX
from rig.stimulus.train import COUNT_MAX, Polarity

HANDLER, TASK = "interrupt", "interrupt_to_task"
ANSWERED_BY: Final = {"handler": HANDLER, "task": TASK}
"""The measurement that the agent is asked for, by who answers, as plans name it."""
HOLD_MIN, HOLD_MAX = 20, 1_000_000
"""Stimuli of a hold."""
RESOLUTION_MIN_PPM, RESOLUTION_MAX_PPM = 1_000, 200_000
_SPEED_UP: Final = 7, 10
"""Ratio of one interval of the ramp to the one before."""
_QUARTERS: Final = 4


@dataclass(frozen=True)
class RateSearch(RateSteps):
    """The parameters of a search. Ticks are those of the stimulus clock."""

    kind = "rate_search"

    first_ticks: int
    """The longest interval, which is tried first."""
    least_ticks: int
    """The shortest one that is tried."""
    count: int
    """Stimuli of a hold."""
    resolution_ppm: int
    """The search ends when the intervals of the fastest hold that was kept and of the slowest that
    was lost differ by no more than this, or by one tick."""
    width_ticks: int
    delay_ticks: int
    polarity: Polarity
    answered_by: str = HANDLER
    """The measurement that the agent is asked for."""

    def __post_init__(self) -> None:
        """Check the values. Raises ValueError for what no plan asks: a file may be foreign."""
        if not self.least_ticks <= self.first_ticks <= TICKS_MAX:
            raise ValueError(f"least_ticks {self.least_ticks} and first_ticks {self.first_ticks}")
        if not 2 <= self.count <= COUNT_MAX:
            raise ValueError(f"count is {self.count}")
        if not RESOLUTION_MIN_PPM <= self.resolution_ppm <= RESOLUTION_MAX_PPM:
            raise ValueError(f"resolution_ppm is {self.resolution_ppm}")
        if self.answered_by not in ANSWERED_BY.values():
            raise ValueError(f"answered_by is {self.answered_by!r}")
        self.train(self.first_ticks)
        self.train(self.least_ticks)

    @property
    def ramp_ticks(self) -> list[int]:
        """Intervals that are tried as long as all holds are kept."""
        found = [self.first_ticks]
        while found[-1] > self.least_ticks:
            found.append(_faster(found[-1], self.least_ticks))
        return found

    @property
    def holds_max(self) -> int:
        ratio = _SPEED_UP[1] / _SPEED_UP[0]
        closing = math.log(math.log(ratio) / math.log1p(self.resolution_ppm * 1e-6), 2)
        return len(self.ramp_ticks) + max(0, math.ceil(closing)) + 2

    @property
    def longest_ticks(self) -> int:
        ramp = self.ramp_ticks
        closing = max(0, self.holds_max - len(ramp)) * self.first_ticks
        return self.count * (sum(ramp) + closing)


def _faster(ticks: int, least_ticks: int) -> int:
    return max(least_ticks, min(ticks - 1, ticks * _SPEED_UP[0] // _SPEED_UP[1]))


class RateSearchState:
    """The state of a search under way."""

    def __init__(self, search: RateSearch) -> None:
        self._search = search
        self._kept_ticks: int | None = None
        self._lost_ticks: int | None = None
        self.holds = 0

    def next_ticks(self) -> int | None:
        """Return the interval of the next hold; None: the search is over."""
        search, kept, lost = self._search, self._kept_ticks, self._lost_ticks
        if self.holds >= search.holds_max:
            return None
        if kept is None:
            return search.first_ticks if lost is None else None
        if lost is None:
            return None if kept == search.least_ticks else _faster(kept, search.least_ticks)
        if kept - lost <= max(1, lost * search.resolution_ppm // 10**6):
            return None
        return min(kept - 1, max(lost + 1, math.isqrt(kept * lost)))

    def learn(self, ticks: int, *, kept: bool) -> None:
        """Take the result of the hold that was asked for."""
        self.holds += 1
        if kept:
            self._kept_ticks = ticks
        else:
            self._lost_ticks = ticks


def falls_behind(latencies: Int64Array, interval: float) -> bool:
    """Return whether answers come later and later, in the order of their stimuli, shape (n,).

    They do if all of the last quarter are later, by more than an interval, than all of the
    first. What grows by `interval` * 2 / n a stimulus, or more, is found. One unit for both.
    """
    quarter = len(latencies) // _QUARTERS
    if not quarter:
        return False
    return bool(latencies[-quarter:].min() > latencies[:quarter].max() + interval)


def keeps_up(stimulus: Int64Array, response: Int64Array) -> bool:
    """Return whether a hold was kept, by the times of both wires' edges alone, in order."""
    n = len(stimulus)
    if not n or len(response) != n or bool(np.any(response < stimulus)):
        return False
    interval = (int(stimulus[-1]) - int(stimulus[0])) / max(1, n - 1)
    return not falls_behind(response - stimulus, interval)
