# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that a target measured by itself, of which every value is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.sources import SelfMeasured
from rig.analysis.model.wiring import Wiring
from rig.instruments import LOG_CLOCK, LOG_PART_SHIFT, LOG_RECORD, LOG_VALUE, Int64Array
from rig.measurements.registry import SELF_MEASUREMENTS
from tests.analysis.raw_runs import RATE_HZ, MemoryRun, toggles

TICK_HZ = 10**9
ORIGIN_TICKS = 3_600_000_000_000
PPM = -12.0
"""How much faster than nominal the target's counter runs, by the analyzer's time."""
WRITE_TICKS, READ_TICKS, PAUSE_TICKS = 300, 40, 21_000


@dataclass
class Known:
    """A run and the values that it is made of."""

    raw: MemoryRun
    settings: Settings
    account: InstrumentCounts
    values: Int64Array
    """Shape (iterations, parts)."""


def sample_of(ticks: int) -> int:
    """The first sample at which an edge of that time is seen."""
    seconds = (ticks - ORIGIN_TICKS) / (TICK_HZ * (1 + PPM * 1e-6)) + 1e-3
    return int(np.ceil(seconds * RATE_HZ))


def known_run(
    measurement: str,
    variant: str,
    values: Int64Array,
    *,
    pin: bool = True,
    handled: int | None = None,
    limits: Limits | None = None,
) -> Known:
    """`values`: shape (iterations, parts), in ticks, or ns of a clock."""
    inside = SELF_MEASUREMENTS[measurement]
    words = {"variant": variant, "count": str(len(values))} | ({"pin": "1"} if pin else {})
    rows, edges, now = [], [], ORIGIN_TICKS
    clock_flag = LOG_CLOCK if variant in inside.clocked else 0
    for number, parts in enumerate(values.tolist(), 1):
        now += PAUSE_TICKS
        if variant in inside.by_answers:
            rows.append((number, now, now + parts[0], 0))
            edges.append(sample_of(now + parts[0] // 2))
            now += parts[0]
            continue
        for part, length in enumerate(parts):
            begin = now if not clock_flag else now * 3
            rows.append(
                (number, begin, begin + length, LOG_VALUE | clock_flag | part << LOG_PART_SHIFT)
            )
            now += length
        if pin:
            now += READ_TICKS
            rows.append((number, now, now + WRITE_TICKS, 0))
            edges.append(sample_of(now + WRITE_TICKS // 2))
            now += WRITE_TICKS
    return _known(measurement, words, rows, edges, values, now, handled, limits)


def known_periods(start: Int64Array, work: Int64Array, period_ns: int = 1_000_000) -> Known:
    """Periods that start so late and take so long, shapes (n,), in ticks."""
    words = {"period_ns": str(period_ns), "count": str(len(start)), "pin": "1"}
    rows, edges = [], []
    for number, (late, length) in enumerate(zip(start.tolist(), work.tolist(), strict=True), 1):
        begin = ORIGIN_TICKS + number * period_ns + late
        for part, at in enumerate((begin, begin + length)):
            rows.append((number, at, at + WRITE_TICKS, part << LOG_PART_SHIFT))
            edges.append(sample_of(at + WRITE_TICKS // 2))
    values = np.stack([start, start + work - (start + work).min(), work], axis=1)
    last = rows[-1][2]
    return _known("start_finish", words, rows, edges, values, last, None, None)


def _known(
    measurement: str,
    words: dict[str, str],
    rows: list[tuple[int, int, int, int]],
    edges: list[int],
    values: Int64Array,
    last_ticks: int,
    handled: int | None,
    limits: Limits | None,
) -> Known:
    records = np.array([(n, *row, 0) for n, row in enumerate(rows)], LOG_RECORD)
    end = sample_of(last_ticks) + 1000
    settings = Settings(
        measurement=measurement,
        scenario="idle",
        sample_rate_hz=RATE_HZ,
        stimulus_clock_hz=16_000_000,
        wiring=Wiring(0, 1, ()),
        glitch_samples=0,
        limits=limits or Limits(missed=0),
        tick_hz=TICK_HZ,
        agent=words,
        source=SelfMeasured(len(values)),
    )
    account = InstrumentCounts(handled=len(values) if handled is None else handled)
    return Known(MemoryRun(toggles(edges), end, records), settings, account, values)
