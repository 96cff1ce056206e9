# SPDX-License-Identifier: GPL-3.0-or-later
"""All that the page shows of one run, read from its file once, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.analysis.log.contingency import LogTally
from rig.analysis.log.responses import are_answers
from rig.analysis.statistics.outliers import Outliers, limit_samples
from rig.instruments import LOG_COALESCED
from rig.record.reader import RunFile
from rig.session.results import Result
from rig.session.windows import Window, windows_of
from rig.untrusted.json_reader import json_value
from rig.untrusted.toml_reader import toml_table

STRETCHES = 240
EVENTS_A_STRETCH = 4
"""At least, on average: with fewer the average would be the maximum."""
PAIRS_MAX = 1 << 16
LOG_MAX = 1 << 18
"""Records of a log that are read at once."""
_CHUNK = 1 << 16

Columns = dict[str, npt.NDArray[np.int64]]
FloatArray = npt.NDArray[np.float64]


@dataclass
class Timeline:
    """Latencies in samples over the run, by stretches of equal time."""

    first_sample: int
    edges: FloatArray
    """Shape (k + 1,), samples."""
    total: FloatArray
    count: npt.NDArray[np.int64]
    maximum: FloatArray
    """Shapes (k,); -inf where there is none."""


@dataclass
class PageData:
    """One run, ready to be drawn. What its file does not hold is empty."""

    result: Result
    drawn: bool = True
    """False: only what is told in words is wanted, and read."""
    environment: dict[str, Any] = field(default_factory=dict)
    """Party to what it said of itself."""
    fixture: dict[str, Any] = field(default_factory=dict)
    losses: list[tuple[str, int, str]] = field(default_factory=list)
    timeline: Timeline | None = None
    outliers: Outliers = field(default_factory=lambda: Outliers(None))
    windows: list[Window] = field(default_factory=list)
    waveforms: dict[int, Columns] = field(default_factory=dict)
    """Event to its edges: `index`, `channel`, `level`; see Window for the samples covered."""
    levels: dict[int, int] = field(default_factory=dict)
    """Event to the levels before its window."""
    log: LogTally | None = None
    pairs: tuple[FloatArray, FloatArray] | None = None
    """Latencies by the analyzer and by the stimulus's input capture in us, at most PAIRS_MAX."""

    @property
    def unit_hz(self) -> int:
        """Of the values of the run's histogram: samples, or what the target itself counts in."""
        return self.result.unit_hz

    @property
    def sample_us(self) -> float:
        """Sample period."""
        return 1e6 / self.result.settings.sample_rate_hz


def page_data(result: Result, *, drawn: bool = True) -> PageData:
    """Read what the page needs; unless it is drawn, no event. Raises InputError for a damaged file.

    A very long log is read for a drawn page only: reading it takes as long as drawing.
    """
    data = PageData(result, drawn)
    if result.samples is None:  # a capture that was not kept as a run file
        return data
    with RunFile(result.path) as file:
        _read_texts(data, file)
        data.losses = file.losses()
        if drawn:
            _read_events(data, file)
            _read_waveforms(data, file)
            _read_pairs(data, file)
        if drawn or file.log_count <= LOG_MAX:
            _read_log(data, file)
    return data


def _read_texts(data: PageData, file: RunFile) -> None:
    texts = file.texts()
    for name, text in texts.items():
        if name.startswith("environment/"):
            data.environment[name.removeprefix("environment/")] = _object(text)
    try:
        data.fixture = toml_table(texts.get("fixture", ""))
    except ValueError:
        data.fixture = {}


def _object(text: str) -> dict[str, Any]:
    try:
        value = json_value(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _chunks(file: RunFile) -> Iterator[Columns]:
    for first in range(0, file.event_count, _CHUNK):
        yield file.events(first, first + _CHUNK)


# --- events -------------------------------------------------------------------------------------


def _read_events(data: PageData, file: RunFile) -> None:
    count = file.event_count
    if not count:
        return
    first = int(file.events(0, 1)["stimulus_sample"][0])
    last = int(file.events(count - 1, count)["stimulus_sample"][0])
    number = min(STRETCHES, count // EVENTS_A_STRETCH + 1)
    timeline = Timeline(
        first,
        np.linspace(first, max(last, first + 1), number + 1),
        np.zeros(number),
        np.zeros(number, np.int64),
        np.full(number, -np.inf),
    )
    known, settings = data.result.outliers, data.result.settings
    outliers = known or Outliers(limit_samples(settings))
    for columns in _chunks(file):
        _add_to_timeline(timeline, columns)
        if known is None:
            outliers.add(columns["stimulus_sample"], columns["response_sample"], columns["class"])
    data.timeline, data.outliers = timeline, outliers
    data.windows = windows_of(outliers, settings, file.covered_samples)


def _add_to_timeline(timeline: Timeline, columns: Columns) -> None:
    served = columns["response_sample"] >= 0
    stimulus = columns["stimulus_sample"][served]
    latency = columns["response_sample"][served] - stimulus
    place = np.searchsorted(timeline.edges, stimulus, side="right") - 1
    place = np.clip(place, 0, len(timeline.count) - 1)
    np.add.at(timeline.total, place, latency.astype(np.float64))
    np.add.at(timeline.count, place, 1)
    np.maximum.at(timeline.maximum, place, latency.astype(np.float64))


# --- waveforms ----------------------------------------------------------------------------------


def _read_waveforms(data: PageData, file: RunFile) -> None:
    for window in data.windows:
        blocks = list(file.edge_blocks(window.first_sample, window.end_sample))
        data.waveforms[window.event] = {
            name: np.concatenate([getattr(block, name) for block in blocks]).astype(np.int64)
            for name in ("index", "channel", "level")
        } | {
            name: column[:1] for name, column in file.events(window.event, window.event + 1).items()
        }
        data.levels[window.event] = blocks[0].levels_before


# --- the second witness -------------------------------------------------------------------------


def _read_pairs(data: PageData, file: RunFile) -> None:
    """Of the run's first events; the comparison of all of them is in its figures."""
    compared = data.result.evaluation.capture
    if compared is None or not compared.n or not file.event_count:
        return
    columns = file.events(0, PAIRS_MAX)
    answer, planned = columns["answer"], columns["planned_ticks"]
    known = (answer >= 0) & (planned >= 0)
    if not known.any():
        return
    ticks = file.captures(0, int(answer[known].max()) + 1)[answer[known]]
    samples = (columns["response_sample"] - columns["stimulus_sample"])[known].astype(np.float64)
    by_capture = (ticks - planned[known]).astype(np.float64)
    data.pairs = samples * data.sample_us, by_capture * (compared.tick_ns / 1e3)


# --- the target's log ---------------------------------------------------------------------------


def _read_log(data: PageData, file: RunFile) -> None:
    """The tally of handler counts."""
    if not file.log_count:
        return
    tally = LogTally()
    for first in range(0, file.log_count, _CHUNK):
        rows = file.log(first, _CHUNK)
        rows = rows[are_answers(rows)]
        handled = np.minimum(rows["handled"], np.uint64(2**62)).astype(np.int64)
        tally.feed(handled, rows["flags"] & LOG_COALESCED != 0)
    data.log = tally
