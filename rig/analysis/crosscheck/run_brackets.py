# SPDX-License-Identifier: GPL-3.0-or-later
"""The bracket test of a run: its answer edges against the records of the target's log.

A run of which every edge lies inside its record's bracket needs nothing else. Where one does not,
the counter is checked for faults, and edges and records are matched by the pattern of their
intervals, so that what is wrong can be named.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.agreement import ClockAgreement, Residuals
from rig.analysis.clocks.bracket_test import BracketTest, bracket_test
from rig.analysis.clocks.brackets import Brackets, BracketSource, Rates
from rig.analysis.clocks.clock import Clock
from rig.analysis.clocks.counter import Diagnosis, diagnose
from rig.analysis.clocks.false_witness import blame_by_capture
from rig.analysis.clocks.matching import match
from rig.analysis.clocks.wraps import unwrap_after
from rig.analysis.log.responses import ResponseLog
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.train.continuity import Gap
from rig.analysis.uncertainty.by_edge import AnswerEdges
from rig.instruments import Int64Array, LogArray

WHOLE_MAX = 1 << 20
"""Most edges examined where something is wrong, since all of them must be in memory for that."""
FEWEST = 3
"""Fewest edges that are tested: two fit any clock."""
STRIPS, STRIP = 64, 32
"""Residuals are kept of so many strips of so many events, spread over the run."""
_TOLD = 5


@dataclass(frozen=True)
class FittedClock:
    """The target's counter as a function of the analyzer's samples."""

    clock: Clock
    origin: np.uint64
    """Reading from which ticks are counted."""

    def ticks_since(self, ticks: npt.NDArray[np.unsignedinteger]) -> Int64Array:
        """Return readings of the counter, on the clock's own count, shape (n,)."""
        return _since(ticks, self.origin)


@dataclass(frozen=True)
class _Apart:
    """The difference of rising and falling answers, by a counter of this tick."""

    edges: AnswerEdges
    tick_ns: float


def _shifted(brackets: Brackets, number: Int64Array, apart: _Apart | None) -> Brackets:
    """Return the brackets moved by how much later the analyzer shows each edge, if it is known."""
    return brackets if apart is None else apart.edges.shifted(brackets, number, apart.tick_ns)


class _Records:
    """The brackets of a run whose edge number j belongs to answer number j of the log."""

    def __init__(
        self, times: AnswerTimes, log: ResponseLog, count: int, apart: _Apart | None
    ) -> None:
        self._times, self._log, self._count, self._apart = times, log, count, apart
        self.origin = np.uint64(log.column("before_ticks", 0, 1)[0])

    def __len__(self) -> int:
        return self._count

    def read(self, first: int, count: int) -> Brackets:
        count = min(count, self._count - first)
        stamps = (self._log.column(name, first, count) for name in _STAMPS)
        before, after = (_since(ticks, self.origin) for ticks in stamps)
        found = Brackets(self._times.read(first, count), before, after)
        return _shifted(found, np.arange(first, first + count), self._apart)

    def samples(self, first: int, count: int) -> Int64Array:
        return self._times.read(first, min(count, self._count - first))


_STAMPS = ("before_ticks", "after_ticks")


def _since(ticks: npt.NDArray[np.unsignedinteger], origin: np.uint64) -> Int64Array:
    """Return differences modulo 2^64, as of an unsigned counter of 64 bits."""
    difference: Int64Array = (ticks - origin).view(np.int64)
    return difference


def bracket_agreement(
    times: AnswerTimes,
    log: ResponseLog,
    settings: Settings,
    account: InstrumentCounts,
    gaps: tuple[Gap, ...],
    third: RawRun | None = None,
    edges: AnswerEdges | None = None,
) -> tuple[ClockAgreement | None, FittedClock | None]:
    """Return the test of a whole run, and its clock if there is one; None if it cannot be tested.

    `third`: whose input capture has seen the same answers, to find which of two witnesses is false.
    `edges`: what is known of rising and falling answers, which the analyzer shows not equally late.
    """
    count = _before_holes(times, gaps)
    if settings.tick_hz is None or min(count, log.count) < FEWEST:
        return None, None
    drift_ppm_per_s = settings.clocks.target_ppm_per_s
    rates = Rates(settings.sample_rate_hz, settings.tick_hz, drift_ppm_per_s)
    whole = not gaps and times.seen == len(times)
    # A full log, a hole in the samples or too many edges cut one of the two short: that is said
    # elsewhere and is no contradiction here.
    short = not whole or account.log_dropped > 0
    apart = None if edges is None else _Apart(edges, rates.tick_ns)
    if count == log.count or short:
        source = _Records(times, log, min(count, log.count), apart)
        tested = _test(source, rates)
        if isinstance(tested, BracketTest) and tested.holds:
            return _agreeing(source, tested, times.seen)
    found, outcome, pairs = _faulty(times, log, rates, count, apart)
    if third is not None and third.capture_count == times.seen and outcome is not None:
        captured = third.captures(0, WHOLE_MAX)
        if int(pairs.edge[-1]) < len(captured):
            ticks, clock_hz = captured[pairs.edge], settings.stimulus_clock_hz
            lines = blame_by_capture(pairs, outcome, ticks, clock_hz, pairs.edge)
            found = replace(found, findings=(*found.findings, *lines))
    return found, None


def _before_holes(times: AnswerTimes, gaps: tuple[Gap, ...]) -> int:
    """Return the number of edges up to the first hole in the samples, where time jumps."""
    if not gaps:
        return len(times)
    numbers = range(len(times))
    return bisect_left(numbers, gaps[0].first_sample, key=lambda n: int(times.read(n, 1)[0]))


def _test(source: BracketSource, rates: Rates) -> BracketTest | str:
    """Return the outcome, or why these cannot be brackets."""
    try:
        return bracket_test(source, rates)
    except ValueError as error:
        return str(error)


def _agreeing(
    source: _Records, tested: BracketTest, of: int
) -> tuple[ClockAgreement, FittedClock | None]:
    try:
        clock = Clock(source, tested)
        residuals = _residuals(source, clock)
    except ValueError:  # the test holds, but its bounds are too wide to map with
        return _outcome(tested, of, ()), None
    return _outcome(tested, of, (), residuals), FittedClock(clock, source.origin)


def _outcome(
    tested: BracketTest, of: int, findings: tuple[str, ...], residuals: Residuals | None = None
) -> ClockAgreement:
    return ClockAgreement(
        tested.n, of, tested.holds, tested.text, findings, tested.slack_ns, tested.rate_ppm,
        residuals, tested.rate_within_ppm,
    )  # fmt: skip


def _faulty(
    times: AnswerTimes, log: ResponseLog, rates: Rates, edges: int, apart: _Apart | None
) -> tuple[ClockAgreement, BracketTest | None, _Pairs]:
    """Return what is wrong, by the run's begin; the test, if any, and what it tested."""
    sample = times.read(0, min(edges, WHOLE_MAX))
    rows = log.read(0, WHOLE_MAX)
    pairs, same = _Pairs(sample, rows, apart), len(sample) == len(rows)
    # A counter can be judged only by what belongs together; a wrapping one cannot be matched by.
    unmatched = () if same else pairs.match(rates)
    counter = pairs.diagnose(rates)
    unmatched = pairs.match(rates) if same else unmatched
    wrong = counter.wraps is not None or not counter.is_clock
    findings = (*unmatched, *(counter.findings if wrong else ()))
    tested: BracketTest | str = "no edge and record belong together"
    if len(pairs.sample):
        tested = _test(pairs, rates)
    if isinstance(tested, str):
        return ClockAgreement(len(sample), times.seen, False, tested, findings), None, pairs
    holds = tested.holds and counter.is_clock and not unmatched and tested.n == edges
    named = tested.numbered(pairs.edge).findings
    outcome = replace(_outcome(tested, times.seen, (*findings, *named)), holds=holds)
    return outcome, tested, pairs


class _Pairs:
    """Edges and records in memory, as far as they are known to belong together."""

    def __init__(self, sample: Int64Array, rows: LogArray, apart: _Apart | None) -> None:
        self._apart = apart
        origin = np.uint64(rows["before_ticks"][0])
        self.sample, self._rows = sample, rows
        self.edge: Int64Array = np.arange(len(sample))
        """Numbers of the edges in the run."""
        self.before, self.after = (_since(rows[name], origin) for name in _STAMPS)

    def __len__(self) -> int:
        return len(self.sample)

    def read(self, first: int, count: int) -> Brackets:
        part = slice(first, first + count)
        found = Brackets(self.sample[part], self.before[part], self.after[part])
        return _shifted(found, self.edge[part], self._apart)

    def samples(self, first: int, count: int) -> Int64Array:
        return self.sample[first : first + count]

    def match(self, rates: Rates) -> tuple[str, ...]:
        """Keep the edges and records that match; return a line for each that does not."""
        found = match(self.sample, self.before, self.after, rates)
        self.edge = self.edge[found.edge]
        self.sample, self._rows = self.sample[found.edge], self._rows[found.record]
        self.before, self.after = self.before[found.record], self.after[found.record]
        return found.findings

    def diagnose(self, rates: Rates) -> Diagnosis:
        """Return the counter's faults, and undo its wraps."""
        found = diagnose(self.sample, self._rows["before_ticks"], rates)
        if found.wraps is not None:
            before, after = (self._rows[name].view(np.int64) for name in _STAMPS)
            self.before = found.ticks
            self.after = unwrap_after(before, found.ticks, after, found.wraps.modulus)
        return found


def _residuals(source: _Records, clock: Clock) -> Residuals:
    """Return the residuals of events spread over the run."""
    if len(source) <= STRIPS * STRIP:
        chosen = [source.read(0, len(source))]
    else:
        firsts = np.linspace(0, len(source) - STRIP, STRIPS).astype(int).tolist()
        chosen = [source.read(first, STRIP) for first in firsts]
    sample = np.concatenate([each.sample for each in chosen])
    at = clock.at(sample)
    before, after = (np.concatenate([getattr(each, name) for each in chosen]) for name in _STAMPS)
    # The edge lies within the sample before the one that shows it, a reading within its tick.
    after = after + 1 + clock.rates.nominal_ticks_per_sample
    tick_ns = clock.rates.tick_ns
    return Residuals(
        (sample - sample[0]) / clock.rates.sample_rate_hz,
        (before - at.origin_ticks - at.ticks) * tick_ns,
        (after - at.origin_ticks - at.ticks) * tick_ns,
    )
