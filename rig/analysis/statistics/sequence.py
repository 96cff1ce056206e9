# SPDX-License-Identifier: GPL-3.0-or-later
"""Values in event order, in bounded memory however long the run.

The histogram forgets the order, which dependence is about. Up to FULL_EVENTS all values are kept
and every figure is that of all of them. Beyond, two summaries of fixed size take over: sums of
equal blocks over the whole run (trend, change points, average), and whole stretches of consecutive
events spread evenly over it (short-range dependence, tick phase). Nothing is dropped from the
sums.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from rig.analysis.statistics.course import TimeCourse, scatter
from rig.arrays import FloatArray
from rig.instruments import Int64Array

P = ParamSpec("P")
T = TypeVar("T")
STRETCH_EVENTS = 1 << 12
FULL_EVENTS = 1 << 20
BLOCKS = 1 << 16
"""Largest number of blocks; their length doubles when there would be more."""


class EventSequence:
    """Values and when they occurred, collected a piece at a time."""

    def __init__(self, full_events: int = FULL_EVENTS, blocks: int = BLOCKS) -> None:
        """Keep at most so many events, at least two stretches, and blocks; both powers of two."""
        self.n = 0
        self.figures: dict[Hashable, object] = {}
        """Figures made of the values so far; see `made_once`."""
        self.course = TimeCourse()
        """Least and largest of all values over time."""
        self._most_stretches = full_events // STRETCH_EVENTS
        self._most_blocks = blocks
        self._every = 1
        self._stretches: list[tuple[Int64Array, Int64Array]] = []
        self._number = 0  # of the stretch being filled
        self._filling: list[tuple[Int64Array, Int64Array]] = []
        self._filled = 0
        self._block_events = 1
        self._sums = np.empty(0, np.int64)
        self._rest = np.empty(0, np.int64)  # values of the block not yet full

    @property
    def exact(self) -> bool:
        """Whether all values are still kept."""
        return self._every == 1

    def add(self, values: Int64Array, times: Int64Array) -> None:
        """Add the next values, and the sample of each stimulus edge; shapes (n,)."""
        self.n += len(values)
        self.figures.clear()
        self.course.add(values, times)
        self._add_blocks(values)
        while len(values):
            room = STRETCH_EVENTS - self._filled
            self._filling.append((values[:room].copy(), times[:room].copy()))
            self._filled += len(values[:room])
            values, times = values[room:], times[room:]
            if self._filled == STRETCH_EVENTS:
                self._end_stretch()

    def _end_stretch(self) -> None:
        if self._number % self._every == 0:
            if len(self._stretches) == self._most_stretches:
                self._stretches = self._stretches[::2]
                self._every *= 2
            if self._number % self._every == 0:
                self._stretches.append(_joined(self._filling))
        self._filling, self._filled = [], 0
        self._number += 1

    def _add_blocks(self, values: Int64Array) -> None:
        while len(values):
            room = (self._most_blocks - len(self._sums)) * self._block_events - len(self._rest)
            self._fill_blocks(np.concatenate([self._rest, values[:room]]))
            values = values[room:]
            if len(self._sums) == self._most_blocks:
                self._sums = self._sums.reshape(-1, 2).sum(axis=1)
                self._block_events *= 2

    def _fill_blocks(self, values: Int64Array) -> None:
        whole = len(values) // self._block_events * self._block_events
        sums = values[:whole].reshape(-1, self._block_events).sum(axis=1)
        self._sums, self._rest = np.concatenate([self._sums, sums]), values[whole:]

    # --- what figures are made of -------------------------------------------------------------

    def stretches(self) -> list[FloatArray]:
        """Return runs of consecutive values; one run of all values if `exact`."""
        return [values.astype(float) for values, _ in self._runs()]

    def events(self) -> tuple[Int64Array, Int64Array]:
        """Return values and times of the events kept, in order, shapes (m,); all if `exact`."""
        return _joined(self._runs())

    def series(self) -> tuple[FloatArray, int]:
        """Return the whole run as equal steps, shape (m,), and the events in each step.

        Steps are single values if `exact`, else averages of blocks. The block at the end
        that is not full is in neither the average nor the trend; it is less than one part in
        half of BLOCKS.
        """
        if self.exact:
            return self.events()[0].astype(float), 1
        return self._sums / self._block_events, self._block_events

    def drawn(self, rate_hz: int) -> TimeCourse:
        """Return the course with the events kept, for plots; `rate_hz` is that of the times."""
        return replace(self.course, rate_hz=rate_hz, scatter=scatter(*self.events()))

    def _runs(self) -> list[tuple[Int64Array, Int64Array]]:
        if self.exact:
            return [_joined([*self._stretches, *self._filling])]
        return list(self._stretches)


def made_once(
    figure: Callable[Concatenate[EventSequence, P], T],
) -> Callable[Concatenate[EventSequence, P], T]:
    """Make a figure of the same sequence and arguments only once: several results need it.

    The arguments must be hashable, the figure immutable.
    """

    @wraps(figure)
    def remembered(sequence: EventSequence, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = figure, args, tuple(sorted(kwargs.items()))
        if key not in sequence.figures:
            sequence.figures[key] = figure(sequence, *args, **kwargs)
        return cast(T, sequence.figures[key])

    return remembered


def _joined(pieces: Sequence[tuple[Int64Array, Int64Array]]) -> tuple[Int64Array, Int64Array]:
    if not pieces:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return np.concatenate([v for v, _ in pieces]), np.concatenate([t for _, t in pieces])
