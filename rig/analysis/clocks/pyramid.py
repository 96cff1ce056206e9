# SPDX-License-Identifier: GPL-3.0-or-later
"""Hulls of a run's events at every scale: of each 256 events, of each 512, up to all of them.

They are made in one pass over the events; only their corners are kept, a few percent of the points.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from rig.analysis.clocks.brackets import Brackets, BracketSource
from rig.analysis.clocks.hull import Chains, joined, paired, upper_hulls
from rig.analysis.clocks.line import Corners, corners, corners_of, points
from rig.instruments import Int64Array

CELL_EVENTS = 256
_READ_EVENTS = CELL_EVENTS << 8


class Pyramid:
    """Corners of any cell of events, and of any two next to each other."""

    def __init__(self, source: BracketSource) -> None:
        """Raises ValueError for a source without events, or whose samples do not rise."""
        self.count = len(source)
        if not self.count:
            raise ValueError("there are no events to fit a clock to")
        self._source = source
        self.excluded: set[int] = set()
        self.width_ticks = 0.0
        """Median width of the brackets, of the first stretch read."""
        self.span_samples = 0
        lower, upper = self._cells()
        self._build(lower, upper)

    def _cells(self) -> tuple[Chains, Chains]:
        lower, upper, end = [], [], None
        for first in range(0, self.count, _READ_EVENTS):
            part = self._source.read(first, _READ_EVENTS)
            if end is None:
                self.width_ticks, start = part.width_ticks, int(part.sample[0])
            elif part.sample[0] <= end:
                raise ValueError(f"edge {first} does not follow the one before; samples must rise")
            end = int(part.sample[-1])
            below, above = (_in_cells(chains) for chains in points(part, first))
            lower.append(upper_hulls(below))
            upper.append(upper_hulls(above))
        self.span_samples = (end or start) - start
        return joined(lower), joined(upper)

    def _build(self, lower: Chains, upper: Chains) -> None:
        self._levels = [(lower, upper)]
        while len(lower) > 1:
            lower, upper = paired(lower), paired(upper)
            self._levels.append((lower, upper))

    @property
    def top(self) -> int:
        """Level at which one cell holds all events; 0: cells of CELL_EVENTS."""
        return len(self._levels) - 1

    def events(self, first: int, stop: int) -> Brackets:
        """Return those events without the excluded ones; numbers are lost: see `numbers`."""
        return self._source.read(first, stop - first).without(self._gone(first, stop))

    def numbers(self, first: int, stop: int) -> Int64Array:
        """Return the numbers of those events without the excluded ones."""
        return np.delete(np.arange(first, stop), self._gone(first, stop))

    def _gone(self, first: int, stop: int) -> list[int]:
        return sorted(event - first for event in self.excluded if first <= event < stop)

    def corners(self, level: int, cell: int, cells: int = 1) -> Corners:
        """Return the corners of one cell, or of several next to each other as one stretch.

        There are none if all events there are excluded.
        """
        lower, upper = self._levels[level]
        stop = min(cell + cells, len(lower))
        return corners(lower.stretch(cell, stop), upper.stretch(cell, stop))

    def exclude(self, events: Iterable[int]) -> None:
        """Leave these events out from now on."""
        new = set(events) - self.excluded
        self.excluded |= new
        lower, upper = self._levels[0]
        cells = sorted({event // CELL_EVENTS for event in new})
        self._build(self._without(lower, cells, 0), self._without(upper, cells, 1))

    def _without(self, chains: Chains, cells: list[int], side: int) -> Chains:
        parts, done = [], 0
        for cell in cells:
            if done < cell:
                parts.append(_groups(chains, done, cell))
            first = cell * CELL_EVENTS
            stop = min(first + CELL_EVENTS, self.count)
            chain = points(self.events(first, stop))[side]
            numbered = Chains(chain.x, chain.y, self.numbers(first, stop), chain.starts)
            parts.append(upper_hulls(numbered))
            done = cell + 1
        if done < len(chains):
            parts.append(_groups(chains, done, len(chains)))
        return joined(parts)


def numbered_corners(events: Brackets, numbers: Int64Array) -> Corners:
    """Return the corners of events whose numbers have holes."""
    found = corners_of(events)
    lower = [int(numbers[i]) for i in found.lower_event]
    upper = [int(numbers[i]) for i in found.upper_event]
    return Corners(found.lower_x, found.lower_y, lower, found.upper_x, found.upper_y, upper)


def _in_cells(chain: Chains) -> Chains:
    starts = np.append(np.arange(0, len(chain.x), CELL_EVENTS), len(chain.x))
    return Chains(chain.x, chain.y, chain.event, starts)


def _groups(chains: Chains, first: int, stop: int) -> Chains:
    begin, end = int(chains.starts[first]), int(chains.starts[stop])
    part = slice(begin, end)
    starts = chains.starts[first : stop + 1] - begin
    return Chains(chains.x[part], chains.y[part], chains.event[part], starts)
