# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned leading edges of a train, read forward in stretches of any size."""

from __future__ import annotations

import numpy as np

from rig.instruments import Int64Array
from rig.stimulus.train import Train

_STRETCH = 1 << 12


class PlannedEdges:
    """A window of the planned edges; memory: what was asked for since the last `forget`."""

    def __init__(self, train: Train, count: int | None = None) -> None:
        """Begin at the first edge; `count`: edges that were really sent; None: all of the train."""
        self.count = train.count if count is None else min(count, train.count)
        self._train = train
        self._first = 0
        self._ticks = np.empty(0, np.int64)
        self._next_ticks = train.delay_ticks

    def ticks(self, first: int, stop: int) -> Int64Array:
        """Return ticks since INIT of edges `first` to `stop` - 1, fewer at the train's end.

        Raises:
            ValueError: `first` lies before what was forgotten.
        """
        if first < self._first:
            raise ValueError(f"edge {first} was forgotten, the window begins at {self._first}")
        end = self._first + len(self._ticks)
        if end < min(stop, self.count):
            self._extend(end, min(max(stop, end + _STRETCH), self.count))
        return self._ticks[first - self._first : max(first, min(stop, self.count)) - self._first]

    def forget(self, before: int) -> None:
        """Discard edges before this number, which will not be asked for again."""
        drop = min(before - self._first, len(self._ticks))
        if drop >= _STRETCH:
            self._ticks = self._ticks[drop:]
            self._first += drop

    def _extend(self, end: int, stop: int) -> None:
        steps = np.cumsum(self._train.intervals(end, stop))
        begin = self._next_ticks
        self._ticks = np.concatenate([self._ticks, [begin], begin + steps[:-1]])
        self._next_ticks = begin + int(steps[-1])
