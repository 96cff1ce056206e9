# SPDX-License-Identifier: GPL-3.0-or-later
"""Stimulus edges as an analyzer with silent holes receives them, and what was true of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.clock import DRIFT_PPM_PER_S
from rig.stimulus.train import Pattern, Polarity, Train
from tests.chip import CLOCK_HZ

WIDTH_TICKS = 160
PARAMETERS = {
    Pattern.PERIODIC: {"period_ticks": 16_000},
    Pattern.UNIFORM: {"interval_min_ticks": 6_400, "interval_max_ticks": 48_000},
    Pattern.POISSON: {"interval_min_ticks": 3_200, "interval_mean_ticks": 16_000},
    Pattern.BURST: {"period_ticks": 64_000, "burst_count": 5, "burst_spacing_ticks": 1_920},
    Pattern.RAMP: {"ramp_start_ticks": 16_000, "ramp_stop_ticks": 3_200},
}


def train_of(pattern: str, count: int, seed: int) -> Train:
    own = PARAMETERS[pattern]
    return Train(pattern, count, seed, 16_000, WIDTH_TICKS, Polarity.POSITIVE, **own)


@dataclass(frozen=True)
class Received:
    """What came through the holes."""

    edges: npt.NDArray[np.int64]
    """Samples of the leading edges, numbered as received."""
    planned: npt.NDArray[np.int64]
    """Number in the plan of each, -1 for one that a seam made."""
    places: list[int]
    """Where the holes are in the received stream."""
    end_sample: int


@dataclass
class Bench:
    """Two clocks that drift as fast as allowed, up to a percent apart."""

    train: Train
    sample_rate_hz: int
    chance: np.random.Generator

    def __post_init__(self) -> None:
        ticks = self.train.edges(0, self.train.count).astype(float)
        self.offset = 20_000 + self.chance.random()
        self.error = self.chance.uniform(-0.01, 0.01)
        self.swing_s = float(self.chance.uniform(1, 30))
        self.edges = self.samples_of(ticks)
        self.planned = np.arange(self.train.count)

    def samples_of(self, ticks: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Where ticks lie on the analyzer's clock; its error swings like a sine."""
        time_s = ticks / CLOCK_HZ
        turn = 2 * np.pi / self.swing_s
        swing = DRIFT_PPM_PER_S * 1e-6 / turn / turn * (1 - np.cos(turn * time_s))
        return self.offset + self.sample_rate_hz * (time_s * (1 + self.error) + swing)

    def be_late(self, probability: float, most_ticks: int) -> None:
        """Some edges leave late; the next ones are on the plan again."""
        late = self.chance.random(len(self.edges)) < probability
        late[0] = False
        ticks = self.chance.integers(1, most_ticks, len(self.edges))
        self.edges += late * ticks * self.sample_rate_hz / CLOCK_HZ

    def lose_on_the_wire(self, probability: float) -> None:
        """Some edges never reach the analyzer; not the outermost, which nothing could tell."""
        kept = self.chance.random(len(self.edges)) >= probability
        kept[[0, -1]] = True
        self.edges, self.planned = self.edges[kept], self.planned[kept]

    def receive(self, holes: list[tuple[int, int]]) -> Received:
        """Sample it and leave the holes out, each (first sample taken, length), in order."""
        rise = np.ceil(self.edges).astype(np.int64)
        width = WIDTH_TICKS * self.sample_rate_hz / CLOCK_HZ
        fall = np.ceil(self.edges + width).astype(np.int64)
        shift = np.zeros(len(rise), np.int64)
        kept = np.ones(len(rise), bool)
        seams, places, lost = [], [], 0
        for first, length in holes:
            kept &= (rise < first) | (rise >= first + length)
            shift[rise >= first] += length
            high_before = bool(((rise < first) & (fall >= first)).any())
            high_behind = bool(((rise <= first + length) & (fall > first + length)).any())
            begins_there = bool((rise == first + length).any())
            if high_behind and not high_before and not begins_there:
                seams.append(first - lost)
            places.append(first - lost)
            lost += length
        edges = np.concatenate([(rise - shift)[kept], np.array(seams, np.int64)])
        planned = np.concatenate([self.planned[kept], np.full(len(seams), -1)])
        order = np.argsort(edges, kind="stable")
        end = int(rise[-1]) - lost + self.sample_rate_hz // 100
        return Received(edges[order], planned[order], places, end)
