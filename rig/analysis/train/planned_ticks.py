# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned times of the stimulus edges of a capture."""

from __future__ import annotations

import numpy as np

from rig.analysis.train.continuity import Alignment
from rig.analysis.train.planned import PlannedEdges
from rig.instruments import Int64Array
from rig.stimulus.train import Train

_TOGETHER_EDGES = 1 << 15
"""Edges of the plan that are read at once, to pick some of them."""


class PlannedTicks:
    """The planned ticks of the stimulus edges in the capture, in order, a stretch at a time."""

    def __init__(self, train: Train, alignment: Alignment) -> None:
        self._plan = PlannedEdges(train)
        self._alignment = alignment

    def of(self, first: int, count: int) -> Int64Array:
        """Return ticks since INIT of observed edges `first` on, shape (count,); -1: not known."""
        return self._ticks(self._alignment.planned_numbers(first, count))

    def _ticks(self, number: Int64Array) -> Int64Array:
        known = (number >= 0) & (number < self._plan.count)
        ticks = np.full(len(number), -1, np.int64)
        if known.any():
            low, high = int(number[known].min()), int(number[known].max())
            self._plan.forget(low)
            ticks[known] = self._plan.ticks(low, high + 1)[number[known] - low]
        return ticks

    def at(self, edges: Int64Array) -> Int64Array:
        """Return the ticks of some observed edges, in order, shape (n,); those of earlier edges may
        not be asked for afterward."""
        ticks = np.full(len(edges), -1, np.int64)
        begin = 0
        while begin < len(edges):
            stop = int(edges.searchsorted(edges[begin] + _TOGETHER_EDGES))
            part = slice(begin, stop)
            ticks[part] = self._ticks(self._alignment.planned_of(edges[part]))
            begin = stop
        return ticks
