# SPDX-License-Identifier: GPL-3.0-or-later
"""From a run's raw data to its figures, its witnesses and its verdict.

Three passes over the edges, each in constant memory: count and look for holes, find merged
interrupts, pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.continuity import Alignment, Continuity, Gap
from rig.analysis.gap_losses import Straddlers, gap_losses
from rig.analysis.glitch import GlitchFilter
from rig.analysis.observation import Observation, observe
from rig.analysis.pairing import (
    Counts,
    EventClass,
    Events,
    ExtraClass,
    MergeProfile,
    Pairer,
    PinCounter,
    latencies,
)
from rig.analysis.planned import PlannedEdges
from rig.analysis.raw import Account, RawRun, Settings
from rig.analysis.statistics import ExactHistogram, Statistics, statistics
from rig.analysis.verdict import Verdict, exceeded_limits, verdict_of
from rig.analysis.witness import CaptureComparison, Witness, witnesses
from rig.instruments import EdgeBlock, Int64Array
from rig.stimulus.train import Train

_HANDLED_MAX = 2**62
"""The difference of two counts fits 64 bits."""

EventColumns = dict[str, npt.NDArray[np.int64] | npt.NDArray[np.uint8]]
OnEvents = Callable[[EventColumns], None]


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

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Holes in the sample stream."""
        return () if self.alignment is None else self.alignment.gaps


@dataclass(frozen=True)
class Evaluation:
    """All that a run's raw data say."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """Why the verdict is what it is, one line each; empty for a pass."""
    counts: Counts
    figures: Statistics
    witnesses: tuple[Witness, ...]
    capture: CaptureComparison | None
    histogram: ExactHistogram
    duration_s: float
    """From the first stimulus edge to the last."""
    paired_by: str
    """Where handler counts came from: target log, sequence pins, or order alone."""
    gaps: tuple[Gap, ...] = ()
    """Holes in the sample stream that no instrument told of."""


@dataclass(frozen=True)
class _CountSource:
    """Where each answer's handler count comes from."""

    name: str
    raw: RawRun
    bits: int

    def feeder(self) -> Callable[[int, Observation], Int64Array | None]:
        """A function for one pass: number of the first answer, observation -> counts."""
        if self.name == "sequence pins":
            pins = PinCounter(self.bits)
            return lambda _, seen: None if seen.sequence is None else pins.feed(seen.sequence)
        if self.name.startswith("target log"):
            return lambda first, seen: _handled(self.raw, first, len(seen.response))
        return lambda _first, _seen: None


def _handled(raw: RawRun, first: int, count: int) -> Int64Array:
    """Handler counts of the log's records; those that only a damaged log has stay in range."""
    handled = np.minimum(raw.log(first, count)["handled"], np.uint64(_HANDLED_MAX))
    counts: Int64Array = handled.astype(np.int64)
    return counts


def evaluate(
    raw: RawRun,
    settings: Settings,
    account: Account,
    on_events: OnEvents | None = None,
) -> Evaluation:
    """Compute everything from the raw data; `on_events` gets all events in order, in pieces."""
    totals = _count(raw, settings, account)
    source = _count_source(raw, settings, totals)
    profile = MergeProfile()
    for observation, counts in _counted(raw, settings, source):
        profile.feed(observation.stimulus, observation.response, counts)
    profile.finish()
    tally = _Tally(raw, settings, totals)
    pairer = Pairer(profile)
    for observation, counts in _counted(raw, settings, source):
        tally.add(pairer.feed(observation.stimulus, observation.response, counts), on_events)
    tally.add(pairer.finish(), on_events)
    return _conclude(raw, settings, account, totals, source, tally)


def _filtered(raw: RawRun, settings: Settings) -> tuple[Iterator[EdgeBlock], GlitchFilter]:
    glitch = GlitchFilter(settings.glitch_samples)

    def blocks() -> Iterator[EdgeBlock]:
        for block in raw.edge_blocks():
            yield glitch.feed(block)
        yield glitch.finish()

    return blocks(), glitch


def _count(raw: RawRun, settings: Settings, account: Account) -> Totals:
    blocks, glitch = _filtered(raw, settings)
    continuity = _continuity(settings, account)
    stimuli = responses = first = last = differing = end = 0
    for seen in observe(blocks, settings.wiring, settings.sample_rate_hz):
        if len(seen.stimulus):
            first = first if stimuli else int(seen.stimulus[0])
            last = int(seen.stimulus[-1])
        if continuity is not None:
            continuity.feed(seen.stimulus)
        differing += _pins_differing(raw, responses, seen, len(settings.wiring.sequence))
        stimuli += len(seen.stimulus)
        responses += len(seen.response)
        end = seen.end_sample
    alignment = None if continuity is None else continuity.finish(end)
    removed = sum(glitch.removed.values())
    return Totals(stimuli, responses, removed, first, last, differing, alignment)


def _continuity(settings: Settings, account: Account) -> Continuity | None:
    if settings.train is None:
        return None
    rates_hz = settings.sample_rate_hz, settings.stimulus_clock_hz
    return Continuity(settings.train, *rates_hz, account.sent)


def _pins_differing(raw: RawRun, first: int, seen: Observation, bits: int) -> int:
    if seen.sequence is None or not len(seen.sequence):
        return 0
    handled = raw.log(first, len(seen.sequence))["handled"].astype(np.int64)
    expected = handled & ((1 << bits) - 1)
    return int(np.count_nonzero(expected != seen.sequence[: len(expected)]))


def _count_source(raw: RawRun, settings: Settings, totals: Totals) -> _CountSource:
    """The log, if it has a record for each answer and the pins do not contradict it.

    The log's count is whole where the pins carry its low bits only; the pins tell which record
    belongs to which answer where the numbers differ.
    """
    bits = len(settings.wiring.sequence)
    if totals.responses and totals.responses == raw.log_count and not totals.pins_differing:
        return _CountSource("target log and sequence pins" if bits else "target log", raw, bits)
    return _CountSource("sequence pins" if bits else "order alone", raw, bits)


def _counted(
    raw: RawRun, settings: Settings, source: _CountSource
) -> Iterator[tuple[Observation, Int64Array | None]]:
    blocks, _ = _filtered(raw, settings)
    counts_of = source.feeder()
    first = 0
    for seen in observe(blocks, settings.wiring, settings.sample_rate_hz):
        yield seen, counts_of(first, seen)
        first += len(seen.response)


class _PlannedTicks:
    """When the stimulus edges in the capture were planned, in order, a stretch at a time."""

    def __init__(self, train: Train, alignment: Alignment) -> None:
        self._plan = PlannedEdges(train)
        self._alignment = alignment

    def of(self, first: int, count: int) -> Int64Array:
        """Ticks since INIT of observed edges `first` on, shape (count,); -1: not known."""
        number = self._alignment.planned_numbers(first, count)
        known = (number >= 0) & (number < self._plan.count)
        ticks = np.full(count, -1, np.int64)
        if known.any():
            low, high = int(number[known].min()), int(number[known].max())
            self._plan.forget(low)
            ticks[known] = self._plan.ticks(low, high + 1)[number[known] - low]
        return ticks


class _Tally:
    """Collects what the second pass hands out."""

    def __init__(self, raw: RawRun, settings: Settings, totals: Totals) -> None:
        self.classes = np.zeros(len(EventClass), np.int64)
        self.extras = np.zeros(len(ExtraClass), np.int64)
        self.histogram = ExactHistogram()
        self.capture: CaptureComparison | None = None
        self._raw = raw
        self.straddlers = Straddlers(totals.gaps)
        self._planned: _PlannedTicks | None = None
        if settings.train is not None and totals.alignment is not None:
            self._planned = _PlannedTicks(settings.train, totals.alignment)
            if raw.capture_count == totals.responses > 0 and totals.stimuli > 1:
                self.capture = _comparison(settings, totals.alignment)

    def add(self, events: Events, on_events: OnEvents | None) -> None:
        self.classes += np.bincount(events.kind, minlength=len(EventClass))
        self.extras += np.bincount(events.extra_kind, minlength=len(ExtraClass))
        self.histogram.add(latencies(events))
        n = len(events.stimulus)
        planned = np.full(n, -1, np.int64)
        if self._planned is not None:
            planned = self._planned.of(events.first, n)
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
                }
            )

    def _compare_capture(
        self, events: Events, planned: Int64Array, comparable: npt.NDArray[np.bool_]
    ) -> None:
        if self.capture is None or not comparable.any():
            return
        answer = events.answer[comparable]
        first = int(answer[0])
        ticks = self._raw.captures(first, int(answer[-1]) + 1 - first)[answer - first]
        latency_samples = events.response[comparable] - events.stimulus[comparable]
        self.capture = self.capture.add(latency_samples, ticks - planned[comparable])


def _comparison(settings: Settings, alignment: Alignment) -> CaptureComparison:
    return CaptureComparison.begin(
        settings.sample_rate_hz,
        settings.stimulus_clock_hz,
        samples=alignment.span_samples,
        ticks=alignment.span_ticks,
    )


def _conclude(
    raw: RawRun,
    settings: Settings,
    account: Account,
    totals: Totals,
    source: _CountSource,
    tally: _Tally,
) -> Evaluation:
    answered, late, missed, merged = (int(n) for n in tally.classes)
    duplicate, spurious = (int(n) for n in tally.extras)
    n = answered + late + missed + merged
    counts = Counts(n, answered, late, missed, merged, duplicate, spurious, totals.glitches)
    figures = statistics(tally.histogram, settings.sample_rate_hz)
    seen = witnesses(
        raw, account, totals.stimuli, totals.responses, totals.pins_differing, tally.capture
    )
    limits = exceeded_limits(settings.limits, figures, counts)
    found = gap_losses(totals.gaps, tally.straddlers, settings.sample_rate_hz)
    verdict, reasons = verdict_of(
        losses=[*raw.losses(), *found],
        account=account,
        planned=None if settings.train is None else settings.train.count,
        witnesses=seen,
        exceeded=limits,
        n=n,
    )
    duration_s = (totals.last_stimulus - totals.first_stimulus) / settings.sample_rate_hz
    return Evaluation(
        verdict, reasons, counts, figures, seen, tally.capture, tally.histogram, duration_s,
        source.name, totals.gaps,
    )  # fmt: skip
