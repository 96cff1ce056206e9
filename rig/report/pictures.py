# SPDX-License-Identifier: GPL-3.0-or-later
"""Data for the plots of a run's events, read from its file once, in pieces of bounded size."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from rig.analysis.statistics.outliers import Outlier, Outliers, limit_samples
from rig.instruments import Int64Array
from rig.record.reader import RunFile
from rig.session.results import Result
from rig.session.windows import CaptureWindow, windows_of

STRETCHES: Final = 240
EVENTS_A_STRETCH: Final = 4
"""Least number of events in a stretch, on average: with fewer the average would be the maximum."""
PAIRS_MAX: Final = 1 << 16
_CHUNK: Final = 1 << 16

Columns = dict[str, Int64Array]
FloatArray = npt.NDArray[np.float64]


@dataclass
class LatencyTimeline:
    """Latencies in samples over the run, by stretches of equal time."""

    first_sample: int
    edges: FloatArray
    """Edges of the stretches in samples, shape (k + 1,)."""
    total: FloatArray
    count: Int64Array
    maximum: FloatArray
    """Sum, number and maximum of the latencies, shapes (k,); -inf where there is none."""

    def add(self, columns: Columns) -> None:
        """Add events."""
        served = columns["response_sample"] >= 0
        stimulus = columns["stimulus_sample"][served]
        latency = (columns["response_sample"][served] - stimulus).astype(np.float64)
        place = np.searchsorted(self.edges, stimulus, side="right") - 1
        place = np.clip(place, 0, len(self.count) - 1)
        np.add.at(self.total, place, latency)
        np.add.at(self.count, place, 1)
        np.maximum.at(self.maximum, place, latency)


@dataclass(frozen=True)
class Waveform:
    """Edges around an event, shapes (n,); see CaptureWindow for the samples that are covered."""

    outlier: Outlier
    index: Int64Array
    channel: Int64Array
    levels_before: int


@dataclass
class Pictures:
    """Data of one run for its plots. What its file does not hold is empty."""

    timeline: LatencyTimeline | None = None
    outliers: Outliers = field(default_factory=lambda: Outliers(None))
    windows: list[CaptureWindow] = field(default_factory=list)
    waveforms: dict[int, Waveform] = field(default_factory=dict)
    """Waveforms by their events."""
    pairs: tuple[FloatArray, FloatArray] | None = None
    """Latencies by the analyzer and by the stimulus's input capture in us, at most PAIRS_MAX."""


def pictures_of(result: Result) -> Pictures:
    """Read the data that the plots need. Raises InputError for a damaged file."""
    found = Pictures()
    if result.samples is None:  # a capture that was not kept as a run file
        return found
    with RunFile(result.path) as file:
        if file.event_count:
            _read_events(found, file, result)
            _read_waveforms(found, file)
            _read_pairs(found, file, result)
    return found


def _read_events(found: Pictures, file: RunFile, result: Result) -> None:
    count = file.event_count
    first = int(file.events(0, 1)["stimulus_sample"][0])
    last = int(file.events(count - 1, count)["stimulus_sample"][0])
    number = min(STRETCHES, count // EVENTS_A_STRETCH + 1)
    found.timeline = LatencyTimeline(
        first_sample=first,
        edges=np.linspace(first, max(last, first + 1), number + 1),
        total=np.zeros(number),
        count=np.zeros(number, np.int64),
        maximum=np.full(number, -np.inf),
    )
    found.outliers = result.outliers or Outliers(limit_samples(result.settings))
    for start in range(0, count, _CHUNK):
        columns = file.events(start, start + _CHUNK)
        found.timeline.add(columns)
        if result.outliers is None:
            edges = columns["stimulus_sample"], columns["response_sample"]
            found.outliers.add(*edges, columns["status"])
    found.windows = windows_of(found.outliers, result.settings, file.covered_samples)


def _read_waveforms(found: Pictures, file: RunFile) -> None:
    worst = () if found.outliers.worst is None else (found.outliers.worst,)
    known = {each.event: each for each in (*found.outliers.first, *worst)}
    for window in found.windows:
        blocks = list(file.edge_blocks(window.first_sample, window.end_sample))
        index, channel = (
            np.concatenate([getattr(block, name) for block in blocks]).astype(np.int64)
            for name in ("index", "channel")
        )
        levels = blocks[0].levels_before
        found.waveforms[window.event] = Waveform(known[window.event], index, channel, levels)


def _read_pairs(found: Pictures, file: RunFile, result: Result) -> None:
    """Read the pairs of the run's first events; the comparison of all is in its figures."""
    compared = result.evaluation.capture
    if compared is None or not compared.n:
        return
    columns = file.events(0, PAIRS_MAX)
    answer, planned = columns["response_edge"], columns["planned_ticks"]
    known = (answer >= 0) & (planned >= 0)
    if not known.any():
        return
    ticks = file.captures(0, int(answer[known].max()) + 1)[answer[known]]
    samples = (columns["response_sample"] - columns["stimulus_sample"])[known].astype(np.float64)
    by_capture = (ticks - planned[known]).astype(np.float64)
    sample_us = 1e6 / result.settings.sample_rate_hz
    found.pairs = samples * sample_us, by_capture * (compared.tick_ns / 1e3)
