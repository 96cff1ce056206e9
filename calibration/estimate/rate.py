# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate of one clock against another, how sure it is, and how steady."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.estimate.estimate import Estimate
from rig.analysis.clocks.allan import overlapping_adev
from rig.analysis.clocks.bracket_test import BracketTest, bracket_test
from rig.analysis.clocks.brackets import Brackets, Rates
from rig.analysis.clocks.clock import Clock
from rig.arrays import FloatArray
from rig.instruments import Int64Array

EVEN = 1 / math.sqrt(12)
FEWEST_BLOCKS = 5
"""The fewest phases that say something of stability."""


@dataclass(frozen=True)
class Wander:
    """The overlapping Allan deviation of two clocks at one averaging time, in ppb."""

    tau_s: float
    deviation: Estimate
    floor_ppb: float
    """The deviation that clocks without fault would show, from whole samples alone."""


@dataclass(frozen=True)
class Rate:
    """The tick clock's rate against the analyzer's, over a stretch of time."""

    ppm: Estimate
    """How much faster than nominal the ticks run, seen from the analyzer."""
    straight: bool
    """Whether one constant rate explains every edge."""
    wander: tuple[Wander, ...]
    seconds: float

    @property
    def faster_by_ppm(self) -> Estimate:
        """The inverse: by how much the samples are too fast, seen from the ticks."""
        ratio = 1 + self.ppm.value * 1e-6
        u = self.ppm.standard_uncertainty / ratio**2
        return Estimate((1 / ratio - 1) * 1e6, u, self.ppm.n)


def rate_of(brackets: Brackets, rates: Rates) -> Rate:
    """Return the rate from edges that both clocks saw, at least 2.

    Every straight line through all brackets is a clock that may have been: its slope lies between
    hard limits. Where no line fits, the clocks drifted; then it is the mean rate, from what all
    clocks that drift no faster than `rates` allows showed at both ends. Raises ValueError if there
    are fewer than 2 edges or none fits.
    """
    if len(brackets) < 2:
        raise ValueError(f"{len(brackets)} edges; at least 2 are needed")
    test = bracket_test(brackets, rates)
    straight = test.straight and test.holds
    if straight:
        piece = test.pieces[0]
        limits = rates.ppm(piece.lowest), rates.ppm(piece.highest)
    else:
        limits = _mean_limits(brackets, test, rates)
    seconds = float(brackets.sample[-1] - brackets.sample[0]) / rates.sample_rate_hz
    wander = wander_of(brackets, rates)
    return Rate(Estimate.between(*limits, len(brackets)), straight, wander, seconds)


def _mean_limits(brackets: Brackets, test: BracketTest, rates: Rates) -> tuple[float, float]:
    ends = brackets.sample[[0, -1]]
    read = Clock(brackets, test).at(ends)
    span = float(ends[1] - ends[0])
    least = (read.lowest_ticks[1] - read.highest_ticks[0]) / span
    most = (read.highest_ticks[1] - read.lowest_ticks[0]) / span
    return rates.ppm(float(least)), rates.ppm(float(most))


def wander_of(brackets: Brackets, rates: Rates, block_s: float = 1.0) -> tuple[Wander, ...]:
    """Return the Allan deviations at 1, 2, 4 ... blocks; none for a stretch of too few.

    Each phase is a mean over a block, so that whole samples average out; a constant rate is taken
    off before, for it would turn uneven spacing within a block into noise.
    """
    middle = (brackets.before_ticks + brackets.after_ticks + 1) / 2
    t = (middle - middle[0]) / rates.tick_hz
    x = (brackets.sample - brackets.sample[0]) / rates.sample_rate_hz
    if t[-1] <= 0:
        return ()
    line = np.polynomial.polynomial.polyfit(t, x, 1)
    phase, fewest = _block_means(t, x - np.polynomial.polynomial.polyval(t, line), block_s)
    if len(phase) < FEWEST_BLOCKS:
        return ()
    found = overlapping_adev(phase, block_s)
    noise_s = EVEN / rates.sample_rate_hz / math.sqrt(fewest)
    made = []
    for tau_s, deviation in zip(found.tau_s, found.deviation, strict=True):
        if not math.isfinite(deviation):
            continue
        # Chi-square with as many degrees of freedom as there are stretches side by side.
        freedom = max(1.0, len(phase) * block_s / float(tau_s) - 1)
        ppb = float(deviation) * 1e9
        estimate = Estimate(ppb, ppb / math.sqrt(2 * freedom), len(phase))
        made.append(Wander(float(tau_s), estimate, math.sqrt(3) * noise_s / float(tau_s) * 1e9))
    return tuple(made)


def _block_means(t: FloatArray, x: FloatArray, block_s: float) -> tuple[FloatArray, int]:
    """Return means of whole blocks, NaN where there is nothing, and how few values one has."""
    number = np.floor(t / block_s + 1e-9).astype(np.int64)
    count = np.bincount(number)
    total = np.bincount(number, weights=x)
    partial = len(count) > 1 and count[-1] < count[:-1].mean() / 2
    whole = slice(0, len(count) - 1) if partial else slice(None)
    count, total = count[whole], total[whole]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
    return mean, int(count[count > 0].min()) if (count > 0).any() else 1


def pps_brackets(sample: Int64Array, rates: Rates, limit_ns: float) -> Brackets:
    """Return a receiver's pulses, shape (n,), as edges of a clock of 1 GHz that is true.

    Pulses that are missing leave out their seconds. Raises ValueError for distances that are no
    whole seconds within 2 %.
    """
    distance_s = np.diff(sample) / rates.sample_rate_hz
    seconds = np.rint(distance_s)
    if not len(distance_s) or (seconds < 1).any() or (abs(distance_s / seconds - 1) > 0.02).any():
        raise ValueError("the pulses are not one second apart")
    second = np.concatenate(([0], np.cumsum(seconds))).astype(np.int64) * 10**9
    limit = math.ceil(limit_ns)
    return Brackets(sample, second - limit, second + limit)
