# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench's own model without its processes: a run as arrays, and what was true of it.

The target, its faults, its log and the clocks are those of `rig.virtual`. Only the microcontroller
and the wires are played here: the train's edges leave at their exact ticks, and the input capture
latches each answer at its tick and is blind to glitches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.wiring import Wiring
from rig.config.virtual.bench import FaultSettings, LatencyModel, MixtureModel, VirtualTarget
from rig.instruments import EdgeBlock, Int64Array, LogArray
from rig.stimulus.train import Pattern, Polarity, Train
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.clock import VirtualClock
from rig.virtual.target import BOOT_TICKS, ModelledTarget
from rig.virtual.truth import TruthLog, load_truth
from tests.chip import CLOCK_HZ

RATE_HZ = 24_000_000
TICK_HZ = 2_800_000_000
STIMULUS, RESPONSE, SEQUENCE = 0, 1, (2, 3, 4)
US = 10**6
"""Picoseconds."""
ORIGIN_PS = 700 * US
"""The capture begins."""
INIT_TICKS = 16_000
"""The microcontroller starts the train."""
GLITCH_PS = 120_000
BLOCK = 1 << 12
MODEL = MixtureModel(6 * US, US // 2, 4 * US, 0.01, 60 * US)


def faults(probability: float, late: float) -> FaultSettings:
    """Each fault that often, `late` apart."""
    return FaultSettings(
        miss=probability,
        duplicate=probability,
        duplicate_after_ps=40 * US,
        late=late,
        late_by_ps=700 * US,
        glitch=probability,
        glitch_width_ps=GLITCH_PS,
        merge=probability,
        merge_mask_ps=800 * US,
    )


@dataclass(frozen=True)
class Clocks:
    """Errors at first, in ppb, and drifts, in ppb/s: stimulus, analyzer, target."""

    error_ppb: tuple[int, int, int]
    drift_ppb_per_s: tuple[int, int, int]

    @classmethod
    def drawn(cls, seed: int) -> Clocks:
        """Skews within 200 ppm; each drifts 0.1 ppm/s, one way or the other."""
        rng = np.random.default_rng((seed, 77))
        error = tuple(rng.integers(-200_000, 200_001, 3).tolist())
        return cls(error, tuple(rng.choice([-100, 100], 3).tolist()))

    @property
    def stimulus(self) -> VirtualClock:
        return VirtualClock(CLOCK_HZ, self.error_ppb[0], 0, self.drift_ppb_per_s[0])

    @property
    def analyzer(self) -> VirtualClock:
        """From the time of its first sample."""
        return VirtualClock(RATE_HZ, self.error_ppb[1], 0, self.drift_ppb_per_s[1])

    @property
    def target(self) -> VirtualClock:
        return VirtualClock(TICK_HZ, self.error_ppb[2], BOOT_TICKS, self.drift_ppb_per_s[2])

    def rate_ppm(self, first_ps: int, last_ps: int, origin_ps: int = ORIGIN_PS) -> float:
        """True mean rate of the target's ticks by the analyzer's samples, against nominal."""
        ticks = self.target.ticks(last_ps) - self.target.ticks(first_ps)
        samples = self.analyzer.ticks(last_ps - origin_ps) - self.analyzer.ticks(
            first_ps - origin_ps
        )
        return (ticks / samples * RATE_HZ / TICK_HZ - 1) * 1e6


def train_of(seed: int, count: int, least_us: int = 200, most_us: int = 600) -> Train:
    """Uniformly random intervals."""
    return Train(
        Pattern.UNIFORM, count, seed, 16_000, 160, Polarity.POSITIVE,
        interval_min_ticks=least_us * 16, interval_max_ticks=most_us * 16,
    )  # fmt: skip


@dataclass
class ArrayRun:
    """Implements rig.analysis.model.run_data.RawRun on arrays, which a test may change."""

    index: Int64Array
    channel: np.ndarray
    level: np.ndarray
    end: int
    records: LogArray
    captured: Int64Array

    @classmethod
    def of(cls, raw: RawRun) -> ArrayRun:
        """All of a run, in memory."""
        blocks = list(raw.edge_blocks())
        return cls(
            np.concatenate([block.index for block in blocks]),
            np.concatenate([block.channel for block in blocks]),
            np.concatenate([block.level for block in blocks]),
            blocks[-1].end_sample,
            raw.log(0, raw.log_count).copy(),
            raw.captures(0, raw.capture_count).copy(),
        )

    def edge_blocks(self) -> Iterator[EdgeBlock]:
        levels, start = 0, 0
        for first in range(0, len(self.index), BLOCK):
            part = slice(first, first + BLOCK)
            index, channel, level = self.index[part], self.channel[part], self.level[part]
            last = first + BLOCK >= len(self.index)
            end = self.end if last else int(index[-1]) + 1
            yield EdgeBlock(start, end, index, channel, level, levels)
            start = end
            for each in np.unique(channel).tolist():
                high = int(level[channel == each][-1])
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
        return len(self.captured)

    def captures(self, first: int, count: int) -> Int64Array:
        return self.captured[first : first + count]


@dataclass
class WholeRun:
    """A finished run, and what was true of it."""

    raw: ArrayRun
    settings: Settings
    account: InstrumentCounts
    truth: Any
    """Dtype TRUTH, a row for each stimulus."""
    clocks: Clocks
    answers: Int64Array = field(default_factory=lambda: np.empty(0, np.int64))
    """True times of the answer edges, duplicates too, in ps."""

    def with_raw(self, raw: ArrayRun, **told: Any) -> WholeRun:
        """The same, with other raw data."""
        return replace(self, raw=raw, account=replace(self.account, **told))


def whole_run(
    folder: Path,
    seed: int,
    train: Train,
    *,
    misbehavior: FaultSettings | None = None,
    model: LatencyModel = MODEL,
    sequence_bits: int = 3,
    clocks: Clocks | None = None,
) -> WholeRun:
    """Play a run of the bench. `folder`: where the truth log goes."""
    clocks = clocks or Clocks.drawn(seed)
    target_settings = VirtualTarget(
        model, seed, 50_000, TICK_HZ, clocks.error_ppb[2], clocks.drift_ppb_per_s[2]
    )
    wires = AnswerWires(RESPONSE, SEQUENCE[:sequence_bits])
    path = folder / f"truth-{seed}.bin"
    with (
        TruthLog(path) as truth,
        ModelledTarget(target_settings, misbehavior or FaultSettings(), wires, truth) as target,
    ):
        target.arm(min(train.count * 2, target.log_records), sequence_bits, rising=True)
        edges = _play(target, train, clocks.stimulus)
        summary = target.stop()
        records = target.log(0, summary.records).copy()
        truth.finish({})
    rows = np.array(sorted(edges), np.int64)
    answers = rows[rows[:, 1] == RESPONSE, 0]
    answers = answers[~_glitches(answers)]
    raw = ArrayRun(
        _ticks(clocks.analyzer, rows[:, 0] - ORIGIN_PS),
        rows[:, 1].astype(np.uint8),
        rows[:, 2].astype(np.uint8),
        clocks.analyzer.ticks(int(rows[-1, 0]) + 10_000 * US),
        records,
        _ticks(clocks.stimulus, answers) - INIT_TICKS,
    )
    account = InstrumentCounts(sent=train.count, handled=summary.handled)
    settings = Settings(
        measurement="interrupt",
        scenario="idle",
        sample_rate_hz=RATE_HZ,
        stimulus_clock_hz=CLOCK_HZ,
        wiring=Wiring(STIMULUS, RESPONSE, SEQUENCE[:sequence_bits]),
        glitch_samples=5,
        source=train,
        limits=Limits(),
        tick_hz=TICK_HZ,
    )
    return WholeRun(raw, settings, account, load_truth(path)[0], clocks, answers)


def _play(target: ModelledTarget, train: Train, clock: VirtualClock) -> list[tuple[int, int, int]]:
    """All edges on the wires: time in ps, channel, level."""
    edges = []
    for ticks in (INIT_TICKS + train.edges(0, train.count)).tolist():
        time_ps = clock.time_ps(ticks)
        edges.append((time_ps, STIMULUS, 1))
        edges.append((clock.time_ps(ticks + train.width_ticks), STIMULUS, 0))
        target.on_stimulus(time_ps, 1)
    return edges + target.take_edges(2 * edges[-1][0] + 10**13)


def _glitches(times_ps: Int64Array) -> np.ndarray:
    """Edges of pulses as short as a glitch: no two answers are so close."""
    short = np.diff(times_ps) == GLITCH_PS
    return np.append(short, False) | np.insert(short, 0, False)


def _ticks(clock: VirtualClock, times_ps: Int64Array) -> Int64Array:
    """The first tick of the clock at or after each time."""
    return np.array([clock.ticks_at_or_after(time_ps) for time_ps in times_ps.tolist()], np.int64)
