# SPDX-License-Identifier: GPL-3.0-or-later
"""A run file that is being looked at: its settings, its events by number, its wires."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gui.models.runs.vetting import vet_in_subprocess
from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.closing import Closing
from rig.config.fixture import RESPONSE, SEQUENCE, STIMULUS, TASK, parse_fixture
from rig.errors import InputError
from rig.instruments import Int64Array
from rig.measurements.registry import measurement_of
from rig.record.layout import CHUNK
from rig.record.reader import RunFile
from rig.session.results import Result
from rig.session.settings_check import checked_settings
from rig.session.stored_results import is_whole, stored_result
from rig.session.windows import channel_names

CHUNKS_KEPT = 256
"""The number of columns' chunks in memory, a quarter of a megabyte each."""
ALL_COLUMNS = ("planned_ticks", "stimulus_sample", "response_sample", "response_edge", "status")
LATENCY_COLUMNS = ("stimulus_sample", "response_sample", "status")
Columns = dict[str, Int64Array]


@dataclass(frozen=True)
class SignalLine:
    """A wire as it is drawn."""

    channel: int
    signal: str
    """The signal on the wire; "" if it has none."""
    name: str
    """The analyzer's name of the channel."""
    color: str
    """The color as the fixture names it; "" if it does not."""


@dataclass(frozen=True)
class Event:
    """A stimulus and what became of it. Times in samples."""

    number: int
    kind: EventClass
    stimulus_sample: int
    response_sample: int
    """The sample of the answer; -1: nothing answered it."""
    planned_ticks: int
    answer: int
    """The number of the answer edge; -1 none."""

    @property
    def latency_samples(self) -> int | None:
        """The latency; None: no answer."""
        return None if self.response_sample < 0 else self.response_sample - self.stimulus_sample


class OpenedRun(Closing):
    """A reader of a run file by parts, which keeps the parts looked at last."""

    def __init__(self, path: Path, *, vetted: bool = False) -> None:
        """Open a file; `vetted`: it was looked at as it is. Raises InputError if it is unusable."""
        if not vetted:
            vet_in_subprocess(path)
        self.path = path
        self.file = RunFile(path)
        try:
            self.settings: Settings = checked_settings(self.file)
            self.result: Result | None = stored_result(self.file)
            """The result as stored; None if no figures are."""
            self.is_whole = self.result is not None and is_whole(self.file, self.result)
            """Whether the result came back with all that is stored of it."""
            self.names = channel_names(self.file)
            self.lines = _lines(self.file, self.settings, self.names)
        except BaseException:
            self.file.close()
            raise
        self.event_count = self.file.event_count
        self._chunks: OrderedDict[tuple[str, int], Int64Array] = OrderedDict()

    @property
    def sample_ns(self) -> float:
        """The length of a sample."""
        return 1e9 / self.settings.sample_rate_hz

    def events(self, first: int, stop: int, names: Iterable[str] = ALL_COLUMNS) -> Columns:
        """Return columns of events first .. stop - 1. Raises InputError for damage there."""
        first, stop = max(first, 0), min(stop, self.event_count)
        return {name: self._column(name, first, stop) for name in names}

    def event(self, number: int) -> Event:
        """Return an event. Raises InputError if there is none of this number."""
        if not 0 <= number < self.event_count:
            valid = (
                f"0 to {self.event_count - 1}" if self.event_count else "none, it holds no events"
            )
            raise InputError(f"{self.path}: no event {number}; valid: {valid}")
        row = {name: int(values[0]) for name, values in self.events(number, number + 1).items()}
        return Event(
            number,
            EventClass(min(max(row["status"], 0), max(EventClass))),
            row["stimulus_sample"],
            row["response_sample"],
            row["planned_ticks"],
            row["response_edge"],
        )

    def event_at(self, sample: int) -> int:
        """Return the last event whose stimulus is at or before this sample; else the first."""
        low, high = 0, max(self.event_count - 1, 0)
        while low < high:
            middle = (low + high + 1) // 2
            if int(self._column("stimulus_sample", middle, middle + 1)[0]) <= sample:
                low = middle
            else:
                high = middle - 1
        return low

    def close(self) -> None:
        """Close the file; may be called twice."""
        self.file.close()

    def _column(self, name: str, first: int, stop: int) -> Int64Array:
        parts = [np.empty(0, np.int64)]
        for chunk in range(first // CHUNK, -(-stop // CHUNK)):
            start = chunk * CHUNK
            parts.append(self._chunk(name, chunk)[max(first - start, 0) : stop - start])
        return parts[1] if len(parts) == 2 else np.concatenate(parts)

    def _chunk(self, name: str, number: int) -> Int64Array:
        rows = self._chunks.pop((name, number), None)
        if rows is None:
            rows = self.file.events(number * CHUNK, (number + 1) * CHUNK, (name,))[name]
        self._chunks[name, number] = rows  # now the one used last
        if len(self._chunks) > CHUNKS_KEPT:
            self._chunks.popitem(last=False)
        return rows


def latencies(columns: Columns) -> tuple[Int64Array, npt.NDArray[np.bool_]]:
    """Return the latency of each event in samples, and whether it has one."""
    response = columns["response_sample"]
    return response - columns["stimulus_sample"], response >= 0


def _lines(file: RunFile, settings: Settings, names: list[str]) -> tuple[SignalLine, ...]:
    """Return the wires in the order of their meaning; without a fixture, those that are used."""
    wiring = settings.wiring
    used: dict[int, str] = {wiring.stimulus: STIMULUS, wiring.response: RESPONSE}
    used |= dict(zip(wiring.sequence, SEQUENCE, strict=False))
    if wiring.task is not None:
        used[wiring.task] = TASK
    if measurement_of(settings.measurement).judges_intervals:  # no stimulus of ours is on a wire
        used.pop(wiring.stimulus)
    colors = _colors(file.text("fixture"))
    return tuple(
        SignalLine(channel, signal, names[channel] if channel < len(names) else f"D{channel}",
             colors.get(channel, ""))
        for channel, signal in used.items()
    )  # fmt: skip


def _colors(fixture_text: str) -> dict[int, Any]:
    if not fixture_text:
        return {}
    try:
        fixture = parse_fixture(fixture_text, "fixture")
    except InputError:  # of another version
        return {}
    return {wire.channel: wire.color for wire in fixture.wires}
