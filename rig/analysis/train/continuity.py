# SPDX-License-Identifier: GPL-3.0-or-later
"""Detection of samples that are missing without a report, by the stimulus train.

When each stimulus edge was planned is known to the tick, so the edges in the capture lie on one
line: sample number against planned tick, with a slope that drifts slowly. A hole of n samples in
the stream moves all edges behind it down by n, for good. A late stimulus edge lies above the line
alone. A hole may also swallow edges, or show one at its seam (a pulse that was high when the
samples came back); so edges behind a break are aligned with the plan anew, by the pattern of their
intervals.

Of all alignments that fit, the one with the shortest hole is taken. A train that repeats itself
cannot tell a hole from one that is whole periods longer; the number of edges that the firmware sent
then shows how many are missing, but not where, unless there is only one hole. Samples missing
before the first stimulus or behind the last cannot be seen at all. Decision record 0013.
"""

from __future__ import annotations

from bisect import bisect_right
from copy import copy
from dataclasses import dataclass, replace

import numpy as np

from rig.analysis.clocks.clock import DRIFT_PPM_PER_S
from rig.analysis.train.planned import PlannedEdges
from rig.analysis.train.relative_rate import Edge, RelativeRate
from rig.analysis.train.resync import UNEXPLAINED_EDGES, Realigner, TrainMatch, first_fit
from rig.instruments import Int64Array
from rig.stimulus.train import Train

LOOKAHEAD_EDGES = 32
LOOKAHEAD_MAX_EDGES = 512
"""Bursts of more pulses than this are taken for periodic inside."""
LOST_EDGES = 1 << 12
"""Number of edges in a row off the line after which no more are tried."""
_BATCH_EDGES = 1 << 12
_MEDIAN_EDGES = 3
_RECENT_EDGES = 16
_SURE_EDGES = 3
_UNKNOWN = int(np.iinfo(np.int64).min)


@dataclass(frozen=True, slots=True)
class Gap:
    """A hole in the sample stream. Samples are numbered as received."""

    first_sample: int
    """Sample of the last stimulus edge before the hole."""
    last_sample: int
    """Sample of the first stimulus edge behind the hole, or where the capture ends."""
    missing_samples: int | None
    """Number of missing samples; None: not known; below 0: there are that many too many."""
    tolerance_samples: int
    swallowed: int
    """Number of stimulus edges that were sent and are not in the capture."""
    placed: bool = True
    """False: whole periods of the train are missing, anywhere in this range."""


@dataclass(frozen=True)
class Alignment:
    """The planned edge of each stimulus edge in the capture, and where samples are missing."""

    gaps: tuple[Gap, ...]
    """Gaps in order."""
    span_samples: int
    """Length of all gapless stretches together, each from its first edge to its last."""
    span_ticks: int
    """Length of the same stretches by the plan."""
    starts: Int64Array
    """Numbers of observed edges, the first of them 0, from which on ..."""
    shifts: Int64Array
    """... the planned number is this much higher than the observed one."""

    def planned_numbers(self, first: int, count: int) -> Int64Array:
        """Return planned numbers of observed edges `first` on, shape (count,); -1: not known."""
        return self.planned_of(np.arange(first, first + count))

    def planned_of(self, number: Int64Array) -> Int64Array:
        """Return planned numbers of some observed edges, shape (n,); -1: not known."""
        shift = self.shifts[np.searchsorted(self.starts, number, side="right") - 1]
        return np.where(shift == _UNKNOWN, -1, number + shift)


class Continuity:
    """A check of the stimulus edges through a capture, in memory that only gaps increase."""

    def __init__(
        self,
        train: Train,
        sample_rate_hz: int,
        clock_hz: int,
        sent: int | None = None,
        drift_ppm_per_s: float = DRIFT_PPM_PER_S,
    ) -> None:
        """Begin; `sent`: number of edges that the firmware reports as sent; None if it did not.

        `drift_ppm_per_s`: largest drift of the two clocks against each other.
        """
        self._train, self._sent = train, sent
        self._plan = PlannedEdges(train, sent)
        self._rate = RelativeRate(sample_rate_hz, clock_hz, drift_ppm_per_s)
        self._realigner = Realigner(self._plan, self._rate)
        burst = train.shape.repeats_every(train) + UNEXPLAINED_EDGES
        self._lookahead = min(max(LOOKAHEAD_EDGES, burst), LOOKAHEAD_MAX_EDGES)
        self._pending = np.empty(0, np.int64)
        self._number = 0  # observed number of the first pending edge
        self._anchor: Edge | None = None  # the last edge on the line
        self._planned = -1  # its number in the plan
        self._recent: list[Edge] = []
        self._unexplained = 0  # edges seen since
        self._lost_sample: int | None = None
        self._ledger = _Ledger()

    def feed(self, stimulus: Int64Array) -> None:
        """Add the next leading edges in the capture, samples in order, shape (n,)."""
        self._pending = np.concatenate([self._pending, stimulus])
        self._advance(final=False)

    def finish(self, end_sample: int) -> Alignment:
        """Return the alignment of the capture, which has ended at this sample."""
        self._advance(final=True)
        if self._anchor is not None:
            self._ledger.end_stretch(self._anchor)
            self._account_for_unseen(self._anchor, end_sample)
        elif self._lost_sample is not None:
            self._ledger.map(0, _UNKNOWN)
            self._ledger.add(Gap(self._lost_sample, end_sample, None, 0, 0), 0)
        elif self._sent not in (None, self._number + len(self._pending)):
            self._ledger.map(0, _UNKNOWN)
        return self._ledger.alignment()

    # --- following the line -----------------------------------------------------------------

    def _advance(self, *, final: bool) -> None:
        enough = 1 if final else self._lookahead + UNEXPLAINED_EDGES
        followed = self._anchor is not None or self._lost_sample is not None
        if not followed and len(self._pending) >= enough:
            self._begin()
        while self._anchor is not None and len(self._pending):
            if self._lost_sample is not None:
                self._take(len(self._pending))
            elif not self._unexplained and self._follow(self._anchor):
                continue
            elif len(self._pending) >= enough:
                self._resume(self._anchor, final=final)
            else:
                return
        if self._lost_sample is not None:
            self._take(len(self._pending))

    def _follow(self, anchor: Edge) -> int:
        """Accept those of the next pending edges that lie on the line, and return how many."""
        ahead = self._pending[: 2 * _BATCH_EDGES]
        ticks = self._plan.ticks(self._planned + 1, self._planned + 1 + len(ahead))
        ahead = ahead[: len(ticks)]
        ends, rates = self._batches(anchor, ahead, ticks)
        if not ends:
            return 0
        ahead, ticks = ahead[: ends[-1]], ticks[: ends[-1]]
        edges = np.diff(ends, prepend=0)
        per_tick, error, at = (np.repeat(column, edges) for column in zip(*rates, strict=True))
        steps = np.diff(ahead, prepend=anchor[0])
        off = steps - per_tick * np.diff(ticks, prepend=anchor[1])
        broken = np.abs(off) > self._rate.allowed_with(steps, ticks, error, at)
        count = int(np.argmax(broken)) if broken.any() else len(ahead)
        for end in sorted({min(end, count) for end in ends} - {0}):
            self._rate.follow((int(ahead[end - 1]), int(ticks[end - 1])))
        self._accept(ahead[:count], ticks[:count])
        return count

    def _batches(
        self, anchor: Edge, edges: Int64Array, ticks: Int64Array
    ) -> tuple[list[int], list[tuple[float, float, int]]]:
        """Return where to take the rate anew, and its values, if all edges are on the line."""
        rate, begin = copy(self._rate), 0
        ends: list[int] = []
        rates: list[tuple[float, float, int]] = []
        while begin < min(len(edges), _BATCH_EDGES):
            batch = edges[begin : begin + _BATCH_EDGES]
            near = int(batch.searchsorted(anchor[0] + rate.stretch_samples))
            begin += min(near + 1, len(batch))
            ends.append(begin)
            rates.append(rate.state)
            anchor = int(edges[begin - 1]), int(ticks[begin - 1])
            rate.follow(anchor)
        return ends, rates

    def _accept(self, edges: Int64Array, ticks: Int64Array) -> None:
        """Take the next pending edges, planned for these ticks, as on the line."""
        if not len(edges):
            return
        last = slice(-_RECENT_EDGES, None)
        pairs = zip(edges[last].tolist(), ticks[last].tolist(), strict=True)
        self._recent = [*self._recent, *pairs][last]
        self._anchor = self._recent[-1]
        self._planned += len(edges)
        self._take(len(edges))

    def _take(self, count: int) -> None:
        self._pending = self._pending[count:]
        self._number += count
        self._plan.forget(self._planned)

    # --- the beginning ----------------------------------------------------------------------

    def _begin(self) -> None:
        fit = first_fit(self._pending, self._plan, self._rate)
        doubtful = len(self._pending) <= _SURE_EDGES
        if fit is None or (doubtful and self._sent not in (None, len(self._pending))):
            if not doubtful:
                self._lost_sample = int(self._pending[0])
            return
        ticks = self._plan.ticks(0, fit.planned + fit.run)
        edges = (int(self._pending[fit.skipped]), int(self._pending[fit.skipped + fit.run - 1]))
        self._rate.begin((edges[0], int(ticks[fit.planned])), (edges[1], int(ticks[-1])))
        # What is skipped is taken for extra edges if the plan has no room for it; else the first
        # edge is the first planned one, and the break behind it will be met on the way.
        extra = fit.skipped if fit.planned < fit.skipped else 0
        self._planned = fit.planned if extra == fit.skipped else 0
        anchor = (int(self._pending[extra]), int(ticks[self._planned]))
        self._ledger.map(0, _UNKNOWN)
        if not extra and self._planned:
            self._ledger.add(Gap(0, anchor[0], None, 0, self._planned), 0)
        self._set_anchor(anchor, extra, new_stretch=True)

    def _set_anchor(self, anchor: Edge, skipped: int, *, new_stretch: bool) -> None:
        """Continue the line at the pending edge number `skipped`."""
        self._ledger.map(self._number + skipped, self._planned - self._number - skipped)
        if new_stretch:
            self._ledger.begin_stretch(anchor)
            self._rate.leap(anchor)
            self._recent = []
        self._recent = [*self._recent, anchor][-_RECENT_EDGES:]
        self._anchor, self._unexplained = anchor, 0
        self._take(skipped + 1)

    # --- behind a break ---------------------------------------------------------------------

    def _resume(self, anchor: Edge, *, final: bool) -> None:
        """Find where the line continues: the next edge is off it."""
        edges = self._pending[: self._lookahead]
        fit = self._realigner.fit(anchor, self._planned, edges, final=final)
        if fit is None:
            self._pass_over(anchor, min(UNEXPLAINED_EDGES, len(edges)))
            return
        if final and len(edges) - fit.skipped == fit.run < _SURE_EDGES:
            fit = self._reach_the_end(fit)
        skipped, edges = np.split(edges[: fit.skipped + fit.run], [fit.skipped])
        ticks = self._plan.ticks(fit.planned, fit.planned + fit.run)
        missing = self._below_line(anchor, edges, ticks)
        edge = (int(edges[0]), int(ticks[0]))
        passed = edge[0] - anchor[0] + max(0.0, missing)
        tolerance = float(self._rate.allowed(passed, edge[1]))
        gap = abs(missing) > tolerance
        if gap:
            either = 0 if fit.skipped or self._unexplained else self._on_either_line(fit, edge)
            if either or fit.skipped:
                self._ledger.map(self._number - either, _UNKNOWN)
            anchor = self._recent[-1 - either]
            self._ledger.end_stretch(anchor)
            seen = self._unexplained + fit.skipped
            lost = max(0, fit.planned - self._planned - 1 - seen)
            found = Gap(anchor[0], edge[0], round(missing), int(tolerance) + 1, lost)
            self._ledger.add(found, self._number + fit.skipped)
        elif len(skipped):
            self._map_late(anchor, skipped, fit.planned)
        self._planned = fit.planned
        self._set_anchor(edge, fit.skipped, new_stretch=gap)

    def _on_either_line(self, fit: TrainMatch, edge: Edge) -> int:
        """Return how many of the last edges the line behind the hole would explain as well.

        A hole of nearly whole intervals puts the first edges behind it close to the old line.
        """
        most = min(len(self._recent), fit.planned - self._planned) - 1
        if most <= 0:
            return 0
        sample = np.array([s for s, _ in self._recent[-1 : -1 - most : -1]])
        ticks = self._plan.ticks(self._planned, fit.planned)[: -1 - most : -1]
        off = edge[0] - sample - self._rate.samples_per_tick * (edge[1] - ticks)
        broken = np.abs(off) > self._rate.allowed(edge[0] - sample, edge[1])
        return int(np.argmax(broken)) if broken.any() else most

    def _map_late(self, anchor: Edge, edges: Int64Array, stop: int) -> None:
        """Map edges off the line that continues behind them: each is the last planned before it."""
        plan = self._plan.ticks(self._planned, stop)
        line = anchor[0] + self._rate.samples_per_tick * (plan - anchor[1])
        late = edges - line[0] + self._rate.noise_samples
        place = np.searchsorted(line - line[0], late, side="right") - 1
        apart = bool((np.diff(place, prepend=0) > 0).all())
        for at, number in enumerate(range(self._number, self._number + len(edges))):
            shift = self._planned + int(place[at]) - number
            self._ledger.map(number, shift if apart else _UNKNOWN)

    def _pass_over(self, anchor: Edge, count: int) -> None:
        self._ledger.map(self._number, _UNKNOWN)
        self._unexplained += count
        if self._unexplained > LOST_EDGES:
            self._lost_sample = anchor[0]
        self._take(count)

    def _reach_the_end(self, fit: TrainMatch) -> TrainMatch:
        """Return the fit moved to the likely end of the train: few edges fit in many places."""
        if self._sent is None or self._train.repeats_after(1):
            return fit
        return replace(fit, planned=max(fit.planned, self._plan.count - fit.run))

    def _below_line(self, anchor: Edge, edges: Int64Array, ticks: Int64Array) -> float:
        """Return how far edges lie below the line before them, by medians, as one may be late."""
        rate = self._rate.samples_per_tick
        recent = self._recent[-_MEDIAN_EDGES:]
        before = [s - anchor[0] - rate * (t - anchor[1]) for s, t in recent]
        some = slice(_MEDIAN_EDGES)
        behind = edges[some] - anchor[0] - rate * (ticks[some] - anchor[1])
        return float(np.median(before) - np.median(behind))

    # --- the end ----------------------------------------------------------------------------

    def _account_for_unseen(self, anchor: Edge, end_sample: int) -> None:
        """Add a gap for edges that were sent and should be in the capture, but are not."""
        unseen = self._plan.count - self._planned - 1
        if self._unexplained > UNEXPLAINED_EDGES and unseen:
            swallowed = 0 if self._sent is None else max(0, unseen - self._unexplained)
            self._ledger.add(Gap(anchor[0], end_sample, None, 0, swallowed), self._number)
            return
        if 0 < unseen == self._unexplained:  # the last ones were late
            first = self._number - unseen
            self._ledger.map(first, self._planned + 1 - first)
            return
        unseen -= self._unexplained
        if self._sent is None or unseen <= 0:
            return
        ticks = self._plan.ticks(self._planned, self._planned + 1 + unseen)
        missing = self._rate.samples_per_tick * (ticks - ticks[0])
        if anchor[0] + missing[1] >= end_sample - self._rate.noise_samples:
            return  # the capture ended before them
        if self._train.repeats_after(unseen):
            self._ledger.add_periods(unseen, round(float(missing[-1])), end_sample)
        else:
            self._ledger.add(Gap(anchor[0], end_sample, None, 0, unseen), self._number)


class _Ledger:
    """The findings: gaps, gapless stretches, and observed numbers against planned ones."""

    def __init__(self) -> None:
        self._gaps: list[Gap] = []
        self._behind: list[int] = []  # observed number of the first edge behind each gap
        self._starts, self._shifts = [0], [0]
        self._stretch_begin: Edge = (0, 0)
        self._span_samples = self._span_ticks = 0

    def map(self, first: int, shift: int) -> None:
        """Map observed edges from number `first` on to the planned ones `shift` later."""
        while self._starts and self._starts[-1] >= first:
            self._starts.pop()
            self._shifts.pop()
        if not self._shifts or self._shifts[-1] != shift:
            self._starts.append(first)
            self._shifts.append(shift)

    def add(self, gap: Gap, behind: int) -> None:
        """Add a gap; `behind`: observed number of the first edge behind it."""
        self._gaps.append(gap)
        self._behind.append(behind)

    def add_periods(self, edges: int, samples: int, end_sample: int) -> None:
        """Add whole periods that are missing: from the only hole there is, or from anywhere."""
        holes = [at for at, gap in enumerate(self._gaps) if gap.missing_samples is not None]
        if len(holes) == 1:
            gap, behind = self._gaps[holes[0]], self._behind[holes[0]]
            self._gaps[holes[0]] = replace(
                gap,
                missing_samples=(gap.missing_samples or 0) + samples,
                swallowed=gap.swallowed + edges,
            )
        else:
            behind = self._behind[holes[0]] if holes else 0
            self.add(Gap(0, end_sample, samples, 0, edges, placed=False), behind)
        self._split(behind)
        for at, start in enumerate(self._starts):
            if start >= behind and self._shifts[at] != _UNKNOWN:
                self._shifts[at] = self._shifts[at] + edges if len(holes) == 1 else _UNKNOWN

    def _split(self, number: int) -> None:
        at = bisect_right(self._starts, number) - 1
        if self._starts[at] != number:
            self._starts.insert(at + 1, number)
            self._shifts.insert(at + 1, self._shifts[at])

    def begin_stretch(self, edge: Edge) -> None:
        self._stretch_begin = edge

    def end_stretch(self, edge: Edge) -> None:
        self._span_samples += edge[0] - self._stretch_begin[0]
        self._span_ticks += edge[1] - self._stretch_begin[1]

    def alignment(self) -> Alignment:
        return Alignment(
            tuple(sorted(self._gaps, key=lambda gap: gap.first_sample)),
            self._span_samples,
            self._span_ticks,
            np.array(self._starts, np.int64),
            np.array(self._shifts, np.int64),
        )
