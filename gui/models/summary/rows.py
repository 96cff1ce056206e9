# SPDX-License-Identifier: GPL-3.0-or-later
"""The finest rows of a run's summaries: of each 256 events, and of each 256 edges, one.

What lies between two rows is read from the run file when it is looked at that closely; then it is
a few hundred thousand events or edges at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.instruments import EdgeBlock
from rig.record.reader import RunFile

Rows = npt.NDArray[Any]
BUCKET = 256
"""Events or edges of a row."""
EVENT_ROW = np.dtype([("low", "<i8"), ("high", "<i8"), ("kinds", "u1")])
"""Least and largest latency in samples, and a bit for each class that occurs (1 << class).

Without any latency `low` is above `high`."""
EDGE_ROW = np.dtype([("first", "<i8"), ("last", "<i8"), ("levels", "<u2"), ("mask", "<u2")])
"""Samples of the first and the last edge, levels before the first, channels that have an edge."""
NO_LOW, NO_HIGH = np.iinfo(np.int64).max, -1
_READ = BUCKET << 10
KNOWN_CLASSES = 8


@dataclass(frozen=True)
class SummaryKind:
    """What a summary is of."""

    name: str
    row: np.dtype[Any]

    def count(self, file: RunFile) -> int:
        """Events or edges in the file."""
        return file.event_count if self is EVENTS else file.edge_count

    def rows(self, file: RunFile) -> Iterator[Rows]:
        """All rows in order, some at a time. Raises InputError for a damaged file."""
        return event_rows(file) if self is EVENTS else edge_rows(file)


EVENTS = SummaryKind("events", EVENT_ROW)
EDGES = SummaryKind("edges", EDGE_ROW)
KINDS = {kind.name: kind for kind in (EVENTS, EDGES)}


def row_count(count: int) -> int:
    """Rows for so many events or edges."""
    return -(-count // BUCKET)


def event_rows(file: RunFile) -> Iterator[Rows]:
    """Summary of a run's events."""
    names = ("stimulus_sample", "response_sample", "status")
    for first in range(0, file.event_count, _READ):
        columns = file.events(first, first + _READ, names)
        response = columns["response_sample"]
        latency = response - columns["stimulus_sample"]
        yield rows_of_events(latency, response >= 0, columns["status"])


def rows_of_events(
    latency: npt.NDArray[np.int64], answered: npt.NDArray[np.bool_], kind: npt.NDArray[np.int64]
) -> Rows:
    """Rows of events in order, shapes (n,); where not `answered` the latency does not count."""
    starts = np.arange(0, len(latency), BUCKET)
    rows = np.empty(len(starts), EVENT_ROW)
    if len(starts):
        bits = np.left_shift(1, np.clip(kind, 0, KNOWN_CLASSES - 1)).astype(np.uint8)
        rows["low"] = np.minimum.reduceat(np.where(answered, latency, NO_LOW), starts)
        rows["high"] = np.maximum.reduceat(np.where(answered, latency, NO_HIGH), starts)
        rows["kinds"] = np.bitwise_or.reduceat(bits, starts)
    return rows


def edge_rows(file: RunFile) -> Iterator[Rows]:
    """Summary of a run's edges."""
    index = np.empty(0, np.int64)
    channel = np.empty(0, np.uint8)
    levels: int | None = None
    for block in file.edge_blocks():
        levels = block.levels_before if levels is None else levels
        index = np.concatenate((index, block.index))
        channel = np.concatenate((channel, block.channel))
        whole = len(index) // BUCKET * BUCKET
        if whole:
            rows, levels = rows_of_edges(index[:whole], channel[:whole], levels)
            index, channel = index[whole:], channel[whole:]
            yield rows
    if len(index) and levels is not None:
        yield rows_of_edges(index, channel, levels)[0]


def rows_of_edges(
    index: npt.NDArray[np.int64], channel: npt.NDArray[np.uint8], levels_before: int
) -> tuple[Rows, int]:
    """Rows of edges in order, shapes (n,), n > 0; and the levels after them.

    Each edge of a channel turns its level over, so levels follow from counting.
    """
    starts = np.arange(0, len(index), BUCKET)
    rows = np.empty(len(starts), EDGE_ROW)
    rows["first"] = index[starts]
    rows["last"] = index[np.minimum(starts + BUCKET, len(index)) - 1]
    bits = np.left_shift(1, channel.astype(np.int64) & 15).astype(np.uint16)
    rows["mask"] = np.bitwise_or.reduceat(bits, starts)
    turned = np.bitwise_xor.reduceat(bits, starts)
    after = np.bitwise_xor.accumulate(turned) ^ np.uint16(levels_before & 0xFFFF)
    rows["levels"][0] = levels_before & 0xFFFF
    rows["levels"][1:] = after[:-1]
    return rows, int(after[-1])


def joined_blocks(blocks: Iterator[EdgeBlock]) -> EdgeBlock:
    """Blocks that follow each other, at least one, as one."""
    every = list(blocks)
    return EdgeBlock(
        every[0].start_sample,
        every[-1].end_sample,
        np.concatenate([b.index for b in every]),
        np.concatenate([b.channel for b in every]),
        np.concatenate([b.level for b in every]),
        every[0].levels_before,
    )
