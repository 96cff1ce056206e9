# SPDX-License-Identifier: GPL-3.0-or-later
"""Start and finish of a periodic task, from the log of its two pin writes each period.

Each is taken against the ideal grid below all of its kind (rig.analysis.period): the earliest start
and the earliest finish are at 0. The work is from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rig.analysis.answers import CHUNK, AnswerLog
from rig.analysis.counting import handled_of
from rig.analysis.evidence import Finding
from rig.analysis.measurands.series import Series
from rig.analysis.period import PeriodFit
from rig.analysis.raw import RawRun, Settings
from rig.analysis.witness import Witness
from rig.instruments import LOG_PART_SHIFT, Int64Array, LogArray

PERIOD_NS_MAX = 10**12
START, FINISH = 0, 1


@dataclass
class StartFinish:
    """The three series, and what does not fit."""

    start: Series = field(default_factory=Series)
    finish: Series = field(default_factory=Series)
    work: Series = field(default_factory=Series)
    first_ticks: int | None = None
    last_ticks: int = 0
    pairs: int = 0
    odd: Finding = field(default_factory=Finding)
    """Writes out of turn, or of another period than the one before."""

    def witness(self, handled: int, unanswered: int, dropped: int) -> Witness:
        """`handled`: periods by the agent's count, `unanswered` of them without writes."""
        text = self.odd.text("starts and finishes out of turn, write")
        if not text and not dropped and self.pairs != handled - unanswered:
            text = (
                f"{handled:,} periods counted by the agent, {unanswered:,} of them missed, "
                f"{self.pairs:,} starts and finishes in the log"
            )
        good = f"{self.pairs:,} starts, each with its finish, of {handled:,} periods"
        return Witness("values", not text, text or good)


def start_finish(raw: RawRun, settings: Settings) -> StartFinish:
    """Two passes over the log: the grids, then the values."""
    found, log = StartFinish(), AnswerLog(raw)
    fits = [PeriodFit(_period_ns(settings), settings.tick_hz or 10**9) for _ in (START, FINISH)]
    for number, start, finish in _pairs(log, found):
        fits[START].feed(number, start)
        fits[FINISH].feed(number, finish)
    grids = [fit.grid() for fit in fits]
    for number, start, finish in _pairs(log, StartFinish()):
        if found.first_ticks is None:
            found.first_ticks = int(start[0])
        found.last_ticks = int(finish[-1])
        found.pairs += len(number)
        found.work.add(finish - start, finish)
        for series, grid, ticks in zip(
            (found.start, found.finish), grids, (start, finish), strict=True
        ):
            late = np.zeros(len(number), np.int64)
            series.add(late if grid is None else grid.latencies(number, ticks), ticks)
    return found


def _period_ns(settings: Settings) -> int:
    """As the agent was told; a foreign file may say anything."""
    text = settings.agent.get("period_ns", "")
    digits = text.isascii() and text.isdigit() and len(text) <= len(str(PERIOD_NS_MAX))
    return min(max(1, int(text)), PERIOD_NS_MAX) if digits else 1


def _pairs(
    log: AnswerLog, found: StartFinish
) -> Iterator[tuple[Int64Array, Int64Array, Int64Array]]:
    """Numbers of periods, ticks of their starts and finishes; of each period once, and in order."""
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
            start, finish = (
                each["before_ticks"][good].astype(np.int64) for each in (starts, finishes)
            )
            yield count[good], start, finish


def _part(rows: LogArray) -> Int64Array:
    part: Int64Array = (rows["flags"] >> np.uint32(LOG_PART_SHIFT)).astype(np.int64)
    return part
