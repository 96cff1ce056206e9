# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupt dispatch latency: from the end of the handler to the task that it interrupted.

For each interrupt the target logs a span, the handler's entry and exit, and a record of the task
that went on behind it, both with the same count. By ticks the latency lies between the two. By pins
it lies between the handler's pin and the task's, and holds the handler's way out and the task's way
to its pin as well. Only interrupts that fell upon the agent's own task count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.constants import DelayRange, PathDelay
from rig.analysis.crosscheck.edge_intervals import PinPairs
from rig.analysis.log.responses import CHUNK, are_answers
from rig.analysis.model.details import Details
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.handler_count import handled_of
from rig.analysis.signals.decoder import observe
from rig.analysis.signals.glitch import filtered
from rig.analysis.statistics.descriptive import DescriptiveStatistics, statistics
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.arrays import BoolArray
from rig.instruments import LOG_OF_TASK, LOG_SPAN, LOG_TASK, Int64Array, LogArray


@dataclass(frozen=True)
class DispatchFigures(Details):
    """The dispatch latency of the same interrupts by log and pins."""

    kind = "dispatch"

    ticks: DescriptiveStatistics
    """Latency from the handler's exit to the task, on the cycle counter at its nominal rate."""
    pins: DescriptiveStatistics | None
    """Latency from the handler's pin to the task's; None if not wired, or in doubt of its edges."""
    interrupt: DescriptiveStatistics
    """Interrupt latency in the same run: from the stimulus to the handler's pin."""
    interrupts: int
    """Number of interrupts handled, by the log."""
    of_task: int
    """Number of those that interrupted the agent's task."""
    overtaken: int
    """Number of these without a record of the task: the next interrupt came first."""
    task_edges: int | None
    """Edges that the analyzer saw at the task's pin; None if it is not wired."""
    task_edges_logged: int
    """Edges that the log's records of the task make."""
    compared: int = 0
    """Number of times by pins that were compared with the records of both writes."""
    unfit: int = 0
    """Number of these that are longer or shorter than the records allow."""
    first_unfit: int | None = None
    """Handler count of the first of them."""


_TICKS_MAX = 2**53
"""Largest time since the first span: larger ones are of a damaged log, and of no use."""


class TickLatencies:
    """Dispatch latencies by ticks, from the log in stretches."""

    def __init__(self) -> None:
        self.series = MeasurandSeries()
        self.interrupts = self.of_task = self.continued = 0
        self._last: LogArray | None = None
        self._origin: np.uint64 | None = None
        self._highest = 0

    def feed(self, rows: LogArray) -> None:
        """Add the next records."""
        span = (rows["flags"] & np.uint32(LOG_SPAN)) != 0
        own = span & ((rows["flags"] & np.uint32(LOG_OF_TASK)) != 0)
        self.interrupts += int(np.count_nonzero(span))
        self.of_task += int(np.count_nonzero(own))
        if self._last is not None:
            rows = np.concatenate([self._last, rows])
        ends, continued = _pairs(rows)
        ticks = continued["before_ticks"].astype(np.int64) - ends["after_ticks"].astype(np.int64)
        self.series.add(ticks, self._times(ends["after_ticks"]))
        self.continued += len(ticks)
        self._last = rows[-1:]

    def _times(self, ticks: npt.NDArray[np.uint64]) -> Int64Array:
        """Return times since the first of all, shape (n,); a damaged log's never fall either."""
        if not len(ticks):
            return np.empty(0, np.int64)
        self._origin = ticks[0] if self._origin is None else self._origin
        since = np.minimum(ticks - self._origin, np.uint64(_TICKS_MAX)).astype(np.int64)
        times: Int64Array = np.maximum.accumulate(np.maximum(since, self._highest))
        self._highest = int(times[-1])
        return times


def _pairs(rows: LogArray) -> tuple[LogArray, LogArray]:
    """Return spans upon the agent's task, and the records of that task right behind them."""
    flags, handled = rows["flags"], rows["handled"]
    wanted = np.uint32(LOG_SPAN | LOG_OF_TASK)
    follows = (
        ((flags[:-1] & wanted) == wanted)
        & ((flags[1:] & np.uint32(LOG_TASK)) != 0)
        & (handled[1:] == handled[:-1])
    )
    return rows[:-1][follows], rows[1:][follows]


class PinLatencies:
    """Dispatch latencies by pins, from edges and log side by side.

    Each span is an edge of the response pin. The task's pin takes the low bit of the count, so a
    record of the task is an edge only if that bit is not what it was.
    """

    def __init__(self, raw: RawRun, task_level: int, pairs: PinPairs, expected: DelayRange) -> None:
        self.series = MeasurandSeries()
        self.compared = self.unfit = 0
        self.delays = expected
        self.first_unfit: int | None = None
        self._pairs = pairs
        self.task_edges = self.task_edges_logged = 0
        self._raw = raw
        self._level = task_level
        self._record = 0
        self._begun = False
        none = np.empty(0, np.int64)
        self._responses, self._tasks = none, none
        self._span: tuple[LogArray, Int64Array] | None = None
        """Record and sample of the last span upon the agent's task, shapes (1,)."""

    def feed(self, response: Int64Array, task: Int64Array) -> None:
        """Add the edges of the next stretch, shapes (n,), (m,)."""
        self.task_edges += len(task)
        self._responses = np.concatenate([self._responses, response])
        self._tasks = np.concatenate([self._tasks, task])
        if not self._begun and len(self._responses):
            self._begun = True
            self._leave_out_arming()
        while self._take(self._raw.log(self._record, self._wanted())):
            pass

    def _leave_out_arming(self) -> None:
        """Leave out the one edge, in no record, by which arming lowers a pin that was high."""
        early = np.count_nonzero(self._tasks < self._responses[0])
        if self._level and early == 1:
            self._level = 0
            self._tasks = self._tasks[1:]
            self.task_edges -= 1

    def _wanted(self) -> int:
        """Return how many records to read: each edge has one, a task's record may have no edge."""
        return 2 * (len(self._responses) + len(self._tasks)) + 1

    def finish(self) -> None:
        """Count what the log has beyond the last edge."""
        while len(rows := self._raw.log(self._record, CHUNK)):
            self._count(rows)
            self._record += len(rows)

    def _count(self, rows: LogArray) -> Int64Array:
        """Return whether each record changes the task's pin, shape (n,), and keep its level."""
        task = (rows["flags"] & np.uint32(LOG_TASK)) != 0
        changes = np.zeros(len(rows), np.int64)
        level = handled_of(rows[task]) & 1
        if len(level):
            changes[task] = np.diff(level, prepend=self._level) != 0
            self._level = int(level[-1])
        self.task_edges_logged += int(changes.sum())
        return changes

    def _take(self, rows: LogArray) -> bool:
        """Use up the records whose edges are all here; True if there may be more."""
        level, logged = self._level, self.task_edges_logged
        changes = self._count(rows)
        answers = are_answers(rows)
        responses, tasks = np.cumsum(answers), np.cumsum(changes)
        here = (responses <= len(self._responses)) & (tasks <= len(self._tasks))
        n = int(np.count_nonzero(here))  # both sums never fall
        if n < len(rows):
            self._level, self.task_edges_logged = level, logged
            changes = self._count(rows[:n])
        self._match(rows[:n], changes[:n].astype(bool), answers[:n])
        self._record += n
        return 0 < n == len(rows)

    def _match(self, rows: LogArray, changes: BoolArray, answers: BoolArray) -> None:
        n_responses, n_tasks = int(np.count_nonzero(answers)), int(np.count_nonzero(changes))
        sample = np.full(len(rows), -1, np.int64)
        sample[answers] = self._responses[:n_responses]
        sample[changes] = self._tasks[:n_tasks]
        self._responses, self._tasks = self._responses[n_responses:], self._tasks[n_tasks:]
        handled, flags = rows["handled"], rows["flags"]
        if self._span is not None and len(rows) and changes[0]:
            span, at = self._span
            if handled[0] == span["handled"][0]:
                self._add(sample[:1] - at, at, span, rows[:1])
        wanted = np.uint32(LOG_SPAN | LOG_OF_TASK)
        own = (flags & wanted) == wanted
        pairs = own[:-1] & changes[1:] & (handled[1:] == handled[:-1])
        between = (sample[1:] - sample[:-1])[pairs]
        self._add(between, sample[:-1][pairs], rows[:-1][pairs], rows[1:][pairs])
        if len(rows):
            self._span = (rows[-1:].copy(), sample[-1:].copy()) if own[-1] else None

    def _add(
        self, between: Int64Array, at: Int64Array, spans: LogArray, continued: LogArray
    ) -> None:
        """Add times from the handler's edge to the task's, with their begins and both records."""
        self.series.add(between, at)
        self.compared += len(between)
        self.delays, unfit = self._pairs.narrow(self.delays, between, spans, continued)
        wrong = np.flatnonzero(unfit)
        self.unfit += len(wrong)
        if len(wrong) and self.first_unfit is None:
            self.first_unfit = int(handled_of(spans[wrong[:1]])[0])


@dataclass(frozen=True)
class Dispatch:
    """The figures, and the values that they are made of: in ticks, and by pins in samples."""

    figures: DispatchFigures
    ticks: MeasurandSeries
    pins: MeasurandSeries | None
    """Latencies by pins; None if not wired, or if the edges are in doubt."""
    delays: DelayRange
    """Delay of the task's channel less the response's, by the records of both writes."""


def measure_dispatch(
    raw: RawRun,
    settings: Settings,
    responses: int,
    interrupt: DescriptiveStatistics,
    path: PathDelay,
    agreement: ClockAgreement | None = None,
) -> Dispatch:
    """Measure both ways; `responses`: number of the response pin's edges, `path`: what is known of
    the delay of the task's channel less the response's."""
    ticks = TickLatencies()
    for first in range(0, raw.log_count, CHUNK):
        ticks.feed(raw.log(first, CHUNK))
    pins = _by_pins(raw, settings, PinPairs.of(settings, agreement), DelayRange.about(path))
    sound = (
        pins is not None
        and pins.task_edges == pins.task_edges_logged
        and responses == ticks.interrupts
    )
    by_pins = pins.series if pins is not None and sound else None
    figures = DispatchFigures(
        ticks=statistics(ticks.series.histogram, settings.tick_hz or 10**9),
        pins=None if by_pins is None else statistics(by_pins.histogram, settings.sample_rate_hz),
        interrupt=interrupt,
        interrupts=ticks.interrupts,
        of_task=ticks.of_task,
        overtaken=ticks.of_task - ticks.continued,
        task_edges=None if pins is None else pins.task_edges,
        task_edges_logged=0 if pins is None else pins.task_edges_logged,
    )
    if pins is not None and sound:  # else edges may be others' than the records beside them
        figures = replace(
            figures, compared=pins.compared, unfit=pins.unfit, first_unfit=pins.first_unfit
        )
    delays = DelayRange() if pins is None or not sound else pins.delays
    return Dispatch(figures, ticks.series, by_pins, delays)


def dispatch_witnesses(figures: DispatchFigures) -> tuple[Witness, ...]:
    """Return the comparisons of the task's pin with the log, if it is wired."""
    if figures.task_edges is None:
        return ()
    seen, logged = figures.task_edges, figures.task_edges_logged
    found = (Witness("task's pin", seen == logged, f"analyzer {seen}, target log {logged}"),)
    if not figures.compared:
        return found
    text = f"{figures.compared} compared, " + (
        f"{figures.unfit} outside of their records' ticks, the first that of count "
        f"{figures.first_unfit}"
        if figures.unfit
        else "each within its records' ticks, to a sample and a tick"
    )
    return (*found, Witness("dispatch by target log", not figures.unfit, text))


def dispatch_caveats(figures: DispatchFigures) -> tuple[str, ...]:
    """Return the reasons why there may be nothing to judge."""
    if figures.ticks.n or not figures.interrupts:
        return ()
    return (
        f"none of {figures.interrupts} interrupts was seen to fall upon the agent's task; a "
        'the driver\'s handler in a thread cannot tell, [agent] handler = "hard" or "default" can',
    )


def _by_pins(
    raw: RawRun, settings: Settings, pairs: PinPairs, expected: DelayRange
) -> PinLatencies | None:
    wire = settings.wiring.task
    if wire is None:
        return None
    blocks, _ = filtered(raw, settings)
    first = next(iter(raw.edge_blocks()), None)
    level = 0 if first is None else first.levels_before >> wire & 1
    pins = PinLatencies(raw, level, pairs, expected)
    for seen in observe(blocks, settings.wiring, settings.sample_rate_hz):
        pins.feed(seen.response, seen.task)
    pins.finish()
    return pins
