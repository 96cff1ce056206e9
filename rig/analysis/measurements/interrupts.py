# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs with a train of stimuli: from raw data to figures, witnesses and verdict.

Three passes over what the edges show, each in bounded memory: count and look for holes, find merged
interrupts, pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.clock_rates import ClockComparison, compare_with_timer, with_room
from rig.analysis.crosscheck.constants import capture_delay, response_path, with_capture_room
from rig.analysis.crosscheck.run_brackets import bracket_agreement
from rig.analysis.crosscheck.sample_grid import repeated_samples
from rig.analysis.crosscheck.witness import CaptureComparison, count_witness, witnesses
from rig.analysis.inference.extended import BeyondTally
from rig.analysis.log.captured import CapturedAnswers
from rig.analysis.log.responses import AnswerLog
from rig.analysis.measurements.clock_stability import PlannedTimes, Wander, followed, wanders
from rig.analysis.measurements.evaluation import Evaluation, OnEvents
from rig.analysis.measurements.limits import counted, judge_limits
from rig.analysis.measurements.measured_rates import (
    FIRST_EDGES,
    counter_rate,
    hold_rate,
    train_rate,
    trigger_rate,
)
from rig.analysis.measurements.primary_measurand import Headlining, Paired, headline_of
from rig.analysis.measurements.saturation import HoldTally
from rig.analysis.measurements.self_trigger import BracketTally
from rig.analysis.measurements.verdict import verdict_of
from rig.analysis.model.account import Account
from rig.analysis.model.events import Counts, EventClass, ExtraClass
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.gap_losses import Straddlers, gap_losses
from rig.analysis.pairing.handler_count import CountSource, pins_differing, unmatched
from rig.analysis.pairing.merging import counted_stretches, merge_profile
from rig.analysis.pairing.other_reading import OtherReading
from rig.analysis.pairing.pairing import Events, Pairer, latencies
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.signals.spool import Spool
from rig.analysis.signals.stretches import Stretches
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.train.continuity import Alignment, Continuity, Gap
from rig.analysis.train.local_rate import RateKnots, local_rate
from rig.analysis.train.planned_ticks import PlannedTicks
from rig.analysis.uncertainty.bench import Bench
from rig.analysis.uncertainty.by_edge import AnswerEdges
from rig.analysis.uncertainty.clock_limits import ClockLimits
from rig.instruments import Int64Array


@dataclass(frozen=True)
class Totals:
    """First pass: what the analyzer saw, before anything is paired."""

    stimuli: int
    responses: int
    glitches: int
    first_stimulus: int
    """Sample of the first and the last stimulus edge, 0 without any."""
    last_stimulus: int
    pins_differing: int
    """Answers whose sequence pins are not what the log's record of that number says."""
    alignment: Alignment | None
    """None: the train is not known."""
    times: AnswerTimes
    knots: RateKnots
    first_stimuli: tuple[int, ...] = ()
    """Samples of the first edges, of a search only."""

    @property
    def span_samples(self) -> int:
        """From the first stimulus edge to the last."""
        return self.last_stimulus - self.first_stimulus

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Holes in the sample stream."""
        return () if self.alignment is None else self.alignment.gaps


def evaluate_interrupts(
    raw: RawRun,
    settings: Settings,
    account: Account,
    on_events: OnEvents | None = None,
    bench: Bench | None = None,
    headline: Headlining = headline_of,
) -> Evaluation:
    """Compute everything from the raw data; `on_events` gets all events in order, in pieces.

    `headline`: makes of the paired events what the measurement is for.
    """
    with Spool() as spool:
        bench = bench or Bench(1e9 / settings.sample_rate_hz)
        return _evaluated(raw, settings, account, on_events, bench, headline, spool)


def _evaluated(
    raw: RawRun,
    settings: Settings,
    account: Account,
    on_events: OnEvents | None,
    bench: Bench,
    headline: Headlining,
    spool: Spool,
) -> Evaluation:
    log = AnswerLog(raw, spool=spool)
    stretches = Stretches(raw, settings, spool)
    captured = CapturedAnswers(raw, spool)
    totals = _count(stretches, log, captured, settings, account, AnswerTimes(spool))
    source = CountSource.choose(settings, log, totals.responses, totals.pins_differing)
    edges = None if totals.gaps else AnswerEdges.of(raw, settings, bench)
    agreement, fitted = bracket_agreement(
        totals.times, log, settings, account, totals.gaps, raw, edges
    )
    clocks = _clocks(settings, account, totals, agreement, bench)
    profile, contradiction = merge_profile(
        stretches, settings, account, source, agreement, response_path(bench)
    )
    beyond = BeyondTally(settings, log, with_room(bench, clocks), agreement, fitted, edges)
    tally = _Tally(raw, log, captured, settings, totals, beyond)
    pairer = Pairer(profile, source.coalesced)
    for observation, counts in counted_stretches(stretches, source):
        tally.add(pairer.feed(observation.stimulus, observation.response, counts), on_events)
    tally.add(pairer.finish(), on_events)
    tally.contradiction = contradiction
    return _conclude(raw, log, settings, account, totals, source, tally, clocks, headline)


def _clocks(
    settings: Settings,
    account: Account,
    totals: Totals,
    agreement: ClockAgreement | None,
    bench: Bench,
) -> ClockComparison | None:
    """All clocks that this run has shown."""
    rates = (
        *train_rate(totals.alignment, settings),
        *hold_rate(totals.first_stimuli, settings),
        *counter_rate(agreement, settings),
    )
    # Without an account nothing bears out that the target made them.
    timer = (
        ()
        if account.handled is None
        else trigger_rate(totals.span_samples, totals.stimuli, settings)
    )
    known = bench.clocks or ClockLimits()
    return compare_with_timer(rates, timer, known, settings.sample_rate_hz)


def _count(
    stretches: Stretches,
    log: AnswerLog,
    captured: CapturedAnswers,
    settings: Settings,
    account: Account,
    times: AnswerTimes,
) -> Totals:
    continuity = _continuity(settings, account)
    stimuli = responses = first = last = differing = end = 0
    knots = RateKnots(settings.sample_rate_hz, settings.stimulus_clock_hz)
    wanted = 0 if settings.rate_search is None else min(settings.rate_search.count, FIRST_EDGES)
    early: list[int] = []
    for seen in stretches:
        if len(seen.stimulus):
            first = first if stimuli else int(seen.stimulus[0])
            last = int(seen.stimulus[-1])
        if continuity is not None:
            continuity.feed(seen.stimulus)
        differing += pins_differing(log, responses, seen, len(settings.wiring.sequence))
        stimuli += len(seen.stimulus)
        responses += len(seen.response)
        log.reach(responses)
        if settings.train is not None:  # else nothing says when the answers' stimuli were
            captured.reach(responses)
        times.add(seen.response)
        knots.add(seen.stimulus)
        early += seen.stimulus[: wanted - len(early)].tolist()
        end = seen.end_sample
    alignment = None if continuity is None else continuity.finish(end)
    return Totals(
        stimuli,
        responses,
        stretches.glitches,
        first,
        last,
        differing,
        alignment,
        times,
        knots,
        tuple(early),
    )


def _continuity(settings: Settings, account: Account) -> Continuity | None:
    if settings.train is None:
        return None
    rates_hz = settings.sample_rate_hz, settings.stimulus_clock_hz
    drift_ppm_per_s = settings.clocks.stimulus_ppm_per_s
    return Continuity(settings.train, *rates_hz, account.sent, drift_ppm_per_s)


class _Tally:
    """Collects what the second pass hands out."""

    def __init__(
        self,
        raw: RawRun,
        log: AnswerLog,
        captured: CapturedAnswers,
        settings: Settings,
        totals: Totals,
        beyond: BeyondTally,
    ) -> None:
        self.beyond = beyond
        self.classes = np.zeros(len(EventClass), np.int64)
        self.extras = np.zeros(len(ExtraClass), np.int64)
        self.histogram = ExactHistogram()
        self.other = OtherReading()
        self.contradiction: tuple[Witness, ...] = ()
        self.capture: CaptureComparison | None = None
        self._capture_at_pin: CaptureComparison | None = None
        self._captured = captured
        self.straddlers = Straddlers(totals.gaps)
        self.planned_times = PlannedTimes(totals.gaps[0].first_sample if totals.gaps else None)
        self.brackets: BracketTally | None = None
        if settings.self_triggers is not None:
            path = response_path(beyond.bench)
            self.brackets = BracketTally(raw, log, settings, path, beyond.agreement)
            counts = totals.stimuli, totals.responses
            self._known = counts == (self.brackets.triggers.count, log.count)
        self.holds: HoldTally | None = None
        if settings.rate_search is not None:
            rates_hz = settings.sample_rate_hz, settings.stimulus_clock_hz
            found = hold_rate(totals.first_stimuli, settings)
            faster_ppm = found[0].ppm if found else 0.0
            self.holds = HoldTally(settings.rate_search, *rates_hz, faster_ppm)
        self._planned: PlannedTicks | None = None
        if settings.train is not None and totals.alignment is not None:
            self._planned = PlannedTicks(settings.train, totals.alignment)
            if captured.count == totals.responses > 0 and totals.stimuli > 1:
                self.capture = self._capture_at_pin = _comparison(settings, totals.alignment)
                self._rate = local_rate(settings, settings.train, totals.alignment, totals.knots)

    def add(self, events: Events, on_events: OnEvents | None) -> None:
        self.classes += np.bincount(events.kind, minlength=len(EventClass))
        self.extras += np.bincount(events.extra_kind, minlength=len(ExtraClass))
        self.histogram.add(latencies(events))
        self.other.add(events)
        if self.brackets is not None and self._known:
            self.brackets.add(events)
        if self.holds is not None:
            self.holds.add(events)
        n = len(events.stimulus)
        planned = np.full(n, -1, np.int64)
        if self._planned is not None:
            planned = self._planned.of(events.first, n)
        inside_ps = self.beyond.add(events, planned)
        self.planned_times.add(events.stimulus, planned)
        comparable = (events.answer >= 0) & (planned >= 0) & ~self.straddlers.find(events)
        self._compare_capture(events, planned, comparable)
        if on_events is not None:
            on_events(
                {
                    "planned_ticks": planned,
                    "stimulus_sample": events.stimulus,
                    "response_sample": events.response,
                    "answer": events.answer,
                    "class": events.kind,
                    **({"inside_ps": inside_ps} if self.beyond.has_inside else {}),
                }
            )

    def _compare_capture(
        self, events: Events, planned: Int64Array, comparable: npt.NDArray[np.bool_]
    ) -> None:
        if self.capture is None or not comparable.any():
            return
        answer = events.answer[comparable]
        first = int(answer[0])
        ticks = self._captured.read(first, int(answer[-1]) + 1 - first)[answer - first]
        latency_samples = events.response[comparable] - events.stimulus[comparable]
        local = self._rate.at(events.stimulus[comparable], latency_samples)
        late = ticks - planned[comparable]
        self.capture = self.capture.add(latency_samples, late, local)
        if self.beyond.edges is not None and self._capture_at_pin is not None:
            later_ns = self.beyond.edges.shown_later_ns(answer)
            self._capture_at_pin = self._capture_at_pin.add(latency_samples, late, local, later_ns)

    @property
    def best_capture(self) -> CaptureComparison | None:
        """What makes rising answers later than falling ones may lie before the input capture or
        behind it: which of the two, their agreement tells."""
        both = (self.capture, self._capture_at_pin)
        return min(
            (each for each in both if each is not None and each.n), key=_spread, default=None
        )


def _spread(found: CaptureComparison) -> float:
    return found.spread_ns


def _comparison(settings: Settings, alignment: Alignment) -> CaptureComparison:
    return CaptureComparison.begin(
        settings.sample_rate_hz,
        settings.stimulus_clock_hz,
        samples=alignment.span_samples,
        ticks=alignment.span_ticks,
    )


def _conclude(
    raw: RawRun,
    log: AnswerLog,
    settings: Settings,
    account: Account,
    totals: Totals,
    source: CountSource,
    tally: _Tally,
    clocks: ClockComparison | None,
    headline_by: Headlining,
) -> Evaluation:
    n, counts = int(tally.classes.sum()), _counts(totals, tally)
    capture = tally.best_capture
    channels = settings.wiring.stimulus, settings.wiring.response
    delay = capture_delay(
        capture, tally.beyond.bench, channels, some_late=account.stimulus_late > 0
    )
    tally.beyond.bench = with_capture_room(tally.beyond.bench, delay)
    headline = headline_by(raw, settings, account, _paired(settings, totals, tally))
    delays = (*filter(None, (delay,)), *headline.delays)
    beyond = tally.beyond.result(headline.measurands[0])
    limits = judge_limits(
        settings.limits,
        (*headline.measurands, *headline.aliases),
        tally.other.judged(counted(counts, beyond.overruns)),
        tally.other.possible,
    )
    seen = witnesses(
        raw, log, account, totals.stimuli, totals.responses, totals.pins_differing, capture,
        unmatched(raw, log, settings, account, totals.responses),
        None if settings.train is None else settings.train.count,
    )  # fmt: skip
    unanswered = counts.missed + counts.merged + counts.ambiguous
    seen = (*seen, *count_witness(log, account, unanswered), *tally.contradiction)
    if beyond.clock is not None:
        seen = (*seen, beyond.clock.witness)
    seen = (*seen, *tally.beyond.entry_witness, *(each.witness for each in delays))
    if clocks is not None:
        seen = (clocks.witness, *seen)
    scatter = tally.beyond.scatter_samples
    seen = (*seen, *repeated_samples(raw, settings.sample_rate_hz, clocks, scatter))
    found = gap_losses(totals.gaps, tally.straddlers, settings.sample_rate_hz)
    verdict, reasons = verdict_of(
        losses=[*raw.losses(), *found],
        account=account,
        planned=settings.planned,
        witnesses=(*seen, *headline.witnesses),
        limits=limits,
        n=n,
        ended=(account.sent if settings.self_triggers is None else account.handled) is not None,
        doubts=(*headline.doubts, *_ambiguity(source, tally)),
    )
    duration_s = totals.span_samples / settings.sample_rate_hz
    return Evaluation(
        verdict, reasons, counts, headline.figures, (*seen, *headline.witnesses), capture,
        headline.histogram, duration_s, source.name, totals.gaps, details=headline.details,
        beyond=beyond, limits=limits, measurands=headline.measurands,
        wander=_wander(settings, totals, tally),
        clocks=clocks, delays=delays,
    )  # fmt: skip


def _ambiguity(source: CountSource, tally: _Tally) -> tuple[str, ...]:
    """A search wants to know how many interrupts a hold has lost, not which. By both readings that
    is the same: no answer is late by the rest between two holds."""
    if tally.holds is not None:
        return ()
    return tally.other.doubts(source.by_log)


def _counts(totals: Totals, tally: _Tally) -> Counts:
    answered, late, missed, merged, ambiguous = (int(n) for n in tally.classes)
    duplicate, spurious = (int(n) for n in tally.extras)
    return Counts(
        int(tally.classes.sum()), answered, late, missed, merged, duplicate, spurious,
        totals.glitches, ambiguous,
    )  # fmt: skip


def _wander(settings: Settings, totals: Totals, tally: _Tally) -> tuple[Wander, ...]:
    target = followed(tally.beyond.fitted, totals.times, tally.beyond.agreement)
    stimulus = tally.planned_times.followed(settings)
    return wanders(target, stimulus, settings.sample_rate_hz)


def _paired(settings: Settings, totals: Totals, tally: _Tally) -> Paired:
    duration_ns = 1e9 * totals.span_samples / settings.sample_rate_hz
    return Paired(
        tally.beyond, tally.histogram, tally.brackets, totals.stimuli, totals.responses,
        duration_ns, tally.holds, tally.other.histogram(tally.histogram),
    )  # fmt: skip
