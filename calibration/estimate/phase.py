# SPDX-License-Identifier: GPL-3.0-or-later
"""Averages below a sample, from a train whose edges fall everywhere between two samples.

An edge at x samples is shown by sample ceil(x). Averaged over all phases of x that is x + 1/2
exactly, whatever the size of a sample: the train is its own dither. The edges' phases are known
from a line through all of them, so each edge counts for the stretch of phase that it stands for,
instead of leaving it to chance how evenly they fall. What is left then comes from the few edges
around each step alone, and shrinks with 1/n where a plain mean's error shrinks with 1/sqrt(n).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.estimate.estimate import Estimate
from rig.arrays import FloatArray
from rig.instruments import Int64Array

EVEN = 1 / math.sqrt(12)
"""The deviation of what is spread evenly over one sample."""
STEADY = 2.0
"""The multiple of EVEN beyond which edges scatter too much for a phase."""


@dataclass(frozen=True)
class Positions:
    """The positions of edges by their own clock, in samples."""

    x: FloatArray
    """The positions, shape (n,), on a scale where sample s shows what happened in (s - 1, s]."""
    steady: bool
    """Whether the edges keep to the curve; else the phases mean nothing."""

    @property
    def phase(self) -> FloatArray:
        """The phases, shape (n,), 0 to 1."""
        return self.x - np.floor(self.x)


@dataclass(frozen=True)
class PhaseCurve:
    """The samples by ticks: a parabola, since a resonator may drift while one looks.

    Its middle and scale are taken off, so that digits are left.
    """

    middle_ticks: float
    scale_ticks: float
    middle_sample: int
    coefficients: tuple[float, ...]

    @classmethod
    def through(cls, sample: Int64Array, ticks: Int64Array) -> PhaseCurve:
        """Fit the curve by least squares. Raises ValueError for fewer than 4 edges."""
        if len(sample) < 4:
            raise ValueError(f"{len(sample)} edges; at least 4 are needed")
        middle = float(ticks[0] + ticks[-1]) / 2
        scale = max(1.0, float(ticks[-1] - ticks[0]) / 2)
        middle_sample = int(sample[len(sample) // 2])
        t = (ticks - middle) / scale
        # The middle of the stretch in which an edge of index s may be is s - 1/2.
        fit = np.polynomial.polynomial.polyfit(t, sample - middle_sample - 0.5, 2)
        return cls(middle, scale, middle_sample, tuple(float(c) for c in fit))

    def at(self, ticks: Int64Array) -> FloatArray:
        """Return the samples at these ticks, with fractions, shape (n,)."""
        t = (ticks - self.middle_ticks) / self.scale_ticks
        found = np.polynomial.polynomial.polyval(t, np.array(self.coefficients))
        return np.asarray(found + self.middle_sample, np.float64)

    def positions(self, sample: Int64Array, ticks: Int64Array) -> Positions:
        """Return the positions of edges of the same clock, and whether they keep to the curve."""
        x = self.at(ticks)
        spread = float(np.std(sample - x))
        return Positions(x, spread < STEADY * EVEN)


@dataclass(frozen=True)
class Offset:
    """The offset by which something is shown later, in samples."""

    mean: Estimate
    spread: Estimate
    """The standard deviation of single edges, without what whole samples add."""


def mean_over_phase(steps: Int64Array, where: Positions) -> Offset:
    """Return the mean of whole numbers, shape (n,), as if their phases were evenly spread.

    `steps` are functions of the phase but for noise: differences of two sample indexes, or of an
    index and the floor of its position. Between neighbors in phase that differ, a step may be
    anywhere, and noise shows as neighbors that differ again and again; half the squared differences
    are the variance of both (successive differences: J. von Neumann et al., Ann. Math. Statist. 12
    (1941) 153). Without known phases it is a plain mean.
    """
    n = len(steps)
    if not where.steady:
        u = max(float(np.std(steps)), 0.5) / math.sqrt(n)
        return Offset(
            Estimate(float(np.mean(steps)), u, n),
            Estimate(float(np.std(steps)), float(np.std(steps)) / math.sqrt(2 * n) + EVEN, n),
        )
    order = np.argsort(where.phase, kind="stable")
    phase, value = where.phase[order], steps[order].astype(np.float64)
    ends = np.concatenate(([0.0], (phase[1:] + phase[:-1]) / 2, [1.0]))
    mean = float(np.dot(np.diff(ends), value))
    gap = np.diff(phase)
    half_square = np.diff(value) ** 2 / 2
    outer = (phase[0] ** 2 + (1 - phase[-1]) ** 2) / 2
    u = math.sqrt(float(np.dot(gap**2, half_square)) + outer)
    return Offset(Estimate(mean, u, n), _spread(gap, half_square, n))


def _spread(gap: FloatArray, half_square: FloatArray, n: int) -> Estimate:
    """Return the deviation of normal noise, sigma, from the steps that it blurs.

    Over all phases p (1 - p) of a blurred step sums up to sigma / sqrt(pi). The steps seen are two:
    one of each of two edges, or one and a half as sharp.
    """
    area = float(np.dot(gap, half_square))
    sigma = math.sqrt(math.pi) * area / 2
    changes = max(1.0, float(np.count_nonzero(half_square)))
    # Positions are no better known than the curve: EVEN / sqrt(n), three coefficients.
    floor = EVEN * math.sqrt(3 / n)
    return Estimate(sigma, math.hypot(sigma / math.sqrt(changes), floor), n)
