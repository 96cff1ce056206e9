# SPDX-License-Identifier: GPL-3.0-or-later
"""Events that come in holds: trains of one rate each, with a rest behind each of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from rig.event_source import EventSource
from rig.stimulus.train import Pattern, Polarity, Train

REST_FACTOR: Final = 4
"""The rest between two holds is longer than the longest interval by this at least: so the capture
alone shows where a hold begins."""


class RateSteps(EventSource):
    """Base of a source of such events; `count` is that of a hold. Ticks are those of the stimulus
    clock."""

    first_ticks: int
    """The longest interval, which comes first."""
    least_ticks: int
    """The shortest one."""
    width_ticks: int
    delay_ticks: int
    polarity: Polarity
    answered_by: str
    """The measurement that the agent is asked for."""

    def train(self, interval_ticks: int) -> Train:
        """Return the hold of this interval. Raises ValueError for one that no chip could make."""
        return Train(
            Pattern.PERIODIC, self.count, 0, self.delay_ticks, self.width_ticks, self.polarity,
            period_ticks=interval_ticks,
        )  # fmt: skip

    @property
    @abstractmethod
    def holds_max(self) -> int:
        """The largest number of holds that there may be."""

    @property
    @abstractmethod
    def longest_ticks(self) -> int:
        """The longest time that all holds may take, but for what lies between them."""

    @property
    def shortest_level_ticks(self) -> int:
        """The shortest pulse, or rest between two."""
        return min(self.width_ticks, self.least_ticks - self.width_ticks)

    @property
    def active_level(self) -> int:
        return self.polarity.active_level
