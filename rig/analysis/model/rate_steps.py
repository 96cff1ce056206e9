# SPDX-License-Identifier: GPL-3.0-or-later
"""Events that come in holds: trains of one rate each, with a rest behind each of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

from rig.event_source import EventSource
from rig.stimulus.train import Polarity, Train

REST_FACTOR: Final = 4
"""The rest between two holds is longer than the longest interval by this at least: so the capture
alone tells where a hold begins."""


class RateSteps(EventSource):
    """Base of a source of such events."""

    first_ticks: int
    """Interval of the first hold, and the longest of all, in ticks of the stimulus clock."""

    @property
    @abstractmethod
    def hold_count(self) -> int:
        """Stimuli of a hold."""

    polarity: Polarity

    @property
    def active_level(self) -> int:
        return self.polarity.active_level

    @abstractmethod
    def train(self, interval_ticks: int) -> Train:
        """The hold of this interval. Raises ValueError for one that no chip could make."""
