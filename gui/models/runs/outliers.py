# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds what stands out in a run by its summary, which tells where it is worth to read events."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gui.models.runs.opened import LATENCY_COLUMNS, OpenedRun, latencies
from gui.models.summary.levels import SummaryLevels
from gui.models.summary.rows import BUCKET, Rows
from rig.analysis.model.events import EventClass
from rig.analysis.statistics.outliers import Threshold, stand_out


def next_outlier(
    run: OpenedRun, levels: SummaryLevels, event: int, threshold: Threshold | None, step: int
) -> int | None:
    """The nearest outlier behind (`step` 1) or before (-1) this event; None: there is none.

    Looks at the summary's rows and reads events only where one is. While the summary grows, it
    finds what that covers. Raises InputError for a damaged file.
    """
    base = levels.base
    unusual = _rows_with(base, threshold)
    row = min(max(event, 0) // BUCKET, max(len(base) - 1, 0))
    rows = np.flatnonzero(unusual)
    candidates = rows[rows >= row] if step > 0 else rows[rows <= row][::-1]
    for number in candidates.tolist():
        found = number * BUCKET + _outliers(run, number, threshold)
        found = found[found > event] if step > 0 else found[found < event]
        if len(found):
            return int(found[0 if step > 0 else -1])
    return None


def worst_event(run: OpenedRun, levels: SummaryLevels) -> int | None:
    """The first event with the largest latency; None without any latency."""
    high = levels.base["high"]
    if not len(high) or int(high.max()) < 0:
        return None
    row = int(np.argmax(high))
    latency, answered = latencies(run.events(row * BUCKET, (row + 1) * BUCKET, LATENCY_COLUMNS))
    return row * BUCKET + int(np.argmax(np.where(answered, latency, -1)))


def event_of_latency(run: OpenedRun, levels: SummaryLevels, latency_samples: int) -> int | None:
    """The first event with this very latency; None if there is none in what is summed up so far.

    Raises InputError for a damaged file.
    """
    base = levels.base
    rows = np.flatnonzero((base["low"] <= latency_samples) & (base["high"] >= latency_samples))
    for row in rows.tolist():
        columns = run.events(row * BUCKET, (row + 1) * BUCKET, LATENCY_COLUMNS)
        latency, answered = latencies(columns)
        found = np.flatnonzero(answered & (latency == latency_samples))
        if len(found):
            return row * BUCKET + int(found[0])
    return None


def _rows_with(base: Rows, threshold: Threshold | None) -> npt.NDArray[np.bool_]:
    unusual: npt.NDArray[np.bool_] = (base["kinds"] & ~np.uint8(1 << EventClass.ANSWERED)) != 0
    if threshold is not None:
        unusual = unusual | (base["high"] > threshold.samples)
    return unusual


def _outliers(run: OpenedRun, row: int, threshold: Threshold | None) -> npt.NDArray[np.int64]:
    columns = run.events(row * BUCKET, (row + 1) * BUCKET, LATENCY_COLUMNS)
    above = None if threshold is None else threshold.samples
    return np.flatnonzero(
        stand_out(columns["stimulus_sample"], columns["response_sample"], columns["status"], above)
    )
