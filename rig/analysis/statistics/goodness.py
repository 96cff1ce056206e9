# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests whether excesses follow the generalized Pareto distribution that is fitted to them.

There are two, both on interval-censored data. Anderson and Darling's statistic tests whether the
distribution fits at all; its critical values for two estimated parameters depend on the shape, as
Choulakian and Stephens found, "Goodness-of-Fit Tests for the Generalized Pareto Distribution",
Technometrics 43 (2001). The table here was simulated for 100 excesses; above a shape of -0.3 it
agrees with theirs. And a mixture of two exponential distributions is compared with it, because a
rare second kind of event, such as a firmware interrupt, can pass for a heavy tail.
"""

from __future__ import annotations

import math

import numpy as np

from rig.analysis.statistics.pareto import Excesses, Pareto, log_survival
from rig.arrays import FloatArray

_LEVELS = (0.5, 0.25, 0.1, 0.05, 0.025, 0.01, 0.005)
_SHAPES = (-0.5, -0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
_CRITICAL = (
    (0.455, 0.668, 0.953, 1.185, 1.438, 1.781, 2.054),
    (0.440, 0.643, 0.913, 1.133, 1.368, 1.677, 1.930),
    (0.426, 0.618, 0.879, 1.089, 1.307, 1.612, 1.842),
    (0.413, 0.598, 0.844, 1.043, 1.245, 1.520, 1.761),
    (0.403, 0.579, 0.814, 1.002, 1.198, 1.474, 1.679),
    (0.393, 0.561, 0.789, 0.963, 1.162, 1.415, 1.615),
    (0.383, 0.545, 0.761, 0.927, 1.106, 1.344, 1.531),
    (0.375, 0.532, 0.741, 0.904, 1.072, 1.302, 1.489),
    (0.368, 0.522, 0.722, 0.885, 1.054, 1.274, 1.448),
    (0.361, 0.511, 0.704, 0.858, 1.013, 1.237, 1.400),
    (0.356, 0.500, 0.690, 0.839, 0.992, 1.212, 1.398),
)
"""A^2 at each shape, exceeded with the probabilities of _LEVELS."""
_DRIFT_SHAPES = (-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4)
_DRIFTS = (4.77, 4.20, 3.64, 3.20, 3.03, 2.85, 2.69, 2.63, 2.50)
"""The greater change of the shape from 100 excesses to the highest 71 and 50 of them, in standard
errors for many values, that 5 % of samples exceed; 6,000 samples simulated for each shape."""
_FEWEST = 1e-300


def anderson_darling(excesses: Excesses, model: Pareto) -> float:
    """Return A^2 of the excesses under the fitted distribution.

    Equal values are spread evenly over the probability of their interval: the statistic depends on
    how many fall into each and not on how they lie in it, which whole samples do not show.
    """
    counts = excesses.counts
    low = np.exp(log_survival(excesses.low, model.shape, model.scale))
    high = np.exp(log_survival(excesses.low + 1.0, model.shape, model.scale))
    k = excesses.count
    place = np.arange(k) - np.repeat(np.cumsum(counts) - counts, counts)
    share = (place + 0.5) / np.repeat(counts, counts)
    survival = np.repeat(low, counts) - share * np.repeat(low - high, counts)
    survival = np.clip(survival, _FEWEST, 1 - 1e-16)
    weight = 2 * np.arange(1, k + 1) - 1
    return -k - float((weight * (np.log1p(-survival) + np.log(survival[::-1]))).mean())


def anderson_darling_p(statistic: float, shape: float) -> float:
    """Return the p-value of A^2, interpolated in the table: from 0.005 to 0.5."""
    critical = [float(np.interp(shape, _SHAPES, column)) for column in zip(*_CRITICAL, strict=True)]
    return math.exp(float(np.interp(statistic, critical, np.log(_LEVELS))))


def stable_limit(shape: float) -> float:
    """Return by how many standard errors the shape may change above higher thresholds, at 5 %."""
    return float(np.interp(shape, _DRIFT_SHAPES, _DRIFTS))


def mixture_gain(excesses: Excesses, model: Pareto) -> float:
    """Return by how much two exponentials have a greater log-likelihood than the model."""
    from scipy import optimize  # only where there is a tail to fit

    best = -math.inf
    scale = math.log(excesses.mean)
    for ratio, share in ((1.0, -2.5), (2.5, -3.0)):
        found = optimize.minimize(
            lambda v: -_mixture_likelihood(excesses, v),
            [scale - 0.3, ratio, share],
            method="Nelder-Mead",
            options={"xatol": 1e-3, "fatol": 1e-3, "maxiter": 400},
        )
        best = max(best, float(-found.fun))
    return best - model.log_likelihood


def _mixture_likelihood(excesses: Excesses, vector: FloatArray) -> float:
    """Return the likelihood of log smaller scale, log (ratio of scales - 1), logit of share."""
    if np.abs(vector).max() > 100:
        return -1e300
    small = math.exp(vector[0])
    large = small * (1 + math.exp(vector[1]))
    share = 1 / (1 + math.exp(-vector[2]))
    probability = (1 - share) * _exponential(excesses.low, small)
    probability += share * _exponential(excesses.low, large)
    return float(excesses.counts @ np.log(np.maximum(probability, _FEWEST)))


def _exponential(low: FloatArray, scale: float) -> FloatArray:
    """Return the probability of the interval of length 1 above each `low`."""
    return np.asarray(np.exp(-low / scale) * -math.expm1(-1 / scale))
