# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of a task that spins and toggles its pin: what held it up, by the pins and by its log."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.clock_rates import ClockComparison, compare_clocks, with_room
from rig.analysis.crosscheck.run_brackets import bracket_agreement
from rig.analysis.crosscheck.sample_grid import repeated_samples
from rig.analysis.crosscheck.witness import log_witnesses
from rig.analysis.inference.extended import Beyond
from rig.analysis.log.responses import CHUNK, AnswerLog
from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.limits import counted, judge_limits
from rig.analysis.measurements.measured_rates import counter_rate
from rig.analysis.measurements.toggle_gap_figures import SpinFigures
from rig.analysis.measurements.toggle_gap_list import (
    Bounds,
    Intervals,
    Matched,
    bounds_of,
    match_gaps,
)
from rig.analysis.measurements.verdict import verdict_of
from rig.analysis.model.account import Account
from rig.analysis.model.events import Counts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.signals.decoder import Observation, observe
from rig.analysis.signals.filtered import filtered
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.statistics.overruns import OverrunCounter
from rig.analysis.uncertainty.bench import Bench
from rig.analysis.uncertainty.clock_limits import ClockLimits
from rig.analysis.uncertainty.effects import of_intervals
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.analysis.uncertainty.series import Series
from rig.instruments import Int64Array, LogArray
from rig.limit_names import LATENCY

BoolArray = npt.NDArray[np.bool_]
GAPS_MAX = 1 << 20
"""Gaps compared at most, the first ones; with more the threshold is of no use."""
_TOLD = 5


@dataclass
class _Train:
    """What the analyzer saw of the pin."""

    threshold: float
    """In samples."""
    logged: Int64Array
    """Numbers of the toggles that the log tells of, from 1, ascending."""
    bits: int
    edges: int = 0
    differing: int = 0
    """Edges whose sequence pins carry another number."""
    glitches: int = 0
    first_sample: int = 0
    last_sample: int = 0
    in_gaps: int = 0
    """Samples, all gaps together."""
    gaps: int = 0
    intervals: Series = field(default_factory=Series)
    times: AnswerTimes = field(default_factory=AnswerTimes)
    """Of the edges that the log tells of."""
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
        self.gaps += int(above.sum())
        self.in_gaps += int(lengths[above].sum())
        if self._kept_count < GAPS_MAX:
            wanted = above | marked
            self._kept.append(np.stack([number, lengths, ends])[:, wanted])
            self._kept_count += int(wanted.sum())

    def kept(self, sample_rate_hz: int) -> Intervals:
        """Intervals above the threshold, and those that end with an edge that was logged."""
        empty = np.empty((3, 0), np.int64)
        number, lengths, ends = np.concatenate([empty, *self._kept], axis=1)
        return Intervals(number, lengths * 1e9 / sample_rate_hz, ends / sample_rate_hz)


def evaluate_spin(
    raw: RawRun, settings: Settings, account: Account, bench: Bench | None = None
) -> Evaluation:
    """Compute everything from the raw data."""
    bench = bench or Bench(1e9 / settings.sample_rate_hz)
    records = _records(raw)
    train = _look(raw, settings, records)
    log = AnswerLog(raw)
    clock, _ = bracket_agreement(train.times, log, settings, account, ())
    matched = _matched(settings, account, train, records, clock)
    limits, rates = bench.clocks or ClockLimits(), counter_rate(clock, settings)
    clocks = compare_clocks(rates, limits, settings.sample_rate_hz)
    bench = with_room(bench, clocks)
    found = measurand(LATENCY, train.intervals, settings.sample_rate_hz, of_intervals(bench, 0.0))
    witnesses = _witnesses(raw, log, settings, account, train, matched, clock)
    if clocks is not None and account.handled is not None:
        witnesses = (clocks.witness, *witnesses)
    witnesses = (*witnesses, *repeated_samples(raw, settings.sample_rate_hz, clocks))
    figures = _figures(settings, account, train, matched, records)
    return _conclude(raw, settings, account, train, found, witnesses, figures, clock, clocks)


def threshold_ns_of(settings: Settings) -> int:
    """What is longer is a gap. 0 if the settings do not tell."""
    return _word(settings, "threshold_ns")


def _word(settings: Settings, name: str) -> int:
    """A number of what the agent was told; a foreign file may say anything."""
    text = settings.agent.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0


def _records(raw: RawRun) -> LogArray:
    """The whole log: it holds few toggles of many."""
    parts = [raw.log(first, CHUNK) for first in range(0, raw.log_count, CHUNK)]
    records: LogArray = np.concatenate([raw.log(0, 0), *parts])
    return records


def _look(raw: RawRun, settings: Settings, records: LogArray) -> _Train:
    threshold = threshold_ns_of(settings) * settings.sample_rate_hz / 1e9
    train = _Train(threshold, np.unique(records["handled"].astype(np.int64)),
                   len(settings.wiring.sequence))  # fmt: skip
    blocks, glitch = filtered(raw, settings)
    for stretch in observe(blocks, settings.wiring, settings.sample_rate_hz):
        train.add(stretch)
    train.glitches = sum(glitch.removed.values())
    return train


def _matched(
    settings: Settings,
    account: Account,
    train: _Train,
    records: LogArray,
    clock: ClockAgreement | None,
) -> Matched | None:
    """None where the log tells no times."""
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


def _scaled(bounds: Bounds, factor: float) -> Bounds:
    return Bounds(bounds.number, bounds.lowest_ns * factor, bounds.highest_ns * factor)


def _witnesses(
    raw: RawRun,
    log: AnswerLog,
    settings: Settings,
    account: Account,
    train: _Train,
    matched: Matched | None,
    clock: ClockAgreement | None,
) -> tuple[Witness, ...]:
    if account.handled is None:
        return ()
    told = f"analyzer {train.edges}, target {account.handled}"
    _, order = log_witnesses(raw, log, account, train.edges, train.differing)
    found = [Witness("toggles", train.edges == account.handled, told), order]
    if matched is not None:
        found.append(_gaps_witness(matched))
    if clock is not None:
        found.append(clock.witness)
    if settings.tick_hz is None:
        found.append(Witness("tick rate", False, "the agent did not tell the rate of its counter"))
    return tuple(found)


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
    account: Account,
    train: _Train,
    matched: Matched | None,
    records: LogArray,
) -> SpinFigures:
    samples = train.last_sample - train.first_sample
    duration_s = samples / settings.sample_rate_hz
    width = (records["after_ticks"] - records["before_ticks"]).astype(np.float64)
    return SpinFigures(
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
    )


def _conclude(
    raw: RawRun,
    settings: Settings,
    account: Account,
    train: _Train,
    found: Measurand,
    witnesses: tuple[Witness, ...],
    figures: SpinFigures,
    clock: ClockAgreement | None,
    clocks: ClockComparison | None,
) -> Evaluation:
    planned, n = settings.planned or 0, train.edges
    over = OverrunCounter().result()
    counts = Counts(max(n, planned), n, 0, max(0, planned - n), 0, 0, 0, train.glitches)
    limits = judge_limits(settings.limits, (found,), counted(counts, over))
    verdict, reasons = verdict_of(
        losses=raw.losses(),
        account=account,
        planned=planned,
        witnesses=witnesses,
        limits=limits,
        n=n,
        events="toggles",
        ended=account.handled is not None,
        doubts=figures.doubts,
    )
    beyond = Beyond(found.unit_ns, found.figures, over, clock, None, found.budgets)
    return Evaluation(
        verdict, reasons, counts, found.statistics, witnesses, None, found.histogram,
        figures.duration_s, "order, from one edge of the pin to the next", beyond=beyond,
        limits=limits, measurands=(found,), details=figures, clocks=clocks,
    )  # fmt: skip
