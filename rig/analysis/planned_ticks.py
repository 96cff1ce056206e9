# SPDX-License-Identifier: GPL-3.0-or-later
"""When the stimulus edges of a capture were planned."""

from __future__ import annotations

import numpy as np

from rig.analysis.continuity import Alignment
from rig.analysis.planned import PlannedEdges
from rig.instruments import Int64Array
from rig.stimulus.train import Train


class PlannedTicks:
    """When the stimulus edges in the capture were planned, in order, a stretch at a time."""

    def __init__(self, train: Train, alignment: Alignment) -> None:
        self._plan = PlannedEdges(train)
        self._alignment = alignment

    def of(self, first: int, count: int) -> Int64Array:
        """Ticks since INIT of observed edges `first` on, shape (count,); -1: not known."""
        number = self._alignment.planned_numbers(first, count)
        known = (number >= 0) & (number < self._plan.count)
        ticks = np.full(count, -1, np.int64)
        if known.any():
            low, high = int(number[known].min()), int(number[known].max())
            self._plan.forget(low)
            ticks[known] = self._plan.ticks(low, high + 1)[number[known] - low]
        return ticks
