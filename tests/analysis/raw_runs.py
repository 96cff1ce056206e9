# SPDX-License-Identifier: GPL-3.0-or-later
"""Raw data of runs in memory, cut into blocks of any length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.wiring import Wiring
from rig.event_source import EventSource
from rig.instruments import LOG_RECORD, EdgeBlock, Int64Array, LogArray

RATE_HZ = 24_000_000
STIMULUS, RESPONSE, TASK = 0, 1, 5
SEQUENCE = (2, 3, 4)

STRICT = Limits(missed=0, late=0)

Edge = tuple[int, int, int]
"""Sample, channel, level."""


@dataclass
class MemoryRun:
    """Implements rig.analysis.model.run_data.RawRun."""

    edges: Sequence[Edge]
    end: int
    records: LogArray = field(default_factory=lambda: np.empty(0, LOG_RECORD))
    block_samples: int = 1 << 40
    captured: Int64Array | None = None
    """By the stimulus's input capture; None: as many as answers, and nobody asks when."""
    levels: int = 0
    """Of all channels before the first sample."""

    def edge_blocks(self) -> Iterator[EdgeBlock]:
        rows = np.array(sorted(self.edges), np.int64).reshape(-1, 3)
        levels = self.levels
        for start in range(0, self.end, self.block_samples):
            stop = min(start + self.block_samples, self.end)
            mine = rows[(rows[:, 0] >= start) & (rows[:, 0] < stop)]
            index, channel, level = mine[:, 0], mine[:, 1], mine[:, 2]
            yield EdgeBlock(
                start, stop, index, channel.astype(np.uint8), level.astype(np.uint8), levels
            )
            for each, high in zip(channel.tolist(), level.tolist(), strict=True):
                levels = levels & ~(1 << each) | high << each

    def losses(self) -> list[tuple[str, int, str]]:
        return []

    @property
    def log_count(self) -> int:
        return len(self.records)

    def log(self, first: int, count: int) -> LogArray:
        return self.records[first : first + count]

    @property
    def capture_count(self) -> int:
        if self.captured is not None:
            return len(self.captured)
        return sum(channel == RESPONSE for _, channel, _ in self.edges)

    def captures(self, first: int, count: int) -> Int64Array:
        if self.captured is None:
            return np.empty(0, np.int64)
        return self.captured[first : first + count]


def toggles(samples: Sequence[int], channel: int = RESPONSE) -> list[Edge]:
    """Edges of a pin that rests low and changes at each of these samples."""
    return [(int(at), channel, (number + 1) % 2) for number, at in enumerate(samples)]


def sequence_edges(samples: Sequence[int], counts: Sequence[int]) -> list[Edge]:
    """Edges of the sequence pins, which take the low bits of the counts at these samples."""
    edges, before = [], 0
    for at, count in zip(samples, counts, strict=True):
        for bit, channel in enumerate(SEQUENCE):
            if (count ^ before) >> bit & 1:
                edges.append((int(at), channel, count >> bit & 1))
        before = count
    return edges


def log_of(rows: Sequence[tuple[int, int, int, int]]) -> LogArray:
    """Records of (handled, before_ticks, after_ticks, flags), numbered."""
    numbered = [(number, *row, 0) for number, row in enumerate(rows)]
    return np.array(numbered, LOG_RECORD)


def settings_of(
    measurement: str,
    source: EventSource | None = None,
    *,
    sequence: bool = False,
    task: bool = False,
    tick_hz: int | None = 10**9,
    limits: Limits = STRICT,
) -> Settings:
    return Settings(
        measurement=measurement,
        scenario="idle",
        sample_rate_hz=RATE_HZ,
        stimulus_clock_hz=16_000_000,
        wiring=Wiring(
            STIMULUS, RESPONSE, SEQUENCE if sequence else (), task=TASK if task else None
        ),
        glitch_samples=5,
        limits=limits,
        source=source,
        tick_hz=tick_hz,
    )
