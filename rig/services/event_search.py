# SPDX-License-Identifier: GPL-3.0-or-later
"""The search for an event by its latency and time, in a run that goes on, or that has ended.

Of periods the latency is how far an interval is off the period, either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rig.analysis.measurements.period import NominalPeriod
from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.analysis.signals.glitch import GlitchFilter
from rig.errors import InputError
from rig.instruments import EdgeBlock, Int64Array
from rig.measurements.registry import measurement_of
from rig.record.layout import CHUNK
from rig.record.reader import RunFile
from rig.services.event_query import ANY, EventQuery, NotableEvent
from rig.streaming.flow import Flow

EDGES_MAX: Final = 1 << 24
"""The most edges looked through in a run that goes on: a few seconds."""
NOTABLE_EDGES_MAX: Final = 1 << 22
"""The most edges looked through for an event by its number: less than half a second."""
PIECE: Final = 256
"""The edges at a time: a flow keeps as many notable events until they are taken."""
LATENCY_COLUMNS: Final = ("stimulus_sample", "response_sample", "status")
SEEN: Final = "seen"
"""The reason of an event that was asked for."""


@dataclass(frozen=True)
class Batch:
    """Some events in order, arrays of shape (n,)."""

    number: Int64Array
    stimulus: Int64Array
    response: Int64Array
    latency: Int64Array
    """The latency of each, -1 for none."""
    kind: Int64Array

    def best(self, wanted: EventQuery) -> tuple[int, NotableEvent] | None:
        """Return the slowest that is wanted, the first of several, with its latency, or None."""
        fits = (self.stimulus >= wanted.first_sample) & (self.stimulus < wanted.end_sample)
        if wanted.kinds:
            fits &= np.isin(self.kind, wanted.kinds)
        else:
            fits &= (self.latency >= wanted.low) & (self.latency < wanted.high)
        if not fits.any():
            return None
        at = int(np.argmax(np.where(fits, self.latency, -2)))
        stimulus, response = int(self.stimulus[at]), int(self.response[at])
        return int(self.latency[at]), NotableEvent(int(self.number[at]), stimulus, response, SEEN)


def find_event(run: RunFile, settings: Settings, wanted: EventQuery) -> NotableEvent | None:
    """Find the slowest event that is wanted, or, where any time will do, the first; None if none.

    Raises InputError for a damaged file, for a run without events of its own, and for one that goes
    on if it is too long already.
    """
    _check_has_events(run, settings)
    found: tuple[int, NotableEvent] | None = None
    for batch in _batches(run, settings, wanted):
        one = batch.best(wanted)
        if one is not None and (found is None or one[0] > found[0]):
            found = one
        if found is not None and wanted.end_sample == ANY:
            break
    return None if found is None else found[1]


def worst_interval(run: RunFile, settings: Settings) -> NotableEvent | None:
    """Find the answer at the end of the worst interval of a finished run of periods."""
    return find_event(run, settings, EventQuery(end_sample=ANY - 1))


def find_live_event(run: RunFile, settings: Settings, event: int) -> tuple[int, int]:
    """Find the samples of a notable event's edges (a maximum, late, missed) in a run that goes on.

    No answer is -1. It is the same pass that the live figures come from. Raises InputError if it is
    not found: it is not notable, still undecided, the run too long already, or one without events
    of its own.
    """
    _check_has_events(run, settings)
    if run.edge_count <= NOTABLE_EDGES_MAX and _interval_ns(settings) is None:
        flow = _flow(settings, None)
        for block in run.edge_blocks():
            flow.feed_block(block)
            for notable in flow.take_notable():
                if notable.event == event:
                    return notable.stimulus_sample, notable.response_sample
    raise InputError(f"{run.path}: event {event} can be shown when the run has ended")


def _check_has_events(run: RunFile, settings: Settings) -> None:
    """Check that a run has events. Raises InputError if not: the target measured by itself."""
    if not measurement_of(settings.measurement).has_events:
        raise InputError(
            f"{run.path}: measured inside the target, whose log tells the values: "
            "no waveform of a single one"
        )


def _interval_ns(settings: Settings) -> int | None:
    """Return the time from one answer to the next, where intervals are judged, None elsewhere."""
    return measurement_of(settings.measurement).nominal_interval_ns(settings)


def _flow(settings: Settings, limit: int | None) -> Flow:
    horizon = settings.sample_rate_hz // 10
    return Flow(settings.wiring, settings.sample_rate_hz, settings.glitch_samples, horizon, limit)


def _batches(run: RunFile, settings: Settings, wanted: EventQuery) -> Iterator[Batch]:
    interval_ns = _interval_ns(settings)
    if run.event_count:
        if interval_ns is None:
            return _stored(run, wanted)
        return _stored_periods(run, settings, interval_ns)
    if run.edge_count > EDGES_MAX:
        raise InputError(f"{run.path}: an event can be looked for when the run has ended")
    if interval_ns is None:
        return _live(run, settings, wanted)
    return _live_periods(run, settings, interval_ns)


def _stored(run: RunFile, wanted: EventQuery) -> Iterator[Batch]:
    first = _event_at(run, wanted.first_sample)
    for start in range(first - first % CHUNK, run.event_count, CHUNK):
        columns = run.events(start, start + CHUNK, LATENCY_COLUMNS)
        stimulus, response = columns["stimulus_sample"], columns["response_sample"]
        if int(stimulus[0]) >= wanted.end_sample:
            break
        latency = np.where(response < 0, -1, response - stimulus)
        number = np.arange(start, start + len(stimulus))
        yield Batch(number, stimulus, response, latency, columns["status"])


def _event_at(run: RunFile, sample: int) -> int:
    """Return the last event whose stimulus is at or before this sample; the first one else."""
    low, high = 0, max(run.event_count - 1, 0)
    while low < high:
        middle = (low + high + 1) // 2
        stimulus = run.events(middle, middle + 1, ("stimulus_sample",))["stimulus_sample"]
        if int(stimulus[0]) <= sample:
            low = middle
        else:
            high = middle - 1
    return low


def _stored_periods(run: RunFile, settings: Settings, interval_ns: int) -> Iterator[Batch]:
    nominal = NominalPeriod(interval_ns, settings.sample_rate_hz)
    before: int | None = None
    for start in range(0, run.event_count, CHUNK):
        columns = run.events(start, start + CHUNK, LATENCY_COLUMNS)
        response = columns["response_sample"]
        latency = np.full(len(response), -1, np.int64)
        answered = np.flatnonzero(response >= 0)
        latency[answered], before = _off(nominal, response[answered], before)
        number = np.arange(start, start + len(response))
        yield Batch(number, columns["stimulus_sample"], response, latency, columns["status"])


def _off(
    nominal: NominalPeriod, sample: Int64Array, before: int | None
) -> tuple[Int64Array, int | None]:
    """Return how far intervals that end at `sample` are off, -1 for the first; the last answer."""
    if not len(sample):
        return np.empty(0, np.int64), before
    start = int(sample[0]) if before is None else before
    errors = np.diff(sample, prepend=start) * nominal.parts - nominal.units
    off = np.abs(errors) // nominal.parts
    if before is None:
        off[0] = -1
    return off, int(sample[-1])


def _live(run: RunFile, settings: Settings, wanted: EventQuery) -> Iterator[Batch]:
    """Yield events by the pass of the live figures, for which what is wanted is notable."""
    horizon = settings.sample_rate_hz // 10
    flow = _flow(settings, max(min(wanted.low, ANY - 1) - 1, 0))
    for block in run.edge_blocks(0, wanted.first_sample):
        flow.feed_block(block)
        flow.take_notable()
    for block in run.edge_blocks(wanted.first_sample, wanted.end_sample + horizon):
        for piece in pieces(block):
            flow.feed_block(piece)
            found = flow.take_notable()
            if found:
                yield _batch([(n.event, n.stimulus_sample, n.response_sample, n.kind)
                              for n in found])  # fmt: skip


def _live_periods(run: RunFile, settings: Settings, interval_ns: int) -> Iterator[Batch]:
    """Yield answers by their edges; what is not answered has none, and no number of its own yet."""
    nominal = NominalPeriod(interval_ns, settings.sample_rate_hz)
    clean, count, before = GlitchFilter(settings.glitch_samples), 0, None
    for block in run.edge_blocks():
        edges = clean.feed(block)
        mine = edges.channel == settings.wiring.response
        if settings.wiring.answer_level is not None:
            mine &= edges.level == settings.wiring.answer_level
        sample = edges.index[mine]
        period = round(nominal.units / nominal.parts)
        ahead = sample[:1] - period if before is None else np.array([before])
        due = np.concatenate((ahead, sample[:-1]))[: len(sample)] + period
        off, before = _off(nominal, sample, before)
        number = np.arange(count, count + len(sample))
        count += len(sample)
        kind = np.full(len(sample), int(EventClass.ANSWERED), np.int64)
        yield Batch(number, due, sample, off, kind)


def _batch(rows: list[tuple[int, int, int, EventClass]]) -> Batch:
    number, stimulus, response, kind = np.array(rows, np.int64).T
    return Batch(number, stimulus, response, np.where(response < 0, -1, response - stimulus), kind)


def pieces(block: EdgeBlock) -> Iterator[EdgeBlock]:
    """Yield a block in parts of about PIECE edges, none of which ends amid edges of one sample."""
    index, at, start, levels = block.index, 0, block.start_sample, block.levels_before
    while start < block.end_sample:
        last = at + PIECE >= len(index)
        stop = block.end_sample if last else int(index[at + PIECE - 1]) + 1
        upto = len(index) if last else int(np.searchsorted(index, stop))
        channel = block.channel[at:upto]
        yield EdgeBlock(start, stop, index[at:upto], channel, block.level[at:upto], levels)
        levels ^= _turned(channel)
        at, start = upto, stop


def _turned(channel: npt.NDArray[np.uint8]) -> int:
    """Return the channels with an odd number of edges, as a bit mask."""
    odd = np.flatnonzero(np.bincount(channel, minlength=1) & 1)
    return sum(1 << int(each) for each in odd)
