# SPDX-License-Identifier: GPL-3.0-or-later
"""A fitted clock: the other clock's ticks at a sample, their bounds, and the rate at which it ran.

The rate comes from the longest stretches that one line fits, since length is what makes a rate
sure. The bounds come from short ones, in which the stated drift can hide little: they hold for
every clock that drifts no faster than that, also where a single line would fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.bracket_test import BracketTest
from rig.analysis.clocks.brackets import BracketSource, Rates
from rig.analysis.clocks.stretch_lines import StretchLines
from rig.arrays import FloatArray
from rig.instruments import Int64Array

DRIFT_PPM_PER_S = 10
"""Fastest drift of one clock against the other: what a ceramic resonator may do while it warms up.
Crystals are far slower. A fixture's [clocks] may state a smaller one."""


_FEWEST_EVENTS = 16
_READ_EVENTS = 1 << 15
_HIDDEN = 1 / 8
"""Share of a bracket that drift may hide in the stretches that give the bounds."""


@dataclass(frozen=True)
class Readings:
    """Readings of the tick clock at given samples."""

    origin_ticks: int
    """Ticks to add to all others, which are relative so that they keep their digits."""
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
        """Fit the lines of the stretches, without the events that the test named.

        Raises ValueError if the test did not get through the run: then there is no one clock.
        """
        if not test.holds_but_for_named or not test.pieces:
            raise ValueError(f"{test.text}; there is no one clock to map with")
        self.rates: Rates = test.rates
        self._source = source
        excluded = np.array([violation.event for violation in test.violations], np.int64)
        self.ticks_per_sample = _slopes(test)
        """The lowest and the highest rate that the ticks may have had at any time."""
        self.knots_sample, self.knots_ppm = _rate_knots(test)
        self._events = _stretch_events(source, test.rates)
        half = max(1, self._events // 2)
        self._firsts = [i * half for i in range(max(1, len(source) // half - 1))]
        middles = self._middle_samples()
        self._borders = (middles[1:] + middles[:-1]) / 2
        stops = [self._stop(first) for first in self._firsts]
        stretches = np.array([self._firsts, stops], np.int64).T
        self._lines = StretchLines(source, stretches, excluded, test.rates)

    def rate_ppm(self, sample: npt.ArrayLike) -> FloatArray:
        """Return the rate of ticks against samples, relative to nominal; linear between knots."""
        return np.interp(np.asarray(sample, np.float64), self.knots_sample, self.knots_ppm)

    def at(self, sample: Int64Array) -> Readings:
        """Return the readings at any samples, shape (n,), in any order.

        A sample here is a point of time; an edge whose index is s lies in (s - 1, s].

        Raises ValueError if the events around one of them contradict the drift bound.
        """
        order, sample, numbers, ranges = self._by_stretch(sample)
        origin, lowest, highest = self._lines.bounds(numbers, ranges, sample)
        if order is not None:
            lowest[order], highest[order] = lowest.copy(), highest.copy()
        return Readings(origin, lowest, highest)

    def _by_stretch(
        self, sample: Int64Array
    ) -> tuple[Int64Array | None, Int64Array, list[int], Int64Array]:
        """Return the samples in the order of the stretches they are in, and that order if it is
        another; numbers of the stretches, and the range of each one's samples, shape (k, 2)."""
        stretch, order = np.searchsorted(self._borders, sample), None
        if np.any(stretch[1:] < stretch[:-1]):
            order = np.argsort(stretch, kind="stable")
            stretch, sample = stretch[order], sample[order]
        begins = np.flatnonzero(np.diff(stretch, prepend=-1))
        ranges = np.stack([begins, np.append(begins[1:], len(sample))[: len(begins)]], axis=1)
        return order, sample, stretch[begins].tolist(), ranges

    def _stop(self, first: int) -> int:
        """Return the end of the stretch that begins there; the last one takes all that is left."""
        return len(self._source) if first == self._firsts[-1] else first + self._events

    def _middle_samples(self) -> FloatArray:
        """Return the sample halfway from the first to the last event of each stretch."""
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
    """Return middles of the pieces and rates there, each smoothed with its neighbors by 1-2-1."""
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
    """Return how many events a stretch has in which drift hides little."""
    n = len(source)
    first, last = (int(source.samples(i, 1)[0]) for i in (0, n - 1))
    per_sample_2 = rates.allowance_ticks(1)
    width = source.read(0, 1 << 12).width_ticks
    span = sqrt(_HIDDEN * width / per_sample_2) if per_sample_2 else inf
    events = n * min(1.0, span / max(1, last - first))
    return max(2, min(n, max(_FEWEST_EVENTS, int(events))))
