# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of periods: from raw data to figures, witnesses and verdict.

Two passes over edges and log: the first finds the grid of due times, the second measures against
it. The response edges are the answers; the log's count tells the period that each belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rig.analysis.answers import CHUNK, AnswerLog
from rig.analysis.counting import CountSource, handled_of, pins_differing
from rig.analysis.evaluation import Evaluation, EventColumns, OnEvents
from rig.analysis.filtered import filtered
from rig.analysis.observation import observe
from rig.analysis.pairing import Counts, EventClass
from rig.analysis.period import Grid, PeriodFigures, PeriodFit, PeriodSide
from rig.analysis.raw import Account, RawRun, Schedule, Settings
from rig.analysis.slips import Slips
from rig.analysis.statistics import ExactHistogram
from rig.analysis.verdict import exceeded_interval, exceeded_limits, verdict_of
from rig.analysis.witness import Witness, log_witnesses
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


@dataclass
class _Tally:
    """Second pass."""

    overruns: int = 0
    answered: int = 0
    latencies: ExactHistogram = field(default_factory=ExactHistogram)


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


def evaluate_periods(
    raw: RawRun,
    settings: Settings,
    account: Account,
    schedule: Schedule,
    on_events: OnEvents | None = None,
) -> Evaluation:
    """Compute everything from the raw data; `on_events` gets all periods in order, in pieces."""
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
        events = _Events(grid, tally, on_events)
        for answers in _answers(raw, settings, source, fit, _Seen()):
            slips.feed(fit.departures(answers.number, answers.sample))
            events.answered(answers)
        events.missed_until(n)
    figures = PeriodFigures(
        nominal_ns=schedule.period_ns,
        pins=fit.side(tally.latencies),
        ticks=_by_ticks(log, settings, schedule),
        overruns_told=account.overruns,
    )
    found = _Found(seen, log, source, slips, n, tally, figures)
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

    def __init__(self, grid: Grid, tally: _Tally, on_events: OnEvents | None) -> None:
        self._grid, self._tally, self._on_events = grid, tally, on_events
        self._next = 1

    def answered(self, answers: _Answers) -> None:
        """Answers in order of their numbers."""
        latency = self._grid.latencies(answers.number, answers.sample)
        late = latency >= self._grid.period
        self._tally.latencies.add(latency)
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


def _by_ticks(log: AnswerLog, settings: Settings, schedule: Schedule) -> PeriodSide | None:
    """The same figures from the log alone, at the counter's nominal rate."""
    if settings.tick_hz is None or not log.count:
        return None
    fit = PeriodFit(schedule.period_ns, settings.tick_hz)
    for number, ticks in _ticks(log):
        fit.feed(number, ticks)
    latencies = ExactHistogram()
    grid = fit.grid()
    for number, ticks in _ticks(log):
        if grid is not None:
            latencies.add(grid.latencies(number, ticks))
    return fit.side(latencies)


def _ticks(log: AnswerLog) -> Iterator[tuple[Int64Array, Int64Array]]:
    """Numbers of periods and ticks just before their answers, each period once."""
    highest = 0
    for first in range(0, log.count, CHUNK):
        rows = log.read(first, CHUNK)
        number = handled_of(rows)
        before = np.maximum.accumulate(np.concatenate([[highest], number]))
        own = number > before[:-1]
        highest = int(before[-1])
        yield number[own], rows["before_ticks"][own].astype(np.int64)


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
    figures = found.figures.pins.latency
    witnesses = _witnesses(raw, account, found)
    interval = found.figures.pins.interval_error
    verdict, reasons = verdict_of(
        losses=raw.losses(),
        account=account,
        planned=schedule.count,
        witnesses=witnesses,
        exceeded=[
            *exceeded_limits(settings.limits, figures, counts),
            *exceeded_interval(settings.limits, interval),
        ],
        n=found.n,
        events="periods",
        ended=account.handled is not None,
    )
    duration_s = (seen.last_sample - seen.first_sample) / settings.sample_rate_hz
    return Evaluation(
        verdict, reasons, counts, figures, witnesses, None, tally.latencies, duration_s,
        found.source.name, period=found.figures,
    )  # fmt: skip


def _witnesses(raw: RawRun, account: Account, found: _Found) -> tuple[Witness, ...]:
    if account.handled is None:
        return ()
    seen, log = found.seen, found.log
    comparisons = [*log_witnesses(raw, log, account, seen.responses, seen.differing)]
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
