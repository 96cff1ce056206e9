# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of periods: from raw data to figures, witnesses and verdict.

Two passes over edges and log: the first finds the grid of due times, the second measures against
it. The response edges are the answers; the log's count tells the period that each belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.clock_rates import ClockComparison, compare_with_timer, with_room
from rig.analysis.crosscheck.run_brackets import bracket_agreement
from rig.analysis.crosscheck.sample_grid import repeated_samples
from rig.analysis.crosscheck.witness import count_witness, log_witnesses
from rig.analysis.inference.extended import Beyond
from rig.analysis.log.responses import AnswerLog
from rig.analysis.measurements.clock_stability import Wander, followed, wanders
from rig.analysis.measurements.evaluation import Evaluation, EventColumns, OnEvents
from rig.analysis.measurements.limits import counted, judge_limits
from rig.analysis.measurements.measured_rates import counter_rate, period_rate
from rig.analysis.measurements.period import Grid, PeriodFigures, PeriodFit
from rig.analysis.measurements.period_measurands import (
    PeriodSeries,
    period_measurands,
    series_by_ticks,
)
from rig.analysis.measurements.period_slips import Slips
from rig.analysis.measurements.verdict import verdict_of
from rig.analysis.model.account import Account
from rig.analysis.model.events import Counts, EventClass
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import Schedule
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.handler_count import CountSource, pins_differing
from rig.analysis.signals.decoder import observe
from rig.analysis.signals.filtered import filtered
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.statistics.outliers import limit_samples
from rig.analysis.statistics.overruns import OverrunCounter
from rig.analysis.uncertainty.bench import Bench
from rig.analysis.uncertainty.by_edge import AnswerEdges
from rig.analysis.uncertainty.clock_limits import ClockLimits
from rig.analysis.uncertainty.measurand import Measurand
from rig.analysis.uncertainty.series import Series
from rig.instruments import Int64Array, UInt8Array

GONE_MAX = 1 << 16
"""Missed periods handed out at a time: a damaged log may tell of any number."""


@dataclass(frozen=True)
class _Answers:
    """A stretch of answers that each have a period of their own. Shapes (n,)."""

    number: Int64Array
    sample: Int64Array
    answer: Int64Array
    """Number of the edge, from 0."""


@dataclass
class _Seen:
    """First pass: what is there, before anything is judged."""

    responses: int = 0
    differing: int = 0
    duplicates: int = 0
    first_sample: int = 0
    last_sample: int = 0
    glitches: int = 0
    times: AnswerTimes = field(default_factory=AnswerTimes)


@dataclass
class _Tally:
    """Second pass."""

    overruns: int = 0
    answered: int = 0
    latencies: Series = field(default_factory=Series)
    in_time: OverrunCounter = field(default_factory=OverrunCounter)
    """Counts periods that were not answered in time, or for longer than the plan allows."""


@dataclass(frozen=True)
class _Found:
    """All that was found, before anything is concluded."""

    seen: _Seen
    log: AnswerLog
    source: CountSource
    slips: Slips
    n: int
    tally: _Tally
    figures: PeriodFigures
    clock: ClockAgreement | None
    measurands: tuple[Measurand, ...]
    wander: tuple[Wander, ...]
    clocks: ClockComparison | None


def evaluate_periods(
    raw: RawRun,
    settings: Settings,
    account: Account,
    schedule: Schedule,
    on_events: OnEvents | None = None,
    bench: Bench | None = None,
) -> Evaluation:
    """Compute everything from the raw data; `on_events` gets all periods in order, in pieces."""
    bench = bench or Bench(1e9 / settings.sample_rate_hz)
    log = AnswerLog(raw)
    seen = _look(raw, settings, log)
    source = CountSource.choose(settings, log, seen.responses, seen.differing)
    fit = PeriodFit(schedule.period_ns, settings.sample_rate_hz)
    last = 0
    for answers in _answers(raw, settings, source, fit, seen):
        fit.feed(answers.number, answers.sample)
        last = int(answers.number[-1])
    n = _periods(last, schedule, account)
    tally = _Tally()
    grid = fit.grid()
    slips = Slips(fit.nominal.units / fit.nominal.parts)
    if grid is not None:
        events = _Events(grid, tally, settings, on_events)
        for answers in _answers(raw, settings, source, fit, _Seen()):
            slips.feed(fit.departures(answers.number, answers.sample))
            events.answered(answers)
        events.finish(n)
    else:
        tally.in_time.add_overruns(n)
    ticks = series_by_ticks(log, settings, schedule)
    figures = PeriodFigures(
        nominal_ns=schedule.period_ns,
        pins=fit.side(tally.latencies.histogram),
        ticks=None if ticks is None else ticks.side,
        overruns_told=account.overruns,
    )
    edges = AnswerEdges.of(raw, settings, bench)
    clock, fitted = bracket_agreement(seen.times, log, settings, account, (), edges=edges)
    pins = PeriodSeries(fit, tally.latencies)
    clocks = compare_with_timer(
        counter_rate(clock, settings),
        () if account.overruns or tally.overruns else period_rate(figures.pins, last - 1),
        bench.clocks or ClockLimits(),
        settings.sample_rate_hz,
    )
    bench = with_room(bench, clocks)
    measurands = period_measurands(pins, ticks, schedule.period_ns, bench, clock)
    wander = wanders(followed(fitted, seen.times, clock), None, settings.sample_rate_hz)
    found = _Found(seen, log, source, slips, n, tally, figures, clock, measurands, wander, clocks)
    return _conclude(raw, settings, account, schedule, found)


def _look(raw: RawRun, settings: Settings, log: AnswerLog) -> _Seen:
    seen = _Seen()
    blocks, glitch = filtered(raw, settings)
    for stretch in observe(blocks, settings.wiring, settings.sample_rate_hz):
        if len(stretch.response):
            seen.first_sample = seen.first_sample if seen.responses else int(stretch.response[0])
            seen.last_sample = int(stretch.response[-1])
        seen.differing += pins_differing(
            log, seen.responses, stretch, len(settings.wiring.sequence)
        )
        seen.responses += len(stretch.response)
        seen.times.add(stretch.response)
    seen.glitches = sum(glitch.removed.values())
    return seen


def _answers(
    raw: RawRun, settings: Settings, source: CountSource, fit: PeriodFit, seen: _Seen
) -> Iterator[_Answers]:
    """Answers with the numbers of their periods; repeated ones are counted in `seen`."""
    blocks, _ = filtered(raw, settings)
    counts_of = source.feeder()
    first, highest, last = 0, 0, None
    for stretch in observe(blocks, settings.wiring, settings.sample_rate_hz):
        sample = stretch.response
        if not len(sample):
            continue
        number = counts_of(first, stretch)
        if number is None:
            number = fit.nominal.numbers(sample, last)
            last = int(number[-1]), int(sample[-1])
        answer = first + np.arange(len(sample))
        first += len(sample)
        before = np.maximum.accumulate(np.concatenate([[highest], number]))
        own = number > before[:-1]
        seen.duplicates += int(np.count_nonzero(~own))
        highest = int(before[-1])
        if own.any():
            yield _Answers(number[own], sample[own], answer[own])


def _periods(last: int, schedule: Schedule, account: Account) -> int:
    """Periods that are over: all of the plan if the run had the time for them."""
    whole = account.handled is not None and not account.interrupted and not account.failure
    return max(last, schedule.count) if whole else last


class _Events:
    """Hands out every period, answered or missed, and tallies the answered ones."""

    def __init__(
        self, grid: Grid, tally: _Tally, settings: Settings, on_events: OnEvents | None
    ) -> None:
        self._grid, self._tally, self._on_events = grid, tally, on_events
        self._next = 1
        limit = limit_samples(settings)
        self._limit = np.inf if limit is None else limit
        self._judged = 0

    def answered(self, answers: _Answers) -> None:
        """Answers in order of their numbers."""
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
        """Overruns in order; the periods between these have no answer."""
        counter = self._tally.in_time
        gaps = np.flatnonzero(np.diff(number, prepend=self._judged) > 1).tolist()
        for start, stop in zip([0, *gaps], [*gaps, len(number)], strict=True):
            if start != stop:
                counter.add_overruns(int(number[start]) - self._judged - 1)
                counter.add(over[start:stop])
                self._judged = int(number[stop - 1])

    def finish(self, last: int) -> None:
        """No answer comes any more; period `last` is the last one that is over."""
        self._tally.in_time.add_overruns(last - self._judged)
        self.missed_until(last)

    def missed_until(self, last: int) -> None:
        """The periods up to this number have no answer."""
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
        "answer": answer,
        "class": kind,
    }


def _conclude(
    raw: RawRun,
    settings: Settings,
    account: Account,
    schedule: Schedule,
    found: _Found,
) -> Evaluation:
    seen, tally = found.seen, found.tally
    missed = max(0, found.n - tally.answered - tally.overruns)
    counts = Counts(
        found.n, tally.answered, tally.overruns, missed, 0, seen.duplicates, 0, seen.glitches
    )
    headline, overruns = found.measurands[0], tally.in_time.result()
    witnesses = (
        *_witnesses(raw, account, found, missed),
        *repeated_samples(raw, settings.sample_rate_hz, found.clocks),
    )
    limits = judge_limits(settings.limits, found.measurands, counted(counts, overruns))
    verdict, reasons = verdict_of(
        losses=raw.losses(),
        account=account,
        planned=schedule.count,
        witnesses=witnesses,
        limits=limits,
        n=found.n,
        events="periods",
        ended=account.handled is not None,
    )
    duration_s = (seen.last_sample - seen.first_sample) / settings.sample_rate_hz
    beyond = Beyond(
        headline.unit_ns, headline.figures, overruns, found.clock, None, headline.budgets
    )
    return Evaluation(
        verdict, reasons, counts, headline.statistics, witnesses, None,
        tally.latencies.histogram, duration_s, found.source.name, details=found.figures,
        beyond=beyond, limits=limits, measurands=found.measurands, wander=found.wander,
        clocks=found.clocks,
    )  # fmt: skip


def _witnesses(raw: RawRun, account: Account, found: _Found, missed: int) -> tuple[Witness, ...]:
    if account.handled is None:
        return ()
    seen, log = found.seen, found.log
    comparisons = [
        *log_witnesses(raw, log, account, seen.responses, seen.differing),
        *count_witness(log, account, missed),
    ]
    if found.clock is not None:
        comparisons.append(found.clock.witness)
    if found.clocks is not None:
        comparisons.insert(0, found.clocks.witness)
    if seen.responses and found.source.name != "order alone":
        comparisons.append(_elapsed(found.slips))
    return tuple(comparisons)


def _elapsed(slips: Slips) -> Witness:
    """The target's count against the analyzer's clock: a period lost by both would not show."""
    found = []
    if slips.uncounted:
        found.append(f"{slips.uncounted} passed that the target did not count")
    if slips.overcounted:
        found.append(f"{slips.overcounted} counted that did not pass")
    text = "; ".join(found) or "as many by the analyzer's clock as the target counted"
    return Witness("periods elapsed", not found, text)
