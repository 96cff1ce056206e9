# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation of runs of periods, from raw data to figures, witnesses and verdict.

There are two passes over edges and log: one finds the grid of due times, one measures against
it. The response edges are the answers; the log's count gives the period that each belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.crosscheck.witness import count_witness, log_witnesses
from rig.analysis.measurements.clock_stability import clock_stabilities, followed
from rig.analysis.measurements.evaluation import EventColumns, OnEvents
from rig.analysis.measurements.measured_rates import period_rate
from rig.analysis.measurements.period import Grid, PeriodFigures, PeriodFit
from rig.analysis.measurements.period_measurands import (
    PeriodSeries,
    period_measurands,
    series_by_ticks,
)
from rig.analysis.measurements.period_slips import Slips
from rig.analysis.measurements.pipeline import Aligned, Evaluator, RecordedRun, RunFindings
from rig.analysis.model.events import Counts, EventClass
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import Schedule
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.handler_count import HandlerCountSource
from rig.analysis.statistics.outliers import limit_samples
from rig.analysis.statistics.overruns import OverrunCounter
from rig.analysis.uncertainty.by_edge import AnswerEdges
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.instruments import Int64Array, UInt8Array

GONE_MAX = 1 << 16
"""Most missed periods handed out at a time: a damaged log may count any number."""


@dataclass(frozen=True)
class _Answers:
    """A stretch of answers that each have a period of their own. Shapes (n,)."""

    number: Int64Array
    sample: Int64Array
    answer: Int64Array
    """Number of the edge, from 0."""


@dataclass
class _Tally:
    """The counts and latencies of the second pass."""

    overruns: int = 0
    answered: int = 0
    latencies: MeasurandSeries = field(default_factory=MeasurandSeries)
    in_time: OverrunCounter = field(default_factory=OverrunCounter)
    """Counter of periods that were not answered in time, or later than the plan allows."""


class PeriodEvaluator(Evaluator):
    """The evaluator of periods: it fits the grid of due times, and measures answers against it."""

    events = "periods"

    def __init__(self, run: RecordedRun, schedule: Schedule) -> None:
        super().__init__(run)
        self._schedule = schedule
        self._fit = PeriodFit(schedule.period_ns, run.settings.sample_rate_hz)
        self._slips = Slips(self._fit.nominal.units / self._fit.nominal.parts)
        self._tally = _Tally()
        self._last = self._n = self._duplicates = 0

    # --- hooks of the skeleton --------------------------------------------------------------------

    def scan(self) -> None:
        """Find all that the analyzer alone shows: each answer's period, the grid, every period."""
        self.scan_answers()
        answers, settings = self.answers, self.settings
        self._source = HandlerCountSource.choose(
            settings, self.log, answers.count, answers.differing
        )
        for own in self._own_answers():
            self._fit.feed(own.number, own.sample)
            self._last = int(own.number[-1])
        self._n = self._periods()
        grid = self._fit.grid()
        if grid is None:
            self._tally.in_time.add_overruns(self._n)
        else:
            self._hand_out(grid)
        pins = PeriodSeries(self._fit, self._tally.latencies)
        self._pins, self._ticks = pins, series_by_ticks(self.log, settings, self._schedule)

    def answer_edges(self) -> AnswerEdges | None:
        return AnswerEdges.of(self.raw, self.settings, self.bench)

    def timer_rates(self) -> tuple[ClockRate, ...]:
        if self.account.overruns or self._tally.overruns:
            return ()
        return period_rate(self._pins.side, self._last - 1)

    def measure(self, aligned: Aligned) -> RunFindings:
        tally, answers, agreement = self._tally, self.answers, aligned.agreement
        missed = max(0, self._n - tally.answered - tally.overruns)
        measurands = period_measurands(
            self._pins, self._ticks, self._schedule.period_ns, aligned.bench, agreement
        )
        return RunFindings(
            measurands=measurands,
            counts=Counts(
                n=self._n,
                answered=tally.answered,
                late=tally.overruns,
                missed=missed,
                merged=0,
                duplicate=self._duplicates,
                spurious=0,
                glitches=self.stretches.glitches,
            ),
            seen=self._n,
            paired_by=self._source.name,
            duration_s=(answers.last_sample - answers.first_sample) / self.settings.sample_rate_hz,
            details=PeriodFigures(
                nominal_ns=self._schedule.period_ns,
                pins=self._pins.side,
                ticks=None if self._ticks is None else self._ticks.side,
                reported_overruns=self.account.overruns,
            ),
            overruns=tally.in_time.result(),
            witnesses=self._witnesses(agreement, missed),
            stability=clock_stabilities(
                followed(aligned.fitted, answers.times, agreement),
                None,
                self.settings.sample_rate_hz,
            ),
        )

    # --- the parts of the scan --------------------------------------------------------------------

    def _own_answers(self, *, again: bool = False) -> Iterator[_Answers]:
        """Yield answers with the numbers of their periods; count repeated ones the first time."""
        counts_of = self._source.feeder()
        first, highest, last = 0, 0, None
        for stretch in self.stretches:
            sample = stretch.response
            if not len(sample):
                continue
            number = counts_of(first, stretch)
            if number is None:
                number = self._fit.nominal.numbers(sample, last)
                last = int(number[-1]), int(sample[-1])
            answer = first + np.arange(len(sample))
            first += len(sample)
            before = np.maximum.accumulate(np.concatenate([[highest], number]))
            own = number > before[:-1]
            self._duplicates += 0 if again else int(np.count_nonzero(~own))
            highest = int(before[-1])
            if own.any():
                yield _Answers(number[own], sample[own], answer[own])

    def _hand_out(self, grid: Grid) -> None:
        events = _Events(grid, self._tally, self.settings, self.on_events)
        for own in self._own_answers(again=True):
            self._slips.feed(self._fit.departures(own.number, own.sample))
            events.answered(own)
        events.finish(self._n)

    def _periods(self) -> int:
        """Return how many periods are over: all of the plan if the run had the time for them."""
        account = self.account
        whole = account.handled is not None and not account.interrupted and not account.failure
        return max(self._last, self._schedule.count) if whole else self._last

    def _witnesses(self, agreement: ClockAgreement | None, missed: int) -> tuple[Witness, ...]:
        if self.account.handled is None:
            return ()
        answers, log = self.answers, self.log
        comparisons = [
            *log_witnesses(self.raw, log, self.account, answers.count, answers.differing),
            *count_witness(log, self.account, missed),
        ]
        if agreement is not None:
            comparisons.append(agreement.witness)
        if answers.count and self._source.name != "order alone":
            comparisons.append(_elapsed(self._slips))
        return tuple(comparisons)


class _Events:
    """A pass over every period, answered or missed, that tallies the answered ones."""

    def __init__(
        self, grid: Grid, tally: _Tally, settings: Settings, on_events: OnEvents | None
    ) -> None:
        self._grid, self._tally, self._on_events = grid, tally, on_events
        self._next = 1
        limit = limit_samples(settings)
        self._limit = np.inf if limit is None else limit
        self._judged = 0

    def answered(self, answers: _Answers) -> None:
        """Add answers in order of their numbers."""
        latency = self._grid.latencies(answers.number, answers.sample)
        late = latency >= self._grid.period
        self._tally.latencies.add(latency, answers.sample)
        self._judge(answers.number, late | (latency > self._limit))
        self._tally.answered += int(np.count_nonzero(~late))
        self._tally.overruns += int(np.count_nonzero(late))
        if self._on_events is None:
            return
        kind = np.where(late, EventClass.LATE, EventClass.ANSWERED).astype(np.uint8)
        gaps = np.flatnonzero(np.diff(answers.number, prepend=self._next - 1) > 1)
        start = 0
        for gap in gaps.tolist():
            self._hand_out(answers, latency, kind, slice(start, gap))
            self.missed_until(int(answers.number[gap]) - 1)
            start = gap
        self._hand_out(answers, latency, kind, slice(start, len(kind)))

    def _judge(self, number: Int64Array, over: npt.NDArray[np.bool_]) -> None:
        """Count overruns in order; the periods between these have no answer."""
        counter = self._tally.in_time
        gaps = np.flatnonzero(np.diff(number, prepend=self._judged) > 1).tolist()
        for start, stop in zip([0, *gaps], [*gaps, len(number)], strict=True):
            if start != stop:
                counter.add_overruns(int(number[start]) - self._judged - 1)
                counter.add(over[start:stop])
                self._judged = int(number[stop - 1])

    def finish(self, last: int) -> None:
        """Count the periods without an answer up to `last`, the last one that is over."""
        self._tally.in_time.add_overruns(last - self._judged)
        self.missed_until(last)

    def missed_until(self, last: int) -> None:
        """Hand out the periods up to this number as missed."""
        stop = min(last + 1, self._next + GONE_MAX)
        if self._on_events is not None and stop > self._next:
            number = np.arange(self._next, stop)
            none = np.full(len(number), -1, np.int64)
            kind = np.full(len(number), EventClass.MISSED, np.uint8)
            self._on_events(_columns(self._grid.due(number), none, none, kind))
        self._next = last + 1

    def _hand_out(
        self, answers: _Answers, latency: Int64Array, kind: UInt8Array, part: slice
    ) -> None:
        if self._on_events is None or part.start == part.stop:
            return
        sample = answers.sample[part]
        self._on_events(_columns(sample - latency[part], sample, answers.answer[part], kind[part]))
        self._next = int(answers.number[part][-1]) + 1


def _columns(
    due: Int64Array, response: Int64Array, answer: Int64Array, kind: UInt8Array
) -> EventColumns:
    return {
        "planned_ticks": np.full(len(due), -1, np.int64),
        "stimulus_sample": due,
        "response_sample": response,
        "response_edge": answer,
        "status": kind,
    }


def _elapsed(slips: Slips) -> Witness:
    """Compare the target's count with the analyzer's clock: one lost by both would not show."""
    found = []
    if slips.uncounted:
        found.append(f"{slips.uncounted} passed that the target did not count")
    if slips.overcounted:
        found.append(f"{slips.overcounted} counted that did not pass")
    text = "; ".join(found) or "as many by the analyzer's clock as the target counted"
    return Witness("periods elapsed", not found, text)
