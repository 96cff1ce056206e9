# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stretch of events is drawn from: a row a pixel column, however many events there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gui.models.runs.opened import LATENCY_COLUMNS, OpenedRun, latencies
from gui.models.summary.levels import SummaryLevels, reduced
from gui.models.summary.rows import BUCKET, EVENT_ROW, KNOWN_CLASSES, NO_HIGH, NO_LOW, Rows

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EventColumns:
    """Least and largest latency of each pixel column, or each event if they are fewer."""

    x: Floats
    """Shape (k,), pixels from the left."""
    rows: Rows
    """Shape (k,), dtype EVENT_ROW."""
    single: bool
    """A row is one event."""


def columns_of(
    run: OpenedRun, levels: SummaryLevels, first: float, stop: float, width: int
) -> EventColumns:
    """Events [first, stop) across `width` pixels. Raises InputError if the file is damaged."""
    rows = levels.columns(first, stop, width)
    if rows is not None:
        middles = np.arange(len(rows)).astype(np.float64) + 0.5
        return EventColumns(middles, rows, single=False)
    low, high = max(int(first), 0), min(int(np.ceil(stop)), run.event_count)
    events = _rows_of(run, low, high)
    x = (np.arange(low, high) + 0.5 - first) * (width / (stop - first))
    if len(events) <= width // 3:
        return EventColumns(x.astype(np.float64), events, single=True)
    column = np.clip(x.astype(np.int64), 0, width - 1)
    starts = np.flatnonzero(np.diff(column, prepend=-1))
    middles = column[starts].astype(np.float64) + 0.5
    return EventColumns(middles, reduced(events, starts), single=False)


def _rows_of(run: OpenedRun, low: int, high: int) -> Rows:
    """A row for each event."""
    columns = run.events(low, high, LATENCY_COLUMNS)
    latency, answered = latencies(columns)
    rows = np.empty(len(latency), EVENT_ROW)
    rows["low"] = np.where(answered, latency, NO_LOW)
    rows["high"] = np.where(answered, latency, NO_HIGH)
    rows["kinds"] = np.left_shift(1, np.clip(columns["status"], 0, KNOWN_CLASSES - 1))
    return rows


def event_near(run: OpenedRun, levels: SummaryLevels, first: float, stop: float) -> int | None:
    """The slowest event of a stretch, or the first unanswered one if none was answered.

    What one means who points at a column. None for a stretch without events.
    """
    low, high = max(int(first), 0), min(max(int(np.ceil(stop)), int(first) + 1), run.event_count)
    if low >= high:
        return None
    if high - low > 2 * BUCKET:
        base = levels.base[low // BUCKET : -(-high // BUCKET)]
        if not len(base):
            return None
        row = low // BUCKET + int(np.argmax(base["high"]))
        low, high = max(low, row * BUCKET), min(high, (row + 1) * BUCKET)
    latency, answered = latencies(run.events(low, high, LATENCY_COLUMNS))
    return low + int(np.argmax(np.where(answered, latency, -1)))
