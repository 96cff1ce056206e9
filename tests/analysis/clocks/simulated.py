# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clocks whose truth is known: skew, drift, late stamps with heavy tails, quantization.

Time is whole picoseconds; clocks are evaluated with 64 bits of mantissa, so that the truth is
exact to far less than a tick.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.analysis.clocks.brackets import Brackets, Rates

PS_PER_S = 1e12


@dataclass(frozen=True)
class Truth:
    """A run, and what its clocks really did."""

    rates: Rates
    brackets: Brackets
    edge_ps: np.ndarray
    sample_skew_ppm: float
    tick_skew_ppm: float
    drift_ppm_per_s: float

    def ticks(self, time_ps: np.ndarray) -> np.ndarray:
        """The tick clock's true phase."""
        t = np.asarray(time_ps, np.longdouble) / PS_PER_S
        skewed = 1 + np.longdouble(self.tick_skew_ppm) * 1e-6
        return self.rates.tick_hz * t * (skewed + np.longdouble(self.drift_ppm_per_s) * 5e-7 * t)

    def rate_ppm(self, sample: np.ndarray) -> np.ndarray:
        """True rate of ticks against samples, relative to nominal."""
        fast = 1 + self.sample_skew_ppm * 1e-6
        t = np.asarray(sample) / (self.rates.sample_rate_hz * fast)
        ticks = 1 + self.tick_skew_ppm * 1e-6 + self.drift_ppm_per_s * 1e-6 * t
        return (ticks / fast - 1) * 1e6


def simulate(
    seed: int,
    n: int,
    *,
    drift_ppm_per_s: float = 0.1,
    bound_ppm_per_s: float = 0.5,
    sample_rate_hz: int = 24_000_000,
    tick_hz: int = 1_000_000_000,
    interval_us: float = 1000.0,
    preempted: float = 1e-3,
) -> Truth:
    """Events at random intervals; skews are drawn within 200 ppm.

    The write takes 20 ns, the readings around it some more; `preempted`: the share of events whose
    second reading comes later by a Pareto-distributed time of infinite variance.
    """
    rng = np.random.default_rng(seed)
    rates = Rates(sample_rate_hz, tick_hz, bound_ppm_per_s)
    skews = rng.uniform(-200, 200, 2)
    intervals = rng.uniform(0.5, 1.5, n) * interval_us * 1e6
    edge_ps = np.cumsum(intervals.astype(np.int64)) + 10**9
    early_ps = (rng.exponential(10e3, n) + 5e3).astype(np.int64)
    late_ps = (rng.exponential(10e3, n) + 15e3).astype(np.int64)
    hit = rng.random(n) < preempted
    late_ps[hit] += (rng.pareto(1.2, int(hit.sum())) * 5e6).clip(0, 2e8).astype(np.int64)
    truth = Truth(rates, None, edge_ps, *skews, drift_ppm_per_s)
    per_ps = np.longdouble(sample_rate_hz) * (1 + np.longdouble(skews[0]) * 1e-6) / PS_PER_S
    sample = np.ceil(edge_ps * per_ps).astype(np.int64)
    before = np.floor(truth.ticks(edge_ps - early_ps)).astype(np.int64)
    after = np.floor(truth.ticks(edge_ps + late_ps)).astype(np.int64)
    return Truth(rates, Brackets(sample, before, after), edge_ps, *skews, drift_ppm_per_s)
