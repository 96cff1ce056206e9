# SPDX-License-Identifier: GPL-3.0-or-later
"""Start and finish of a periodic task, from the log of its two pin writes each period and from the
edges that they make.

Each is taken against the ideal grid below all of its kind (see period.py): the earliest start and
the earliest finish are at 0. The work is from one to the other. The interval is from a start to the
next one, less the period.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from rig.analysis.log.contingency import Irregularities
from rig.analysis.log.responses import CHUNK, ResponseLog
from rig.analysis.measurements.period import Grid, PeriodFit
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.task_set import parse_task_set
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.handler_count import handled_of
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.signals.spool import Spool
from rig.analysis.signals.stretches import Stretches
from rig.analysis.uncertainty.series import MeasurandSeries
from rig.instruments import LOG_PART_SHIFT, Int64Array, LogArray

PERIOD_NS_MAX = 10**12
START, FINISH = 0, 1

_Pairs = Iterator[tuple[Int64Array, Int64Array, Int64Array]]
"""Numbers of periods, and when they started and finished, in units of one clock; shapes (n,)."""


@dataclass
class StartFinishSeries:
    """The series of starts, finishes and work, and what does not fit."""

    start: MeasurandSeries = field(default_factory=MeasurandSeries)
    finish: MeasurandSeries = field(default_factory=MeasurandSeries)
    work: MeasurandSeries = field(default_factory=MeasurandSeries)
    interval: MeasurandSeries = field(default_factory=MeasurandSeries)
    """Interval error, in `interval_parts` of a unit."""
    interval_parts: int = 1
    first_ticks: int | None = None
    last_ticks: int = 0
    pairs: int = 0
    odd: Irregularities = field(default_factory=Irregularities)
    """Writes out of turn, or of another period than the one before."""

    def witness(self, handled: int, unanswered: int, dropped: int) -> Witness:
        """Compare with the periods that the agent counted, `unanswered` of them without writes."""
        text = self.odd.text("starts and finishes out of turn, write")
        if not text and not dropped and self.pairs != handled - unanswered:
            text = (
                f"{handled:,} periods counted by the agent, {unanswered:,} of them missed, "
                f"{self.pairs:,} starts and finishes in the log"
            )
        good = f"{self.pairs:,} starts, each with its finish, of {handled:,} periods"
        return Witness("values", not text, text or good)


@dataclass(frozen=True)
class ByPins:
    """Start and finish by the analyzer's clock."""

    seen: StartFinishSeries
    rate_uncertainty_ppm: float | None
    """Standard uncertainty of the rate of the grid below the starts; None with too few."""


def start_finish(raw: RawRun, settings: Settings) -> StartFinishSeries:
    """Return start and finish by the log, in ticks."""
    found, log = StartFinishSeries(), ResponseLog(raw)
    rate_hz = settings.tick_hz or 10**9
    _measure(found, period_ns_of(settings), rate_hz, lambda odd: _ticks(log, odd))
    return found


def by_pins(raw: RawRun, settings: Settings, times: AnswerTimes) -> ByPins | None:
    """Return start and finish by the edges, in samples; None if writes and edges do not match."""
    log = ResponseLog(raw)
    if not log.count or not log.count == times.seen == len(times):
        return None
    found = StartFinishSeries()
    rate_hz = settings.sample_rate_hz
    grid = _measure(found, period_ns_of(settings), rate_hz, lambda odd: _edges(log, times, odd))
    return ByPins(found, None if grid is None else grid.rate_uncertainty_ppm)


def _measure(
    found: StartFinishSeries,
    period_ns: int,
    rate_hz: int,
    pairs: Callable[[StartFinishSeries], _Pairs],
) -> Grid | None:
    """Make two passes: the grids, then the values. Return the starts' grid."""
    fits = _fits(pairs(found), period_ns, rate_hz)
    grids = [fit.grid() for fit in fits]
    found.interval, found.interval_parts = fits[START].errors, fits[START].nominal.parts
    for number, start, finish in pairs(StartFinishSeries()):
        if found.first_ticks is None:
            found.first_ticks = int(start[0])
        found.last_ticks = int(finish[-1])
        found.pairs += len(number)
        found.work.add(finish - start, finish)
        for series, grid, ticks in zip(
            (found.start, found.finish), grids, (start, finish), strict=True
        ):
            series.add(_late(grid, number, ticks), ticks)
    return grids[START]


def _fits(pairs: _Pairs, period_ns: int, rate_hz: int) -> list[PeriodFit]:
    fits = [PeriodFit(period_ns, rate_hz) for _ in (START, FINISH)]
    for number, start, finish in pairs:
        fits[START].feed(number, start)
        fits[FINISH].feed(number, finish)
    return fits


def _late(grid: Grid | None, number: Int64Array, ticks: Int64Array) -> Int64Array:
    return np.zeros(len(number), np.int64) if grid is None else grid.latencies(number, ticks)


def values_by_ticks(raw: RawRun, settings: Settings) -> Iterator[tuple[Int64Array, ...]]:
    """Yield number, start, finish and work of each period, and its start since the first, in ticks;
    shapes (n,)."""
    log, rate_hz = ResponseLog(raw), settings.tick_hz or 10**9
    return _values(lambda: _ticks(log, StartFinishSeries()), period_ns_of(settings), rate_hz)


def values_by_pins(raw: RawRun, settings: Settings) -> Iterator[tuple[Int64Array, ...]] | None:
    """Return the same of the same periods in samples; None if writes and edges do not match."""
    log, times = ResponseLog(raw), AnswerTimes()
    for seen in Stretches(raw, settings, Spool(0, 0)):
        times.add(seen.response)
    if not log.count or not log.count == times.seen == len(times):
        return None
    rate_hz = settings.sample_rate_hz
    return _values(lambda: _edges(log, times, StartFinishSeries()), period_ns_of(settings), rate_hz)


def _values(
    pairs: Callable[[], _Pairs], period_ns: int, rate_hz: int
) -> Iterator[tuple[Int64Array, ...]]:
    grids = [fit.grid() for fit in _fits(pairs(), period_ns, rate_hz)]
    origin: int | None = None
    for number, start, finish in pairs():
        origin = int(start[0]) if origin is None else origin
        starts, finishes = (
            _late(grid, number, ticks) for grid, ticks in zip(grids, (start, finish), strict=True)
        )
        yield number, starts, finishes, finish - start, start - origin


def period_ns_of(settings: Settings) -> int:
    """Return the agent's period, within limits; a foreign file may have any text.

    Of several tasks that is the first one's.
    """
    tasks = parse_task_set(settings.agent).tasks
    text = str(tasks[0].period_ns) if tasks else settings.agent.get("period_ns", "")
    digits = text.isascii() and text.isdigit() and len(text) <= len(str(PERIOD_NS_MAX))
    return min(max(1, int(text)), PERIOD_NS_MAX) if digits else 1


def _ticks(log: ResponseLog, found: StartFinishSeries) -> _Pairs:
    for number, _, starts, finishes in _pairs(log, found):
        start, finish = (each["before_ticks"].astype(np.int64) for each in (starts, finishes))
        yield number, start, finish


def _edges(log: ResponseLog, times: AnswerTimes, found: StartFinishSeries) -> _Pairs:
    for number, place, _, _ in _pairs(log, found):
        first = int(place[0])
        samples = times.read(first, int(place[-1]) + 2 - first)
        yield number, samples[place - first], samples[place - first + 1]


def _pairs(
    log: ResponseLog, found: StartFinishSeries
) -> Iterator[tuple[Int64Array, Int64Array, LogArray, LogArray]]:
    """Yield numbers of periods, those of the answers at their starts, and both records; each
    period once, and in order."""
    highest = 0
    for first in range(0, log.count, CHUNK):  # even: no pair lies across
        rows = log.read(first, CHUNK)
        number = first + np.arange(len(rows))
        found.odd.add(number[_part(rows) != number % 2])
        whole = len(rows) // 2 * 2
        starts, finishes = rows[0:whole:2], rows[1:whole:2]
        count = handled_of(starts)
        before = np.maximum.accumulate(np.concatenate([[highest], count]))
        good = (count > before[:-1]) & (count == handled_of(finishes))
        found.odd.add(number[0:whole:2][~good])
        highest = int(before[-1])
        if good.any():
            yield count[good], number[0:whole:2][good], starts[good], finishes[good]


def _part(rows: LogArray) -> Int64Array:
    part: Int64Array = (rows["flags"] >> np.uint32(LOG_PART_SHIFT)).astype(np.int64)
    return part
