# SPDX-License-Identifier: GPL-3.0-or-later
"""Measuring steps on paper: edges, samples and logs of benches of which everything is known."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from calibration.estimate.estimate import Estimate
from calibration.estimate.logged import Logged, logged
from calibration.estimate.skew import Pulses
from rig.analysis.clocks.brackets import Rates
from rig.instruments import LOG_RECORD
from rig.stimulus.train import Train
from rig.virtual.clock import VirtualClock
from tests.chip import CLOCK_HZ

PS = 10**12
BOOT_TICKS = 3_600_000_000_000


@dataclass
class PaperBench:
    """Clocks that are off, channels that are late. Times in ps from the capture's first sample."""

    rate_hz: int = 24_000_000
    stimulus_ppb: int = 38_000
    analyzer_ppb: int = 0
    stimulus_drift_ppb_per_s: int = 0
    delays_ps: dict[tuple[int, int], int] = field(default_factory=dict)
    """By channel and level."""
    jitter_ps: float = 0.0
    start_ps: int = 123_456_789
    seed: int = 0

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.stimulus = VirtualClock(
            CLOCK_HZ, self.stimulus_ppb, drift_ppb_per_s=self.stimulus_drift_ppb_per_s
        )
        self.analyzer = VirtualClock(self.rate_hz, self.analyzer_ppb)

    def samples(self, times_ps) -> np.ndarray:
        """Indexes of the samples that first show these."""
        at = self.analyzer.ticks_at_or_after
        return np.array([at(int(each)) for each in times_ps], np.int64)

    def times_ps(self, ticks) -> list[int]:
        """Of edges of the microcontroller."""
        at = self.stimulus.time_ps
        return [self.start_ps + at(int(tick)) for tick in ticks]

    def shown(self, ticks, channel: int, level: int) -> np.ndarray:
        """Edges of the stimulus pin as this channel shows them."""
        late = self.delays_ps.get((channel, level), 0)
        noise = self.rng.normal(0, self.jitter_ps, len(ticks)) if self.jitter_ps else None
        times = [time + late for time in self.times_ps(ticks)]
        if noise is not None:
            times = [time + round(off) for time, off in zip(times, noise, strict=True)]
        return self.samples(times)

    def pulses(self, train: Train) -> Pulses:
        """The train on channel 0."""
        up = train.edges(0, train.count)
        down = up + train.width_ticks
        return Pulses(up, down, self.shown(up, 0, 1), self.shown(down, 0, 0))

    def channel(self, train: Train, channel: int) -> tuple[np.ndarray, np.ndarray]:
        """The train on any channel: indexes and levels."""
        up = train.edges(0, train.count)
        index = np.concatenate(
            (self.shown(up, channel, 1), self.shown(up + train.width_ticks, channel, 0))
        )
        level = np.repeat(np.array([1, 0], np.uint8), train.count)
        order = np.argsort(index, kind="stable")
        return index[order], level[order]


@dataclass
class PaperTarget:
    """A target whose pin moves somewhere between two readings of its counter."""

    tick_hz: int = 1_000_000_000
    error_ppb: int = -12_000
    drift_ppb_per_s: int = 0
    write_ps: int = 50_000
    ahead_ps: int = 0
    where: tuple[float, float] = (0.0, 1.0)
    """In which part of the write the edge comes: from and to, evenly."""
    bits: int = 64
    """Of its counter."""

    def answers(self, bench: PaperBench, count: int, first_ps: int, gap_ps: int = 10**9):
        """Indexes, levels and log of so many answers."""
        clock = VirtualClock(self.tick_hz, self.error_ppb, BOOT_TICKS, self.drift_ppb_per_s)
        log, times, at_ps = np.zeros(count, LOG_RECORD), [], first_ps
        for number in range(count):
            at_ps += int(bench.rng.uniform(0.75, 1.25) * gap_ps)
            before_ps = at_ps - int(bench.rng.uniform(*self.where) * self.write_ps)
            shown_ps = before_ps + self.ahead_ps
            log["before_ticks"][number] = clock.ticks(shown_ps)
            log["after_ticks"][number] = clock.ticks_at_or_after(shown_ps + self.write_ps)
            times.append(at_ps)
        log["sequence"] = np.arange(count)
        if self.bits < 64:
            for name in ("before_ticks", "after_ticks"):
                log[name] %= np.uint64(1 << self.bits)
        level = (np.arange(count) + 1).astype(np.uint8) % 2
        return bench.samples(times), level, log, at_ps

    def logged(self, bench: PaperBench, count: int, first_ps: int = PS) -> tuple[Logged, int]:
        """As the steps bring it together, and when the last answer was."""
        index, level, log, end_ps = self.answers(bench, count, first_ps)
        rates = Rates(bench.rate_hz, self.tick_hz, 10.0)
        return logged(index, level, log, rates), end_ps


def covered(found: Estimate, truth: float, rounding: float = 0.0) -> bool:
    """Within the expanded uncertainty, k = 2; `rounding`: of the truth itself."""
    return abs(found.value - truth) <= 2 * found.standard_uncertainty + rounding
