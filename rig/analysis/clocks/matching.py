# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges are matched with records by the pattern of their intervals.

Both show the same moments, so their intervals are the same up to brackets and clocks. Where they
part, one of them lacks something that the other has, and how the intervals go on shows which: a
missing record would else put a million events outside their brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rig.analysis.clocks.brackets import Brackets, Rates
from rig.instruments import Int64Array

_SKEW = 2e-3
"""Largest relative error of the nominal ratio of the rates before the ratio is known."""
_FAR = 0.05
"""A ratio that is off nominal by more is taken from the intervals themselves."""
_FAR_SKEW = 0.02
_KNOWN = 2e-5
"""Largest relative error of the ratio once it is known, drift included."""
_ENOUGH = 32
"""Intervals from which the ratio is known."""
_AHEAD = 16
"""Intervals by which a way to go on is judged."""
_FARTHEST = 64
"""Edges or records in a row that may be missing."""
_BLOCK = 1 << 14
_PARTINGS_MAX = 1000


@dataclass(frozen=True)
class Parting:
    """A place where edges and records cease to correspond one to one."""

    edge: int
    """Number of the first edge behind it that has a record again, or that lacks one."""
    record: int
    missing_records: int
    """Edges from `edge` on that have no record."""
    missing_edges: int
    """Records from `record` on that have no edge."""

    @property
    def text(self) -> str:
        """The missing edges or records, in one line."""
        if self.missing_records:
            return _missing("record", self.record, self.missing_records, "edge", self.edge)
        return _missing("edge", self.edge, self.missing_edges, "record", self.record)


def _missing(what: str, number: int, count: int, other: str, first: int) -> str:
    if count == 1:
        return f"{what} {number:,} is missing: {other} {first:,} has none"
    return (
        f"{count} {what}s from number {number:,} on are missing: "
        f"{other}s {first:,} to {first + count - 1:,} have none"
    )


@dataclass(frozen=True)
class Matching:
    """Edges and records that belong together, in order."""

    edge: Int64Array
    """Shape (n,), numbers of edges."""
    record: Int64Array
    """Shape (n,), numbers of their records."""
    partings: tuple[Parting, ...]
    complete: bool = True
    """False: from the last pair on they could not be brought together."""

    @property
    def findings(self) -> tuple[str, ...]:
        """The missing edges and records, a line each."""
        lines = [parting.text for parting in self.partings]
        if not self.complete:
            end = (int(self.edge[-1]), int(self.record[-1])) if len(self.edge) else (-1, -1)
            lines.append(
                f"behind edge {end[0]:,} and record {end[1]:,} the intervals of edges and log have "
                "nothing in common"
            )
        return tuple(lines)

    def brackets(self, sample: Int64Array, before: Int64Array, after: Int64Array) -> Brackets:
        """Return the pairs as brackets; their events are numbered as the pairs are."""
        return Brackets(sample[self.edge], before[self.record], after[self.record])


def match(
    sample: Int64Array, before_ticks: Int64Array, after_ticks: Int64Array, rates: Rates
) -> Matching:
    """Match edges, shape (n,), with records, shape (m,); both in order, ticks unwrapped.

    A record or an edge that is merely false stays matched: that is for the bracket test. So does
    everything behind a jump of the counter. Perfectly periodic events do not show which one is
    missing; then the earliest that fits is named.
    """
    return _Matcher(sample, before_ticks, after_ticks, rates).run()


def _first_ratio(sample: Int64Array, before: Int64Array, rates: Rates) -> tuple[float, float]:
    """Return the ticks per sample before any match, and how far off they may be, relatively."""
    nominal = rates.nominal_ticks_per_sample
    if min(len(sample), len(before)) <= _ENOUGH:
        return nominal, _SKEW
    usual = float(np.median(np.diff(before))) / float(np.median(np.diff(sample)))
    if not usual > 0 or abs(usual / nominal - 1) <= _FAR:
        return nominal, _SKEW
    return usual, _FAR_SKEW


class _Matcher:
    def __init__(
        self, sample: Int64Array, before: Int64Array, after: Int64Array, rates: Rates
    ) -> None:
        self._sample, self._before = sample, before
        # As floating-point numbers: the sum of two widths of a damaged log does not fit 64 bits.
        self._width = np.maximum(after - before, 0).astype(np.float64)
        self._ratio, self._skew = _first_ratio(sample, before, rates)
        self._partings: list[Parting] = []

    def run(self) -> Matching:
        runs: list[tuple[int, int, int]] = []
        edge, record = self._first()
        complete = edge >= 0 and record >= 0
        while complete:
            length = self._together(edge, record)
            runs.append((edge, record, length))
            edge, record = edge + length, record + length
            if edge >= len(self._sample) or record >= len(self._before):
                break
            step = self._step(edge, record)
            complete = step is not None and len(self._partings) < _PARTINGS_MAX
            if step is not None:
                self._part(edge, record, *step)
                edge, record = edge + step[0], record + step[1]
        if complete:
            self._rest(edge, record)
        edges = [np.arange(e, e + n) for e, _, n in runs]
        records = [np.arange(r, r + n) for _, r, n in runs]
        return Matching(_whole(edges), _whole(records), tuple(self._partings), complete)

    def _part(self, edge: int, record: int, edges: int, records: int) -> None:
        if edges or records:
            self._partings.append(Parting(edge, record, edges, records))

    def _rest(self, edge: int, record: int) -> None:
        """Note what is left of the edges or records once the others have ended."""
        self._part(edge, record, len(self._sample) - edge, 0)
        self._part(edge, record, 0, len(self._before) - record)

    def _first(self) -> tuple[int, int]:
        """Return the first edge and record that match: the first of either may be missing."""
        if not len(self._sample) or not len(self._before):
            return 0, 0
        best = max(_steps(), key=lambda s: self._agreeing(s[0], s[1]))
        if self._agreeing(*best) <= self._agreeing(0, 0) or self._goes_on():
            return 0, 0
        self._part(0, 0, *best)
        return best

    def _goes_on(self) -> bool:
        """Return whether the first edge and the first record match, a later parting or not.

        They do, too, if all intervals behind a jump agree, with a false edge in it or without: as
        where samples are missing.
        """
        length = self._together(0, 0)
        if length >= min(len(self._sample), len(self._before)):
            return True
        step = self._step(length, length)
        behind = (length, length + 1)
        return step is not None and (
            any(step) or any(self._agreeing(n, n) == _AHEAD for n in behind)
        )

    def _together(self, edge: int, record: int) -> int:
        """Return how many pairs from here on have intervals that agree."""
        total = min(len(self._sample) - edge, len(self._before) - record)
        done = 1
        while done < total:
            agree = self._agree(edge + done - 1, record + done - 1, _BLOCK)
            wrong = np.flatnonzero(~agree)
            self._learn(edge + done - 1, record + done - 1, agree)
            if len(wrong):
                return min(total, done + int(wrong[0]))
            done += len(agree)
        return total

    def _learn(self, edge: int, record: int, agree: np.ndarray) -> None:
        """Take the ratio of the rates from this stretch if it is long enough."""
        wrong = np.flatnonzero(~agree)
        length = int(wrong[0]) if len(wrong) else len(agree)
        if length >= _ENOUGH:
            span = self._sample[edge + length] - self._sample[edge]
            ticks = self._before[record + length] - self._before[record]
            noise = float(self._width[record] + self._width[record + length]) + 2 * self._ratio
            if noise / float(ticks) < _KNOWN / 4:
                self._ratio, self._skew = float(ticks) / float(span), _KNOWN

    def _agree(self, edge: int, record: int, count: int) -> np.ndarray:
        """Return whether each interval from this pair on agrees, at most `count` of them."""
        n = max(0, min(count, len(self._sample) - edge - 1, len(self._before) - record - 1))
        ticks = np.diff(self._sample[edge : edge + n + 1]) * self._ratio
        width = self._width[record : record + n + 1]
        allowed = width[1:] + width[:-1] + 2 * self._ratio + 2 + self._skew * ticks
        got = np.diff(self._before[record : record + n + 1])
        agree: np.ndarray = np.abs(got - ticks) <= allowed
        return agree

    def _agreeing(self, edge: int, record: int) -> int:
        """Return how many of the intervals ahead agree from this pair on."""
        return int(np.count_nonzero(self._agree(edge, record, _AHEAD)))

    def _step(self, edge: int, record: int) -> tuple[int, int] | None:
        """Return the edges and records to pass over at a parting; 0, 0: a false one, or a jump.

        The interval over the parting must agree too, except where nothing is missing. None: no fit.
        """
        best, most = (0, 0), self._agreeing(edge, record) + 1
        for edges, records in _steps():
            if not self._spans(edge, record, edges, records):
                continue
            agreeing = self._agreeing(edge + edges, record + records) + 2
            if agreeing > most:
                best, most = (edges, records), agreeing
        left = min(len(self._sample) - edge, len(self._before) - record)
        return best if most > min(_AHEAD, left - 1) // 4 else None

    def _spans(self, edge: int, record: int, edges: int, records: int) -> bool:
        """Return whether the interval from the last pair to behind the missing ones agrees."""
        to_edge, to_record = edge + edges, record + records
        if to_edge >= len(self._sample) or to_record >= len(self._before):
            return False
        ticks = float(self._sample[to_edge] - self._sample[edge - 1]) * self._ratio
        got = float(int(self._before[to_record]) - int(self._before[record - 1]))
        width = float(self._width[to_record] + self._width[record - 1])
        return abs(got - ticks) <= width + 2 * self._ratio + 2 + self._skew * ticks


def _steps() -> Iterator[tuple[int, int]]:
    """Yield the numbers of edges and records to pass over, fewest first."""
    for n in range(1, _FARTHEST + 1):
        yield n, 0
        yield 0, n


def _whole(parts: list[np.ndarray]) -> Int64Array:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)
