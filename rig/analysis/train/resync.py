# SPDX-License-Identifier: GPL-3.0-or-later
"""Alignment of the edges behind a break with planned ones, by the pattern of their intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.analysis.train.planned import PlannedEdges
from rig.analysis.train.relative_rate import Edge, RelativeRate
from rig.instruments import Int64Array

FARTHEST_EDGES = 1 << 16
"""Most stimuli in a row that one hole may swallow."""
UNEXPLAINED_EDGES = 8
"""Most edges in a row that may lie off the line: late, at a seam, or between two holes."""
_NEAR_EDGES = 16
_SEARCHES = ((_NEAR_EDGES, 8), (_NEAR_EDGES, 4), (1 << 10, 8), (FARTHEST_EDGES, 8),
             (_NEAR_EDGES, 3), (1 << 10, 4))  # fmt: skip
"""Numbers of alignments tried, and of edges in a row that must fit one: the near first."""
_DENSE_EDGES = 3
"""Fewest edges in a row between two holes that are distinct from edges at a seam."""
_CANDIDATES_MAX = 1 << 12
_FAR_TICKS = 1 << 61
_START_RUNS = (24, 8, 4, 3, 2, 1)
_START_SURE = 4
"""Fewer intervals fit by chance: they are used only where there are no more."""
_START_REACH = 64
_RATE_ERROR_MAX = 0.2
"""Largest error of the rate at the start: far beyond any resonator."""
_RATE_FACTOR_MAX = 1000.0
"""Largest factor at the start, if nothing fits: a clock that is not what it declares."""
_FAR_RUNS = (24, 8)
"""Numbers of intervals in a row that must fit a rate so far off."""


@dataclass(frozen=True)
class TrainMatch:
    """A match: edges from `skipped` on are those planned from `planned` on, `run` in a row."""

    skipped: int
    planned: int
    run: int


def first_fit(edges: Int64Array, plan: PlannedEdges, rate: RelativeRate) -> TrainMatch | None:
    """Return the match of a capture's very first edges, at any rate. Shape (n,), n > 1.

    Normally it is TrainMatch(0, 0, ...). None if no edges in a row have planned distances.
    """
    near = _first_fit(edges, plan, rate, _START_RUNS, (1 - _RATE_ERROR_MAX, 1 + _RATE_ERROR_MAX))
    if near is not None:
        return near
    # The rate is no rate of these clocks: found all the same, so that it can be named.
    return _first_fit(edges, plan, rate, _FAR_RUNS, (1 / _RATE_FACTOR_MAX, _RATE_FACTOR_MAX))


def _first_fit(
    edges: Int64Array,
    plan: PlannedEdges,
    rate: RelativeRate,
    runs: tuple[int, ...],
    factors: tuple[float, float],
) -> TrainMatch | None:
    for run in runs:
        if run < min(_START_SURE, len(edges) - 1):
            break
        for skipped in range(min(UNEXPLAINED_EDGES, len(edges) - run)):
            # Two intervals fit some rate too easily to tell them from others.
            near = skipped if run <= 2 else max(0, skipped - UNEXPLAINED_EDGES)
            stop = skipped + (1 if run <= 2 else _START_REACH) + run
            ticks = plan.ticks(near, stop)
            if len(ticks) > run:
                part = edges[skipped : skipped + run + 1]
                found = near + _fit_any_rate(part, ticks, rate, factors)
                fits = [TrainMatch(skipped, planned, run + 1) for planned in found.tolist()]
                if fits:
                    return max(fits, key=lambda fit: _agreement(fit, edges, plan, rate))
    return None


def _agreement(
    fit: TrainMatch, edges: Int64Array, plan: PlannedEdges, rate: RelativeRate
) -> tuple[int, int]:
    """Return how many edges before the fit lie on its line too; then how few are missing."""
    ticks = plan.ticks(0, fit.planned + fit.run)
    behind = edges[fit.skipped : fit.skipped + fit.run]
    slope = (behind[-1] - behind[0]) / (ticks[-1] - ticks[fit.planned])
    line = behind[0] + slope * (ticks - ticks[fit.planned])
    off = np.abs(edges[: fit.skipped, None] - line).min(axis=1, initial=np.inf)
    return int(np.count_nonzero(off <= 2 * rate.noise_samples)), -abs(fit.planned - fit.skipped)


def _fit_any_rate(
    edges: Int64Array, ticks: Int64Array, rate: RelativeRate, factors: tuple[float, float]
) -> Int64Array:
    """Return the places in `ticks` from which on all the edges lie on one line.

    `factors`: limits of its slope as a multiple of the nominal one.
    """
    plan = np.lib.stride_tricks.sliding_window_view(ticks, len(edges))
    span = edges[-1] - edges[0]
    slope = span / (plan[:, -1] - plan[:, 0])
    off = (edges - edges[0]) - slope[:, None] * (plan - plan[:, :1])
    bend = rate.drift * (plan[:, -1:] - plan[:, :1]) * float(span) / 2
    fits = (np.abs(off) <= 1 + slope[:, None] + bend).all(axis=1)
    factor = slope / rate.samples_per_tick
    fits &= (factors[0] <= factor) & (factor <= factors[1])
    return np.flatnonzero(fits)


class Realigner:
    """A search for where the line continues, bounded: far searches are slow for a wrong stream."""

    def __init__(self, plan: PlannedEdges, rate: RelativeRate) -> None:
        self._plan, self._rate = plan, rate
        self._far_searches_left = 200

    def fit(
        self, anchor: Edge, planned: int, edges: Int64Array, *, final: bool
    ) -> TrainMatch | None:
        """Align edges behind a break.

        Args:
            anchor: the last edge on the line.
            planned: its number in the plan.
            edges: samples of those behind it, shape (n,).
            final: no edge will follow, so that few must do.
        """
        for reach, run in _SEARCHES:
            if reach > _NEAR_EDGES:
                if self._far_searches_left <= 0:
                    continue
                self._far_searches_left -= 1
            found = self._search(anchor, planned, edges, reach, run, final=final)
            if found is not None:
                return found
        return self._back_on_line(anchor, planned, edges) or self._later_than_planned(
            anchor, planned, edges
        )

    def _search(
        self, anchor: Edge, planned: int, edges: Int64Array, reach: int, run: int, *, final: bool
    ) -> TrainMatch | None:
        dense: TrainMatch | None = None
        for skipped in range(min(UNEXPLAINED_EDGES, len(edges))):
            rest = edges[skipped:]
            first = self._first_possible(anchor, planned, int(rest[0]))
            fit = self._best(rest, first, reach)
            if fit is None:
                continue
            fit = TrainMatch(skipped, fit.planned, fit.run)
            if fit.run >= (min(run, len(rest)) if final else run):
                # What fits before the next hole is not to be passed over for what is behind it.
                hidden = dense is not None and dense.skipped + dense.run <= skipped
                return dense if hidden else fit
            if dense is None and fit.run >= _DENSE_EDGES:
                dense = fit
        return None

    def _back_on_line(self, anchor: Edge, planned: int, edges: Int64Array) -> TrainMatch | None:
        """Return the match of one edge among many late ones that lies on the line."""
        for skipped, sample in enumerate(edges[:UNEXPLAINED_EDGES].tolist()):
            first = self._first_possible(anchor, planned, sample)
            distance = sample - anchor[0]
            ticks = self._plan.ticks(first, first + 1)
            off = np.abs(distance - self._rate.samples_per_tick * (ticks - anchor[1]))
            if (off <= self._rate.allowed(distance, ticks)).any():
                return TrainMatch(skipped, first, 1)
        return None

    def _later_than_planned(
        self, anchor: Edge, planned: int, edges: Int64Array
    ) -> TrainMatch | None:
        """Return a match of edges with too many samples before, or a stimulus that stood still."""
        first = self._first_possible(anchor, planned, int(edges[0]))
        reach = min(_NEAR_EDGES, first - planned - 1)
        fit = self._best(edges, first - reach, reach) if reach > 0 else None
        return fit if fit is not None and fit.run >= _SEARCHES[0][1] else None

    def _first_possible(self, anchor: Edge, planned: int, sample: int) -> int:
        """Return the first planned edge that this one can be if there are no samples too many."""
        distance = sample - anchor[0]
        reached = anchor[1] + distance / self._rate.samples_per_tick
        allowed = float(self._rate.allowed(distance, reached))
        lowest = reached - allowed / self._rate.samples_per_tick
        first, reach = planned + 1, _NEAR_EDGES
        while True:
            ticks = self._plan.ticks(first, first + reach)
            if len(ticks) < reach or ticks[-1] >= lowest or reach >= FARTHEST_EDGES:
                return first + int(np.searchsorted(ticks, lowest))
            reach *= 8

    def _best(self, edges: Int64Array, first: int, reach: int) -> TrainMatch | None:
        """Return the match with the shortest hole, of those that fit the longest."""
        ticks = self._plan.ticks(first, first + reach + len(edges) - 1)
        if not len(ticks):
            return None
        padded = np.concatenate([ticks, np.full(len(edges) - 1, _FAR_TICKS)])
        plan = np.lib.stride_tricks.sliding_window_view(padded, len(edges))[:reach]
        few = min(4, len(edges))
        runs = self._runs(edges[:few], plan[:, :few])
        likely = np.flatnonzero(runs == runs.max())[:_CANDIDATES_MAX]
        runs = self._runs(edges, plan[likely])
        best = int(np.argmax(runs))
        return TrainMatch(0, first + int(likely[best]), int(runs[best]))

    def _runs(self, edges: Int64Array, plan: Int64Array) -> Int64Array:
        """Return how many edges in a row lie on a line, shape (n,); plan of shape (n, edges)."""
        distance = edges - edges[0]
        off = distance - self._rate.samples_per_tick * (plan - plan[:, :1])
        fits = np.abs(off) <= self._rate.allowed(distance, plan)
        return np.where(fits.all(axis=1), len(edges), np.argmin(fits, axis=1))
