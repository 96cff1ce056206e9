# SPDX-License-Identifier: GPL-3.0-or-later
"""A fitted clock: what the other clock showed at a sample, how surely, and at which rate it ran.

The rate comes from the longest stretches that one line fits, since length is what makes a rate
sure. The bounds come from short ones, in which the stated drift can hide little: they hold for
every clock that drifts no faster than that, also where a single line would fit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.bracket_test import BracketTest
from rig.analysis.clocks.brackets import Brackets, BracketSource, Rates
from rig.analysis.clocks.line_set import FloatArray, LineSet, lines_through
from rig.instruments import Int64Array

_FEWEST_EVENTS = 16
_READ_EVENTS = 1 << 15
_KEPT_MAX = 1 << 12
"""Stretches whose lines are kept, the last ones asked for: some MB."""
_HIDDEN = 1 / 8
"""Share of a bracket that drift may hide in the stretches that give the bounds."""


@dataclass(frozen=True)
class Readings:
    """What the tick clock showed at given samples."""

    origin_ticks: int
    """To be added to all others, which are relative so that they keep their digits."""
    lowest_ticks: FloatArray
    """Shape (n,)."""
    highest_ticks: FloatArray

    @property
    def ticks(self) -> FloatArray:
        """The middle of the bounds."""
        return (self.lowest_ticks + self.highest_ticks) / 2


class Clock:
    """Ticks as a function of samples, from a bracket test's pieces and the events themselves."""

    def __init__(self, source: BracketSource, test: BracketTest) -> None:
        """Events that the test named are left out.

        Raises ValueError if the test did not get through the run: then there is no one clock.
        """
        if not test.holds_but_for_named or not test.pieces:
            raise ValueError(f"{test.text}; there is no one clock to map with")
        self.rates: Rates = test.rates
        self._source = source
        self._excluded = np.array([violation.event for violation in test.violations], np.int64)
        self.ticks_per_sample = _slopes(test)
        """The lowest and the highest rate that the ticks may have had at any time."""
        self.knots_sample, self.knots_ppm = _rate_knots(test)
        self._events = _stretch_events(source, test.rates)
        half = max(1, self._events // 2)
        self._firsts = [i * half for i in range(max(1, len(source) // half - 1))]
        self._middles = self._middle_samples()
        self._block = 0, source.read(0, 0)
        self._lines_of: OrderedDict[int, LineSet] = OrderedDict()

    def rate_ppm(self, sample: npt.ArrayLike) -> FloatArray:
        """Rate of the ticks against the samples, relative to nominal; linear between the knots."""
        return np.interp(np.asarray(sample, np.float64), self.knots_sample, self.knots_ppm)

    def at(self, sample: Int64Array) -> Readings:
        """Readings at any samples, shape (n,), in any order.

        A sample here is a point of time; an edge whose index is s lies in (s - 1, s].

        Raises ValueError if the events around one of them contradict the drift bound.
        """
        lowest, highest = np.empty(len(sample)), np.empty(len(sample))
        origin = 0
        for number, (which, stretch) in enumerate(self._stretches(sample)):
            origin = origin if number else stretch.origin_ticks
            low, high = stretch.bounds(sample[which])
            lowest[which] = low + (stretch.origin_ticks - origin)
            highest[which] = high + (stretch.origin_ticks - origin)
        return Readings(origin, lowest, highest)

    def _stretches(self, sample: Int64Array) -> Iterator[tuple[Int64Array, LineSet]]:
        borders = (self._middles[1:] + self._middles[:-1]) / 2
        stretch = np.searchsorted(borders, sample)
        order = np.argsort(stretch, kind="stable")
        numbers, begins = np.unique(stretch[order], return_index=True)
        for number, which in zip(numbers.tolist(), np.split(order, begins[1:]), strict=True):
            yield which, self._lines(self._firsts[number])

    def _lines(self, first: int) -> LineSet:
        kept = self._lines_of.get(first)
        if kept is None:
            kept = self._lines_of[first] = self._fitted(first)
            if len(self._lines_of) > _KEPT_MAX:
                self._lines_of.popitem(last=False)
        return kept

    def _fitted(self, first: int) -> LineSet:
        stop = self._stop(first)
        events = self._read(first, stop)
        gone = self._excluded[(self._excluded >= first) & (self._excluded < stop)] - first
        lines = lines_through(events.without(gone) if len(gone) else events, self.rates)
        if lines is None:
            raise ValueError(
                f"events {first} to {stop - 1} allow no clock that drifts less than "
                f"{self.rates.drift_ppm_per_s:g} ppm/s"
            )
        return lines

    def _read(self, first: int, stop: int) -> Brackets:
        """Events of a stretch, out of a block of many: stretches are mostly asked for in order."""
        begin, block = self._block
        if not begin <= first <= stop <= begin + len(block):
            count = max(stop - first, _READ_EVENTS)
            begin, block = self._block = first, self._source.read(first, count)
        return block.part(first - begin, stop - begin)

    def _stop(self, first: int) -> int:
        """The last stretch takes what is left."""
        return len(self._source) if first == self._firsts[-1] else first + self._events

    def _middle_samples(self) -> FloatArray:
        """Halfway from the first to the last event of each stretch."""
        ends = np.array([[first, self._stop(first) - 1] for first in self._firsts])
        wanted, where = np.unique(ends, return_inverse=True)
        found = np.empty(len(wanted), np.int64)
        done = 0
        for start in range(0, len(self._source), _READ_EVENTS):
            here = int(np.searchsorted(wanted, start + _READ_EVENTS))
            if here > done:
                samples = self._source.samples(start, _READ_EVENTS)
                found[done:here] = samples[wanted[done:here] - start]
            done = here
        middles: FloatArray = found[where].reshape(ends.shape).sum(axis=1) / 2
        return middles


def _slopes(test: BracketTest) -> tuple[float, float]:
    lowest = min(piece.lowest for piece in test.pieces)
    highest = max(piece.highest for piece in test.pieces)
    # Within a piece that one line fits the rate may still be this far from the line's.
    longest_s = max(p.last_sample - p.first_sample for p in test.pieces) / test.rates.sample_rate_hz
    hidden = test.rates.drift_ppm_per_s * 1e-6 * longest_s * test.rates.nominal_ticks_per_sample
    return lowest - hidden, highest + hidden


def _rate_knots(test: BracketTest) -> tuple[FloatArray, FloatArray]:
    """Middles of the pieces and rates there, each smoothed with its neighbors by 1-2-1."""
    middle = np.array([piece.middle_sample for piece in test.pieces])
    ppm = np.array([test.rates.ppm(piece.ticks_per_sample) for piece in test.pieces])
    if len(ppm) > 2:
        # At the ends a neighbor is missing: weights that still leave a straight drift alone.
        inner = (ppm[:-2] + 2 * ppm[1:-1] + ppm[2:]) / 4
        middle_inner = (middle[:-2] + 2 * middle[1:-1] + middle[2:]) / 4
        middle = np.concatenate([middle[:1], middle_inner, middle[-1:]])
        ppm = np.concatenate([ppm[:1], inner, ppm[-1:]])
    return middle, ppm


def _stretch_events(source: BracketSource, rates: Rates) -> int:
    """How many events a stretch has in which drift hides little."""
    n = len(source)
    first, last = (int(source.samples(i, 1)[0]) for i in (0, n - 1))
    per_sample_2 = rates.allowance_ticks(1)
    width = source.read(0, 1 << 12).width_ticks
    span = sqrt(_HIDDEN * width / per_sample_2) if per_sample_2 else inf
    events = n * min(1.0, span / max(1, last - first))
    return max(2, min(n, max(_FEWEST_EVENTS, int(events))))
