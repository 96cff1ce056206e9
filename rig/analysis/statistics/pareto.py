# SPDX-License-Identifier: GPL-3.0-or-later
"""The generalized Pareto distribution, fitted to whole numbers.

What exceeds a high threshold follows this distribution in the limit (Pickands, "Statistical
Inference Using Extreme Order Statistics", Annals of Statistics 3, 1975). Latencies are whole
samples with many ties, so a value v stands for the interval [v - 1/2, v + 1/2): the likelihood is
that of interval-censored data. It is bounded for every shape, needs no jitter, and costs one term
for each different value, however many events there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rig.analysis.statistics.distributions import normal_quantile
from rig.analysis.statistics.signed_root import root_mean
from rig.arrays import FloatArray
from rig.instruments import Int64Array

SHAPE_LIMITS = (-1.0, 2.0)
_EXPONENTIAL = 1e-9
"""Shapes nearer to 0 are computed as 0."""
_END = -1 + 1e-16
"""Value for what is above the end of a bounded tail: just below it, where logarithms are finite."""
_NEAR = (0.05, 0.03)
"""First steps, in shape and log rate, from the optimum of the level before."""
_IMPOSSIBLE = 1e300


@dataclass(frozen=True)
class Excesses:
    """Values above a threshold, in whole units, as a table of different values and counts."""

    low: FloatArray
    """Shape (d,): lower edge of each value's interval, above the threshold; ascending, >= 0."""
    counts: Int64Array
    """Shape (d,), how often each occurred."""
    n: int
    """Number of all values, those below the threshold too."""
    threshold: float
    """Half way between two whole values."""

    @classmethod
    def above(cls, values: Int64Array, counts: Int64Array, at_most: int) -> Excesses:
        """Return the excesses over the lowest threshold that at most `at_most` values exceed.

        `values`, `counts`: the histogram of all values, ascending, shapes (k,).
        """
        from_top = np.cumsum(counts[::-1])
        distinct = int(np.searchsorted(from_top, at_most, side="right"))
        first = len(values) - distinct
        # Just above the value below: one at the threshold itself would be an excess of 0 too many.
        threshold = float(values[first - 1]) + 0.5 if first else float(values[0]) - 0.5
        low = values[first:].astype(float) - 0.5 - threshold
        return cls(low, counts[first:], int(from_top[-1]), threshold)

    @cached_property
    def count(self) -> int:
        """The number of values that exceed the threshold."""
        return int(self.counts.sum())

    @cached_property
    def edges(self) -> FloatArray:
        """Lower and upper edges of the intervals, shape (2, d)."""
        return np.stack([self.low, self.low + 1.0])

    @property
    def fraction(self) -> float:
        """The share of the excesses in all values."""
        return self.count / self.n

    @property
    def mean(self) -> float:
        """The average excess."""
        return float((self.low + 0.5) @ self.counts) / self.count


@dataclass(frozen=True, slots=True)
class Pareto:
    """A fitted distribution of excesses."""

    shape: float
    """Below 0 the tail has an end, at 0 it is exponential, above 0 it is heavy."""
    scale: float
    log_likelihood: float


def log_survival(excess: FloatArray, shape: float, scale: float) -> FloatArray:
    """Return the log of the probability to exceed `excess`, same shape; -inf behind the end."""
    scaled = excess / scale
    if abs(shape) < _EXPONENTIAL:
        result: FloatArray = -scaled
        return result
    inside = np.maximum(shape * scaled, -1.0)
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(inside) / shape)


def log_likelihood(excesses: Excesses, shape: float, scale: float) -> float:
    """Return the log-likelihood of censored excesses; hugely negative if they cannot occur."""
    scaled = excesses.edges / scale
    if abs(shape) < _EXPONENTIAL:
        low, high = -scaled
    else:
        scaled *= shape
        if scaled[0, -1] <= -1:
            return -_IMPOSSIBLE
        low, high = np.log1p(np.maximum(scaled, _END)) / -shape
    return float(excesses.counts @ (low + np.log(-np.expm1(high - low))))


def fit(excesses: Excesses) -> Pareto:
    """Return the likeliest model with a shape in SHAPE_LIMITS, of at least two different values."""
    start = [0.05, math.log(excesses.mean)]
    found = _minimize(lambda v: -_of_vector(excesses, v), start, (0.2, 0.3), 1e-4)
    return Pareto(float(found.x[0]), float(math.exp(found.x[1])), float(-found.fun))


def _of_vector(excesses: Excesses, vector: FloatArray) -> float:
    shape, log_scale = float(vector[0]), float(vector[1])
    if not SHAPE_LIMITS[0] <= shape <= SHAPE_LIMITS[1] or abs(log_scale) > 600:
        return -_IMPOSSIBLE
    return log_likelihood(excesses, shape, math.exp(log_scale))


def _minimize(
    function: Any, start: list[float], steps: tuple[float, float], tolerance: float
) -> Any:
    """Minimize by Nelder and Mead's simplex: derivatives mislead at the likelihood's walls."""
    simplex = np.array([start, [start[0] + steps[0], start[1]], [start[0], start[1] + steps[1]]])
    options = {"initial_simplex": simplex, "xatol": tolerance, "fatol": 1e-5, "maxiter": 600}
    from scipy import optimize  # only where there is a tail to fit

    return optimize.minimize(function, start, method="Nelder-Mead", options=options)


# --- return level -------------------------------------------------------------------------------


def return_excess(model: Pareto, fraction: float, probability: float) -> float:
    """Return the excess over the threshold that one event exceeds with `probability`."""
    ratio = math.log(fraction / probability)
    if abs(model.shape) < _EXPONENTIAL:
        return model.scale * ratio
    return model.scale * math.expm1(model.shape * ratio) / model.shape


def return_interval(
    excesses: Excesses, model: Pareto, probability: float, confidence: float
) -> tuple[float, float]:
    """Return the interval of the return level above the threshold, by profile likelihood.

    Its levels are those whose best likelihood, by shape and exceedance rate, is near enough to the
    greatest: Coles, "An Introduction to Statistical Modeling of Extreme Values" (2001), sections
    2.6.6 and 4.3.3. The signed root of the deviance is taken as normal about `root_mean` of the
    shape that fits the level best.
    """
    best = return_excess(model, excesses.fraction, probability)
    normal = normal_quantile((1 + confidence) / 2)
    ratio = excesses.fraction / probability
    profile = _Profile(excesses, model, probability)

    def beyond(side: int) -> Callable[[float], float]:
        def outside(level: float) -> float:
            likelihood, shape = profile(level)
            root = math.sqrt(2 * max(0.0, model.log_likelihood - likelihood))
            mean = root_mean(shape, ratio, excesses.count)
            return root + side * mean - normal

        return outside

    low = _crossing(beyond(-1), best, 0.85, 1e-6 * best)
    profile.restart()
    high = _crossing(beyond(1), best, 1.5, 1e6 * max(best, float(excesses.low[-1])))
    return low, high


class _Profile:
    """The best log-likelihood at a fixed return level, binomial part of the rate included."""

    def __init__(self, excesses: Excesses, model: Pareto, probability: float) -> None:
        self._excesses, self._probability = excesses, probability
        self._model = model
        self.restart()

    def restart(self) -> None:
        self._start = [self._model.shape, 0.0]

    def __call__(self, level: float) -> tuple[float, float]:
        """Return the best log-likelihood at this level, and its shape."""
        found = _minimize(lambda v: -self._at(level, v), self._start, _NEAR, 1e-3)
        self._start = [float(found.x[0]), float(found.x[1])]
        return float(-found.fun), self._start[0]

    def _at(self, level: float, vector: FloatArray) -> float:
        """Return the likelihood of a shape, and of the log of the rate over the observed one."""
        shape, shift = float(vector[0]), float(vector[1])
        observed = self._excesses.fraction
        rate = observed * math.exp(shift)
        if not SHAPE_LIMITS[0] <= shape <= SHAPE_LIMITS[1] or not self._probability < rate < 1:
            return -_IMPOSSIBLE
        unit = return_excess(Pareto(shape, 1.0, 0.0), rate, self._probability)
        likelihood = log_likelihood(self._excesses, shape, level / unit)
        k, n = self._excesses.count, self._excesses.n
        rest = (n - k) * (math.log1p(-rate) - math.log1p(-observed))
        return likelihood + k * shift + rest


def _crossing(
    function: Callable[[float], float], start: float, factor: float, limit: float
) -> float:
    """Return where the function becomes positive; the start if there, the limit if nowhere.

    It is searched away from the start in growing steps of logarithms, that of `factor` the first.
    """
    if function(start) >= 0:
        return start
    inside, outside = math.log(start), math.log(start * factor)
    while function(math.exp(outside)) < 0:
        if (outside > math.log(limit)) == (limit > start):
            return limit
        inside, outside = outside, outside + 1.5 * (outside - inside)
    from scipy import optimize

    found = optimize.brentq(lambda x: function(math.exp(x)), inside, outside, xtol=1e-3)
    return math.exp(found)
