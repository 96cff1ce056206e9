# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains of a spinning task whose every edge is known, and what may be false about them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.sources import SelfMeasured
from rig.instruments import LOG_RECORD, Int64Array
from tests.analysis.raw_runs import RATE_HZ, SEQUENCE, MemoryRun, settings_of
from tests.measure.inside_runs import ORIGIN_TICKS, TICK_HZ, sample_of

PAUSE_NS, THRESHOLD_NS, WRITE_TICKS = 5_000, 20_000, 400
EVERY = 64
"""One toggle in so many is logged in any case."""
BITS = len(SEQUENCE)

PAUSE, BEFORE_EDGE, AFTER_EDGE = range(3)
"""Where a hold-up falls: between two writes, or into one, before or behind its edge."""


@dataclass
class Spun:
    """A run, and when its edges were."""

    raw: MemoryRun
    settings: Settings
    account: InstrumentCounts
    edge_ticks: Int64Array
    """Shape (n,)."""

    @property
    def intervals_ns(self) -> Int64Array:
        """By the target's counter, which runs a little fast; shape (n - 1,)."""
        return np.diff(self.edge_ticks)


def spun(count: int, hold_ups: dict[int, tuple[int, int]], capacity: int = 1 << 30) -> Spun:
    """So many toggles; `hold_ups`: number of a toggle to place and length in ticks."""
    now, last = ORIGIN_TICKS, None
    rows: list[tuple[int, int, int]] = []
    edges = []
    for number in range(1, count + 1):
        place, length = hold_ups.get(number, (PAUSE, 0))
        now += PAUSE_NS + (length if place == PAUSE else 0)
        before = now
        edge = before + WRITE_TICKS // 2 + (length if place == BEFORE_EDGE else 0)
        after = edge + WRITE_TICKS // 2 + (length if place == AFTER_EDGE else 0)
        row = (number, before, after)
        gap = last is not None and after - last[1] > THRESHOLD_NS
        if last is not None and gap and rows[-1] != last:
            rows.append(last)
        if gap or (number - 1) % EVERY == 0 or number == count:
            rows.append(row)
        edges.append(edge)
        now, last = after, row
    return _spun(rows, edges, capacity)


def _spun(rows: list[tuple[int, int, int]], edges: list[int], capacity: int) -> Spun:
    kept = rows[:capacity]
    records = np.array([(n, *row, 0, 0) for n, row in enumerate(kept)], LOG_RECORD)
    samples = [sample_of(ticks) for ticks in edges]
    words = {
        "count": str(len(edges)), "pause_ns": str(PAUSE_NS), "threshold_ns": str(THRESHOLD_NS)
    }  # fmt: skip
    settings = replace(
        settings_of("interrupt", sequence=True, tick_hz=TICK_HZ, limits=Limits(missed=0)),
        measurement="smi", source=SelfMeasured(len(edges)), agent=words, glitch_samples=0,
    )  # fmt: skip
    account = InstrumentCounts(handled=len(edges), log_dropped=len(rows) - len(kept))
    run = MemoryRun(pins(samples), samples[-1] + 1000, records, block_samples=RATE_HZ // 1000)
    return Spun(run, settings, account, np.array(edges))


def pins(samples: list[int]) -> list[tuple[int, int, int]]:
    """Edges of the response pin, and of the sequence pins with the number of each, before it."""
    found = []
    for number, sample in enumerate(samples, 1):
        found.append((sample, 1, number & 1))
        changed = number ^ (number - 1)
        for bit, channel in enumerate(SEQUENCE):
            if changed >> bit & 1:
                found.append((sample, channel, number >> bit & 1))
    return found


# --- lies ---------------------------------------------------------------------------------------


def late_stamp(run: Spun) -> Spun:
    """One write of the pins is stamped 10 us later than it was."""
    records = run.raw.records.copy()
    for name in ("before_ticks", "after_ticks"):
        records[name][len(records) // 2] += np.uint64(10_000)
    return replace(run, raw=replace(run.raw, records=records))


def skipped_gap(run: Spun) -> Spun:
    """The records around one gap are missing, and those behind are numbered as if none were."""
    handled = run.raw.records["handled"].astype(np.int64)
    ticks = run.raw.records["after_ticks"].astype(np.int64)
    gaps = np.flatnonzero((np.diff(handled) == 1) & (np.diff(ticks) > THRESHOLD_NS))
    gone = gaps[len(gaps) // 2]
    records = np.delete(run.raw.records, [gone, gone + 1])
    records["sequence"] = np.arange(len(records))
    return replace(run, raw=replace(run.raw, records=records))


def made_up_gap(run: Spun) -> Spun:
    """The log claims a gap that was none: two writes, the second one stamped as far too late."""
    records = run.raw.records
    first = np.flatnonzero(np.diff(records["handled"].astype(np.int64)) > 2)[2]
    two = records[[first, first]].copy()
    two["handled"] += np.array([1, 2], np.uint64)
    for name in ("before_ticks", "after_ticks"):
        two[name] += np.array([PAUSE_NS, PAUSE_NS + 2 * THRESHOLD_NS], np.uint64)
    records = np.insert(records, first + 1, two)
    records["sequence"] = np.arange(len(records))
    return replace(run, raw=replace(run.raw, records=records))


def wrong_count(run: Spun) -> Spun:
    """The agent counts a toggle that it did not make."""
    return replace(run, account=replace(run.account, handled=(run.account.handled or 0) + 1))


def busy_pin(run: Spun) -> Spun:
    """Somebody else writes the response pin once, between two toggles."""
    toggles = sorted(sample for sample, channel, _ in run.raw.edges if channel == 1)
    half = len(toggles) // 2
    toggles.insert(half + 1, (toggles[half] + toggles[half + 1]) // 2)
    others = [edge for edge in run.raw.edges if edge[1] != 1]
    edges = [(sample, 1, number & 1) for number, sample in enumerate(toggles, 1)]
    return replace(run, raw=replace(run.raw, edges=edges + others))


def lost_edge(run: Spun) -> Spun:
    """The pin did not follow one write."""
    toggles = sorted(sample for sample, channel, _ in run.raw.edges if channel == 1)
    del toggles[len(toggles) // 2]
    others = [edge for edge in run.raw.edges if edge[1] != 1]
    edges = [(sample, 1, number & 1) for number, sample in enumerate(toggles, 1)]
    return replace(run, raw=replace(run.raw, edges=edges + others))


LIES = (late_stamp, skipped_gap, made_up_gap, wrong_count, busy_pin, lost_edge)
