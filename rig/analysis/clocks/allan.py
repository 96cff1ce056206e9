# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlapping Allan deviation: how much two clocks wander against each other, by averaging time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.analysis.clocks.clock import Clock
from rig.arrays import FloatArray


@dataclass(frozen=True)
class AllanDeviation:
    """Allan deviations, one for each averaging time."""

    tau_s: FloatArray
    """Shape (m,)."""
    deviation: FloatArray
    """Overlapping Allan deviation, a relative frequency, shape (m,)."""
    terms: FloatArray
    """Number of second differences in each deviation; few make it uncertain. Shape (m,)."""
    floor: FloatArray
    """Largest deviation that the error of perfect clocks' phases could give, shape (m,)."""


def overlapping_adev(
    phase_s: FloatArray,
    interval_s: float,
    factors: Sequence[int] | None = None,
    phase_error_s: float = 0.0,
) -> AllanDeviation:
    """Return the deviations of phases at equal intervals, shape (n,), n >= 3, by averaging factor.

    Second differences over m intervals, at every start: sigma^2 = sum((x[i+2m] - 2 x[i+m] +
    x[i])^2) / (2 (m tau0)^2 (n - 2m)). W. J. Riley, "Handbook of Frequency Stability Analysis",
    NIST Special Publication 1065 (2008), 5.2.4. Differences that meet a NaN are left out.

    `factors`: powers of two by default. `phase_error_s`: bound of each phase's error, which may add
    up to four times itself to a second difference: the floor.

    Raises ValueError for fewer than three phases, or factors that do not fit them.
    """
    n = len(phase_s)
    if n < 3 or interval_s <= 0:
        raise ValueError(f"{n} phases every {interval_s} s; at least three are needed")
    if factors is None:
        factors = [1 << k for k in range(n.bit_length()) if 2 << k < n]
    if not factors or min(factors) < 1 or 2 * max(factors) >= n:
        raise ValueError(f"averaging factors {list(factors)}; valid: 1 to {(n - 1) // 2}")
    deviation, terms = [], []
    for m in factors:
        second = phase_s[2 * m :] - 2 * phase_s[m:-m] + phase_s[: -2 * m]
        second = second[np.isfinite(second)]
        terms.append(len(second))
        mean = float(np.mean(second**2)) if len(second) else np.nan
        deviation.append((mean / 2) ** 0.5 / (m * interval_s))
    tau = np.array(factors) * interval_s
    floor = 4 * phase_error_s / (np.sqrt(2) * tau)
    return AllanDeviation(tau, np.array(deviation), np.array(terms, np.float64), floor)


def clock_phase(
    clock: Clock, first_sample: int, last_sample: int, interval_s: float
) -> tuple[FloatArray, float]:
    """Return the tick clock's phase against nominal on a regular grid, in seconds, and its error.

    Shape (m,). Events come when they come, so the grid's values are the middles of the clock's
    bounds there; the error is half the widest distance of these.
    """
    rates = clock.rates
    step = interval_s * rates.sample_rate_hz
    count = int((last_sample - first_sample) / step) + 1
    sample = first_sample + np.rint(np.arange(count) * step).astype(np.int64)
    read = clock.at(sample)
    nominal_s = (sample - first_sample) / rates.sample_rate_hz
    phase = (read.ticks - read.ticks[0]) / rates.tick_hz - nominal_s
    error = float((read.highest_ticks - read.lowest_ticks).max()) / 2 / rates.tick_hz
    return phase, error
