# SPDX-License-Identifier: GPL-3.0-or-later
"""Single lies, told in the raw data of a finished run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tests.analysis.whole_bench import RATE_HZ, RESPONSE, TICK_HZ, ArrayRun

SAMPLE_TICKS = -(-TICK_HZ // RATE_HZ)
"""What an edge's sample leaves open."""
DRIFT_TICKS = 30
"""And what the clocks may drift in the shortest stretch that is looked at, about 10 ns."""


@dataclass(frozen=True)
class Lie:
    """What is false now, and what must be said of it."""

    raw: ArrayRun
    named: tuple[str, ...]
    """Words that the verdict's reasons must have."""


def answer_edges(raw: ArrayRun) -> np.ndarray:
    """Rows of the answers among the edges; glitches are left out."""
    rows = np.flatnonzero(raw.channel == RESPONSE)
    short = np.diff(raw.index[rows]) < 5
    return rows[~(np.append(short, False) | np.insert(short, 0, False))]


def shift_record(raw: ArrayRun, number: int, way: int) -> Lie:
    """The log says that an answer came later (way 1) or earlier (-1), by more than its bracket."""
    records = raw.records.copy()
    width = int(records["after_ticks"][number]) - int(records["before_ticks"][number]) + 1
    ticks = np.uint64(width + SAMPLE_TICKS + DRIFT_TICKS)
    for name in ("before_ticks", "after_ticks"):
        moved = records[name][number]
        records[name][number] = moved + ticks if way > 0 else moved - ticks
    said = f"too {'late' if way > 0 else 'early'} for its edge"
    sample = int(raw.index[answer_edges(raw)[number]])
    return Lie(replace(raw, records=records), (f"event {number:,} (sample {sample:,})", said))


def move_edge(raw: ArrayRun, number: int, way: int) -> Lie:
    """The analyzer says that an answer came some samples later (way 1) or earlier (-1)."""
    index, row = raw.index.copy(), answer_edges(raw)[number]
    index[row] += way * 6
    order = np.argsort(index, kind="stable")
    moved = replace(raw, index=index[order], channel=raw.channel[order], level=raw.level[order])
    said = f"too {'early' if way > 0 else 'late'} for its edge"
    return Lie(moved, (f"event {number:,} (sample {int(index[row]):,})", said))


def drop_record(raw: ArrayRun, number: int, way: int) -> Lie:
    """A record is gone; way -1: and those behind it are numbered anew, to hide it."""
    records = np.delete(raw.records, number)
    if way < 0:
        records["sequence"] = np.arange(len(records))
    return Lie(replace(raw, records=records), (f"record {number:,} is missing: edge {number:,}",))


def drop_edge(raw: ArrayRun, number: int, way: int) -> Lie:
    """An answer's edge is gone; way -1: and the levels behind it are turned round, to hide it."""
    row = answer_edges(raw)[number]
    level = raw.level.copy()
    if way < 0:
        later = np.arange(len(level)) > row
        level[later & (raw.channel == RESPONSE)] ^= 1
    kept = replace(
        raw,
        index=np.delete(raw.index, row),
        channel=np.delete(raw.channel, row),
        level=np.delete(level, row),
    )
    return Lie(kept, (f"edge {number:,} is missing: record {number:,}",))


LIES: dict[str, Callable[[ArrayRun, int, int], Lie]] = {
    "record shifted": shift_record,
    "edge moved": move_edge,
    "record dropped": drop_record,
    "edge dropped": drop_edge,
}
