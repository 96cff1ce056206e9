# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of any length with all that a bench measures, made at the speed of the disk.

Edges with jitter and sequence pins, the input capture's ticks and the target's log on three clocks
of their own; some events are late, missed, merged, answered twice or come with a glitch. Nothing is
drawn by a state: event number j is the same in a short run and in a long one.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.wiring import Wiring
from rig.instruments import LOG_RECORD, EdgeBlock, Int64Array
from rig.measurements.stored_settings import settings_to_json
from rig.record.writer import RunWriter
from rig.session.settings_check import IMPORTED
from rig.stimulus.random_words import random_words
from rig.stimulus.train import Pattern, Polarity, Train

RATE_HZ, TICK_HZ, CLOCK_HZ = 24_000_000, 2_800_000_000, 16_000_000
STIMULUS, RESPONSE, SEQUENCE = 0, 1, (2, 3, 4)
PART = 1 << 17
"""Events made at a time."""
EVERY = 10_007
"""Of so many events one is of each kind below."""
MISSED, LATE, MERGED, DUPLICATE, GLITCH = 1_009, 2_003, 3_001, 4_001, 5_003
INIT_S = 1e-3
DUPLICATE_AFTER_S, GLITCH_AFTER_S, GLITCH_S, WRITE_S = 40e-6, 15e-6, 120e-9, 50e-9
STIMULUS_PPM, TARGET_PPM, TARGET_SWING_PPM = 38.0, -12.0, 0.3
TARGET_SWING_S = 200.0
BOOT_TICKS = 3_600_000_000_000

FloatArray = npt.NDArray[np.float64]


TRAINS = {
    Pattern.UNIFORM: {"interval_min_ticks": 3_200, "interval_max_ticks": 9_600},
    Pattern.POISSON: {"interval_min_ticks": 3_200, "interval_mean_ticks": 6_400},
    Pattern.PERIODIC: {"period_ticks": 6_400},
}
"""Intervals of 400 us on average."""


def settings_of(
    count: int, sequence_bits: int = len(SEQUENCE), pattern: Pattern = Pattern.UNIFORM
) -> Settings:
    """Of such a run: random intervals of 200 to 600 us, or as TRAINS has them."""
    train = Train(pattern, count, 1, 16_000, 160, Polarity.POSITIVE, **TRAINS[pattern])
    return Settings(
        measurement="interrupt", scenario="idle", sample_rate_hz=RATE_HZ,
        stimulus_clock_hz=CLOCK_HZ, wiring=Wiring(STIMULUS, RESPONSE, SEQUENCE[:sequence_bits]),
        glitch_samples=5, source=train, limits=Limits(), tick_hz=TICK_HZ,
    )  # fmt: skip


def write_measured_run(
    path: Path,
    count: int,
    sequence_bits: int = len(SEQUENCE),
    pattern: Pattern = Pattern.UNIFORM,
    *,
    log: bool = True,
    captures: bool = True,
) -> None:
    """A finished run file of `count` stimuli; no figures are stored in it yet."""
    settings = settings_of(count, sequence_bits, pattern)
    assert isinstance(settings.source, Train)
    analyzer = json.dumps({"channels": [f"D{number}" for number in range(8)]})
    texts = {"plan": "", "fixture": "", "calibration": "", "environment/analyzer": analyzer}
    state = _State(sequence_bits)
    with RunWriter(path, texts, settings_to_json(settings)) as writer:
        first = 0
        for ticks in settings.source.edge_chunks(PART):
            part = _Part.of(first, ticks, state)
            writer.edges(part.edges(state))
            if captures:
                writer.captures(_at_or_after(part.answer_s - INIT_S, _stimulus_hz()))
            if log:
                writer.log(part.records(state))
            state.advance(part)
            first += len(ticks)
        report = {"sent": count, "handled": state.handled + state.behind}
        writer.finish(IMPORTED, report)  # no plan and no fixture tell of it


@dataclass
class _State:
    """What goes on from part to part."""

    bits: int
    handled: int = 0
    behind: int = 0
    """Interrupts handled since the last answer."""
    answers: int = 0
    start: int = 0
    """Sample that the next block begins with."""
    levels: int = 0

    def advance(self, part: _Part) -> None:
        self.handled = int(part.handled[-1])
        self.behind = part.behind
        self.answers += len(part.handled)


@dataclass(frozen=True)
class _Part:
    """Some events in a row: times in seconds, and answers in order."""

    rise_s: FloatArray
    answer_s: FloatArray
    handled: Int64Array
    """Handler count of each answer."""
    write_s: FloatArray
    """From the reading of the counter before each write to the pin's edge."""
    glitch_s: FloatArray
    behind: int

    @classmethod
    def of(cls, first: int, ticks: Int64Array, state: _State) -> _Part:
        rise_s = INIT_S + ticks / _stimulus_hz()
        event = first + np.arange(len(ticks))
        kind = event % EVERY
        kind[-1] = 0  # so that a part stands for itself
        latency_s = _latency_s(first, len(ticks))
        late = np.flatnonzero(kind == LATE)
        latency_s[late] = rise_s[late + 1] - rise_s[late] + 2e-6
        handled = state.handled + state.behind + np.cumsum(kind != MERGED)
        answered = (kind != MISSED) & (kind != MERGED)
        twice = np.flatnonzero(kind[answered] == DUPLICATE)
        answer_s = (rise_s + latency_s)[answered]
        answer_s = np.insert(answer_s, twice + 1, answer_s[twice] + DUPLICATE_AFTER_S)
        counts = np.insert(handled[answered], twice + 1, handled[answered][twice])
        write_s = _uniform(3, first, len(answer_s)) * WRITE_S
        glitch_s = (rise_s + latency_s)[kind == GLITCH] + GLITCH_AFTER_S
        return cls(rise_s, answer_s, counts, write_s, glitch_s, int(handled[-1] - counts[-1]))

    def edges(self, state: _State) -> EdgeBlock:
        """All of them in order."""
        rise = _at_or_after(self.rise_s, RATE_HZ)
        fall = _at_or_after(self.rise_s + 160 / _stimulus_hz(), RATE_HZ)
        answer = _at_or_after(self.answer_s, RATE_HZ)
        number = state.answers + np.arange(len(answer))
        level = ((number + 1) & 1).astype(np.uint8)
        found = [(rise, STIMULUS, 1), (fall, STIMULUS, 0), (answer, RESPONSE, level)]
        before = np.concatenate(([state.handled], self.handled[:-1]))
        for bit in range(state.bits):
            changed = np.flatnonzero((self.handled ^ before) >> bit & 1)
            value = (self.handled[changed] >> bit & 1).astype(np.uint8)
            found.append((answer[changed], SEQUENCE[bit], value))
        glitch = _at_or_after(self.glitch_s, RATE_HZ)
        behind = level[np.searchsorted(answer, glitch) - 1]
        width = round(GLITCH_S * RATE_HZ)
        found += [(glitch, RESPONSE, 1 - behind), (glitch + width, RESPONSE, behind)]
        return _block(found, state)

    def records(self, state: _State) -> npt.NDArray[np.void]:
        """Of the target's log."""
        rows = np.zeros(len(self.handled), LOG_RECORD)
        rows["sequence"] = state.answers + np.arange(len(rows))
        rows["handled"] = self.handled
        before = _target_ticks(self.answer_s - self.write_s)
        rows["before_ticks"] = before
        rows["after_ticks"] = before + 1 + round(WRITE_S * TICK_HZ)
        return rows


def _block(found: list[tuple[Int64Array, int, object]], state: _State) -> EdgeBlock:
    index = np.concatenate([at for at, _, _ in found])
    channel = np.concatenate([np.full(len(at), number, np.uint8) for at, number, _ in found])
    level = np.concatenate([np.broadcast_to(np.uint8(up), len(at)) for at, _, up in found])
    order = np.argsort(index << 3 | channel)
    start, end, levels = state.start, int(index.max()) + 1, state.levels
    state.start = end
    state.levels ^= int(np.bitwise_xor.reduce(np.int64(1) << channel.astype(np.int64)))
    return EdgeBlock(start, end, index[order], channel[order], level[order], levels)


def _stimulus_hz() -> float:
    return CLOCK_HZ * (1 + STIMULUS_PPM * 1e-6)


def _at_or_after(time_s: FloatArray, rate_hz: float) -> Int64Array:
    return np.ceil(time_s * rate_hz).astype(np.int64)


def _target_ticks(time_s: FloatArray) -> Int64Array:
    """Its rate swings slowly about its mean, as that of a crystal in a room does."""
    turn = 2 * np.pi / TARGET_SWING_S
    swing_s = TARGET_SWING_PPM * 1e-6 / turn * (1 - np.cos(turn * time_s))
    # In two steps: 53 bits would not do for all of it.
    rough: Int64Array = np.floor(time_s * TICK_HZ).astype(np.int64)
    error = (time_s * (TARGET_PPM * 1e-6) + swing_s) * TICK_HZ
    return BOOT_TICKS + rough + np.floor(error).astype(np.int64)


def _uniform(seed: int, first: int, count: int) -> FloatArray:
    """Above 0 up to 1, shape (count,)."""
    words: FloatArray = (random_words(seed, first, first + count).astype(np.float64) + 1) / 2.0**32
    return words


def _latency_s(first: int, count: int) -> FloatArray:
    """Never below 3 us, 4.5 us on average, one in a hundred with a long tail."""
    drawn = -np.log(_uniform(11, first, count) * _uniform(12, first, count)) * 0.75e-6
    tail = np.where(_uniform(13, first, count) < 0.01, 5e-6, 0.0)
    tail *= -np.log(_uniform(14, first, count))
    return np.minimum(3e-6 + drawn + tail, 90e-6)


if __name__ == "__main__":
    write_measured_run(Path(sys.argv[1]), int(float(sys.argv[2])), int((sys.argv[3:] or ["3"])[0]))
