# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation of runs of a task that spins and toggles its pin: gaps by the pins and its log."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.witness import log_witnesses
from rig.analysis.log.responses import CHUNK
from rig.analysis.measurements.pipeline import (
    Aligned,
    Evaluator,
    RunFindings,
    planned_counts,
    tick_rate_witness,
)
from rig.analysis.measurements.toggle_gap_figures import ToggleGapFigures
from rig.analysis.measurements.toggle_gap_list import (
    IntervalBounds,
    Intervals,
    Matched,
    bounds_of,
    match_gaps,
)
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.signals.decoder import Observation
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.uncertainty.effects import of_intervals
from rig.analysis.uncertainty.measurand import measurand
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.arrays import BoolArray
from rig.instruments import Int64Array, LogArray
from rig.limit_names import GAP_INTERVAL, GAP_LENGTH, LATENCY

GAPS_MAX = 1 << 20
"""Most gaps that are compared, the first ones; with more the threshold is of no use."""
_TOLD = 5


@dataclass
class _Train:
    """The edges of the pin that the analyzer saw."""

    threshold: float
    """Threshold in samples."""
    logged: Int64Array
    """Numbers of the toggles that are in the log, from 1, ascending."""
    bits: int
    times: AnswerTimes
    """Times of the edges that are in the log."""
    edges: int = 0
    differing: int = 0
    """Number of edges whose sequence pins have another number."""
    first_sample: int = 0
    last_sample: int = 0
    in_gaps: int = 0
    """Samples in all gaps together."""
    gaps: int = 0
    intervals: MeasurandSeries = field(default_factory=MeasurandSeries)
    gap_lengths: MeasurandSeries = field(default_factory=MeasurandSeries)
    gap_intervals: MeasurandSeries = field(default_factory=MeasurandSeries)
    _last_gap: int | None = None
    _kept: list[Int64Array] = field(default_factory=list)
    _kept_count: int = 0

    def add(self, seen: Observation) -> None:
        samples = seen.response
        if not len(samples):
            return
        number = self.edges + 1 + np.arange(len(samples))
        if seen.sequence is not None:
            expected = number & ((1 << self.bits) - 1)
            self.differing += int(np.count_nonzero(expected != seen.sequence))
        marked = np.isin(number, self.logged, assume_unique=True)
        self.times.add(samples[marked])
        if self.edges:
            lengths = np.diff(samples, prepend=self.last_sample)
            self._note(number, lengths, samples, marked)
        else:
            self.first_sample = int(samples[0])
            self._note(number[1:], np.diff(samples), samples[1:], marked[1:])
        self.edges += len(samples)
        self.last_sample = int(samples[-1])

    def _note(
        self, number: Int64Array, lengths: Int64Array, ends: Int64Array, marked: BoolArray
    ) -> None:
        self.intervals.add(lengths, ends)
        above = lengths > self.threshold
        self._note_gaps(lengths[above], ends[above])
        if self._kept_count < GAPS_MAX:
            wanted = above | marked
            self._kept.append(np.stack([number, lengths, ends])[:, wanted])
            self._kept_count += int(wanted.sum())

    def _note_gaps(self, lengths: Int64Array, ends: Int64Array) -> None:
        if not len(lengths):
            return
        self.gaps += len(lengths)
        self.in_gaps += int(lengths.sum())
        self.gap_lengths.add(lengths, ends)
        if self._last_gap is None:
            self.gap_intervals.add(np.diff(ends), ends[1:])
        else:
            self.gap_intervals.add(np.diff(ends, prepend=self._last_gap), ends)
        self._last_gap = int(ends[-1])

    def kept(self, sample_rate_hz: int) -> Intervals:
        """Return intervals above the threshold, and those that end with an edge in the log."""
        empty = np.empty((3, 0), np.int64)
        number, lengths, ends = np.concatenate([empty, *self._kept], axis=1)
        return Intervals(number, lengths * 1e9 / sample_rate_hz, ends / sample_rate_hz)


class ToggleGapEvaluator(Evaluator):
    """The evaluator of long intervals between the toggles of a pin, compared with the log's."""

    events = "toggles"
    rereads = False

    def scan(self) -> None:
        self._records = _records(self.raw)
        threshold = threshold_ns_of(self.settings) * self.settings.sample_rate_hz / 1e9
        logged = np.unique(self._records["handled"].astype(np.int64))
        bits = len(self.settings.wiring.sequence)
        self._train = _Train(threshold, logged, bits, self.answers.times)
        for stretch in self.stretches:
            self._train.add(stretch)

    def measure(self, aligned: Aligned) -> RunFindings:
        settings, train, agreement = self.settings, self._train, aligned.agreement
        matched = _matched(settings, self.account, train, self._records, agreement)
        figures = _figures(settings, self.account, train, matched, self._records)
        effects = of_intervals(aligned.bench, 0.0)
        planned = self.account.handled if figures.ended_early else settings.planned
        return RunFindings(
            measurands=tuple(
                measurand(name, series, settings.sample_rate_hz, effects)
                for name, series in (
                    (LATENCY, train.intervals),
                    (GAP_LENGTH, train.gap_lengths),
                    (GAP_INTERVAL, train.gap_intervals),
                )
            ),
            counts=planned_counts(train.edges, planned or 0, self.stretches.glitches),
            seen=train.edges,
            planned=planned,
            paired_by="order, from one edge of the pin to the next",
            duration_s=figures.duration_s,
            details=figures,
            witnesses=self._witnesses(matched, agreement),
            caveats=figures.caveats,
        )

    def _witnesses(
        self, matched: Matched | None, agreement: ClockAgreement | None
    ) -> tuple[Witness, ...]:
        account, train = self.account, self._train
        if account.handled is None:
            return ()
        told = f"analyzer {train.edges}, target {account.handled}"
        _, order = log_witnesses(self.raw, self.log, account, train.edges, train.differing)
        found = [Witness("toggles", train.edges == account.handled, told), order]
        if matched is not None:
            found.append(_gaps_witness(matched))
        if agreement is not None:
            found.append(agreement.witness)
        return (*found, *tick_rate_witness(self.settings))


def threshold_ns_of(settings: Settings) -> int:
    """Return the length above which an interval is a gap; 0 if the settings have none."""
    return _word(settings, "threshold_ns")


def _word(settings: Settings, name: str) -> int:
    """Return a number of the agent's options; a foreign file may have any text."""
    text = settings.agent.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _records(raw: RawRun) -> LogArray:
    """Return the whole log: it has few toggles of many."""
    parts = [raw.log(first, CHUNK) for first in range(0, raw.log_count, CHUNK)]
    records: LogArray = np.concatenate([raw.log(0, 0), *parts])
    return records


def _matched(
    settings: Settings,
    account: InstrumentCounts,
    train: _Train,
    records: LogArray,
    clock: ClockAgreement | None,
) -> Matched | None:
    """Return the gaps by pins and log; None where the log has no times."""
    if settings.tick_hz is None or account.handled is None:
        return None
    rate = 1.0 if clock is None or clock.rate_ppm is None else 1 + clock.rate_ppm * 1e-6
    tick_ns = 1e9 / settings.tick_hz
    threshold_ns = threshold_ns_of(settings)
    full = account.log_dropped > 0 and len(records) > 0
    return match_gaps(
        train.kept(settings.sample_rate_hz),
        # The agent compares by its own counter at its nominal rate; lengths are told by the pins'.
        _scaled(bounds_of(records, tick_ns, threshold_ns), 1 / rate),
        threshold_ns,
        play_ns=1e9 / settings.sample_rate_hz + 2 * tick_ns,
        scale=settings.clocks.target_ppm * 1e-6,
        logged_until=int(records["handled"][-1]) if full else None,
    )


def _scaled(bounds: IntervalBounds, factor: float) -> IntervalBounds:
    return IntervalBounds(bounds.number, bounds.lowest_ns * factor, bounds.highest_ns * factor)


def _gaps_witness(matched: Matched) -> Witness:
    lines = [f"pins {matched.pins}, target log {matched.log}, {matched.both} of them the same"]
    for numbers, what in (
        (matched.without_record, "that only the pins show, up to toggle"),
        (matched.without_edges, "that only the log has, up to toggle"),
        (matched.differing, "of lengths that exclude each other, up to toggle"),
    ):
        if numbers:
            first = ", ".join(f"{number:,}" for number in numbers[:_TOLD])
            more = " ..." if len(numbers) > _TOLD else ""
            lines.append(f"{len(numbers)} {what} {first}{more}")
    agrees = not (matched.without_record or matched.without_edges or matched.differing)
    return Witness("gaps", agrees, "; ".join(lines))


def _figures(
    settings: Settings,
    account: InstrumentCounts,
    train: _Train,
    matched: Matched | None,
    records: LogArray,
) -> ToggleGapFigures:
    samples = train.last_sample - train.first_sample
    duration_s = samples / settings.sample_rate_hz
    width = (records["after_ticks"] - records["before_ticks"]).astype(np.float64)
    return ToggleGapFigures(
        pause_ns=_word(settings, "pause_ns"),
        threshold_ns=threshold_ns_of(settings),
        duration_s=duration_s,
        toggles=train.edges,
        gaps=train.gaps,
        gaps_by_log=None if matched is None else matched.log,
        gaps_by_both=None if matched is None else matched.both,
        at_threshold=0 if matched is None else matched.at_threshold,
        per_hour=train.gaps / duration_s * 3600 if samples else None,
        share=train.in_gaps / samples if samples else None,
        write_ns=float(np.median(width)) * 1e9 / settings.tick_hz
        if settings.tick_hz and len(width)
        else None,
        log_dropped=account.log_dropped,
        listed=() if matched is None else matched.gaps,
        ended_by=_ended_by(settings, account, train, matched, records),
    )


def _ended_by(
    settings: Settings,
    account: InstrumentCounts,
    train: _Train,
    matched: Matched | None,
    records: LogArray,
) -> Literal["", "count", "gaps", "duration"]:
    """Return the end that the target's own log, or the pins, say was reached."""
    if settings.planned is not None and account.handled == settings.planned:
        return "count"
    if settings.tick_hz is None or not len(records):
        return ""
    tick_ns = 1e9 / settings.tick_hz
    told = 0 if matched is None else matched.log
    gaps, duration_ns = _word(settings, "gaps"), _word(settings, "duration_ns")
    if gaps and max(told, train.gaps) >= gaps:
        return "gaps"
    ticks = int(records["after_ticks"][-1]) - int(records["before_ticks"][0])
    return "duration" if duration_ns and ticks * tick_ns >= duration_ns - tick_ns else ""
