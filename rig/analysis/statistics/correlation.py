# SPDX-License-Identifier: GPL-3.0-or-later
"""Dependence of events on those before them, and the n that is left of theirs.

The variance of an average of dependent values is that of independent ones times the integrated
autocorrelation time (here in events, 1 for independence): n values are worth n / time. The time is
summed up to a window chosen from the data: Wolff, "Monte Carlo Errors with Less Errors", Computer
Physics Communications 156 (2004), sections 3.3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import fft, linalg

from rig.analysis.statistics.distributions import chi_squared_above, normal_quantile
from rig.arrays import FloatArray

LAGS = 20
"""Lags of the portmanteau test and of the table."""
_DECAY = 1.5
"""Wolff's S: assumed ratio of exponential to integrated time."""
_FEWEST = 8
_NARROW = 1 << 16
_WHOLE_MAX = 2.0**52
"""Sums and differences of two doubles up to this are exact."""
_WINDOW_SHARE = 4
"""The window is at most this part of the shortest stretch."""


@dataclass(frozen=True)
class Autocorrelation:
    """Dependence of neighboring events."""

    coefficients: tuple[float, ...]
    """Coefficients of the values at lags 1, 2, ..."""
    band: float
    """A single coefficient of independent values stays within this, in 95 % of cases."""
    p_value: float
    """p-value of independence, from the ranks, all lags together."""
    time_events: float
    """Integrated autocorrelation time of the values; at least 1."""


@dataclass(frozen=True, slots=True)
class IntegratedTime:
    """The number of dependent events that are worth one independent event."""

    events: float
    """Number of events, at least 1: values that alternate do not narrow an interval."""
    degrees_of_freedom: float
    """Degrees of freedom of the estimated variance of the average, for Student's t."""


def autocovariance(stretches: Sequence[FloatArray], lags: int) -> FloatArray:
    """Return the autocovariance at lags 0 to `lags`, shape (lags + 1,).

    `stretches`: runs of consecutive values, shapes (n_i,), each longer than `lags`; products are
    pooled over them, about their common average.
    """
    average = sum(float(s.sum()) for s in stretches) / sum(len(s) for s in stretches)
    total = np.zeros(lags + 1)
    for stretch in stretches:
        size = fft.next_fast_len(len(stretch) + lags, real=True)
        spectrum = fft.rfft(stretch - average, size)
        total += fft.irfft(np.abs(spectrum) ** 2, size)[: lags + 1]
    pairs = sum(len(s) - np.arange(lags + 1) for s in stretches)
    return np.asarray(total / pairs)


def integrated_time(stretches: Sequence[FloatArray]) -> IntegratedTime:
    """Return the time of runs of consecutive values, shapes (n_i,); constant values give 1."""
    n = sum(len(s) for s in stretches)
    if n < _FEWEST:
        return IntegratedTime(1.0, max(1.0, n - 1.0))
    lags = max(1, min(len(s) for s in stretches) // _WINDOW_SHARE)
    covariance = autocovariance(stretches, lags)
    if covariance[0] <= 0:
        return IntegratedTime(1.0, max(1.0, n - 1.0))
    window = _window(covariance / covariance[0], n)
    # The average was estimated too, which lowers every coefficient; Wolff, equation 49.
    covariance = covariance + (covariance[0] + 2 * covariance[1 : window + 1].sum()) / n
    time = 1 + 2 * float(covariance[1 : window + 1].sum()) / float(covariance[0])
    return IntegratedTime(max(1.0, time), max(2.0, n / (2 * window + 1)))


def _window(correlation: FloatArray, n: int) -> int:
    """Return the lag where the bias of stopping is as small as the noise of going on."""
    half = 0.5 + np.cumsum(correlation[1:])
    with np.errstate(invalid="ignore", divide="ignore"):
        decay = _DECAY / np.log((2 * half + 1) / (2 * half - 1))
    decay = np.where(half > 0.5, decay, 1e-9)
    lag = np.arange(1, len(half) + 1)
    enough = np.exp(-lag / decay) < decay / np.sqrt(lag * n)
    return int(np.argmax(enough)) + 1 if enough.any() else len(half)


def ranks(values: npt.NDArray[np.generic]) -> FloatArray:
    """Return average ranks, centered, shape (n,), which no single extreme value decides."""
    found = _counted_ranks(values)
    if found is None:
        _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
        found = _average_ranks(counts)[place]
        if np.isnan(values).any():  # no number has a rank beside them
            found = np.full_like(found, np.nan)
    return np.asarray(found - (len(values) + 1) / 2)


def _counted_ranks(values: npt.NDArray[np.generic]) -> FloatArray | None:
    """Return average ranks of whole numbers in a narrow range, without sorting; else None."""
    if not len(values):
        return None
    low, high = (float(end) for end in (values.min(), values.max()))
    if not 0 <= high - low < max(_NARROW, len(values)) or abs(low) + abs(high) > _WHOLE_MAX:
        return None
    place = np.subtract(values.astype(np.float64), low).astype(np.int64)
    if not np.array_equal(place + low, values):
        return None
    counts = np.bincount(place)
    return _average_ranks(counts)[place]


def _average_ranks(counts: npt.NDArray[np.intp]) -> FloatArray:
    """Return the average ranks, from 1, of ascending values that occur so often."""
    return np.asarray(np.cumsum(counts) - (counts - 1) / 2)


def portmanteau(stretches: Sequence[FloatArray], lags: int = LAGS) -> float:
    """Return the p-value of independence by Ljung and Box, Biometrika 65 (1978), for `lags`."""
    lags = min(lags, min(len(s) for s in stretches) // 2)
    n = sum(len(s) for s in stretches)
    covariance = autocovariance(stretches, lags)
    if covariance[0] <= 0 or lags < 1:
        return 1.0
    pairs = sum(len(s) - np.arange(1, lags + 1) for s in stretches)
    # The sum of squares over all n is expected in the denominator of each coefficient.
    correlation = covariance[1:] / covariance[0]
    statistic = (n + 2) / n * float(np.sum(pairs * correlation**2))
    return chi_squared_above(statistic, lags)


def autocorrelation(stretches: Sequence[FloatArray]) -> Autocorrelation:
    """Return the autocorrelation of runs of consecutive values, shapes (n_i,), in event order."""
    n = sum(len(s) for s in stretches)
    lags = min(LAGS, min(len(s) for s in stretches) // 2)
    covariance = autocovariance(stretches, lags)
    scale = covariance[0] if covariance[0] > 0 else 1.0
    joined = ranks(np.concatenate(stretches))
    ranked = np.split(joined, np.cumsum([len(s) for s in stretches])[:-1])
    return Autocorrelation(
        tuple(float(c) for c in covariance[1:] / scale),
        normal_quantile(0.975) / math.sqrt(n),
        portmanteau(ranked, lags),
        integrated_time(stretches).events,
    )


def whitened(values: FloatArray, order: int = 10) -> FloatArray:
    """Return what the `order` values before each do not predict, shape (n,), mean 0, variance 1.

    The autoregression is Yule and Walker's. Raises ValueError if the values are all equal.
    """
    centered = values - values.mean()
    # Sums over n, not over the pairs, keep the filter stable.
    lags = np.arange(order + 1)
    covariance = autocovariance([centered], order) * (1 - lags / len(values))
    if covariance[0] <= 0:
        raise ValueError("all values are equal; valid: at least two different ones")
    weights = linalg.solve_toeplitz(covariance[:-1], covariance[1:])
    rest = np.convolve(np.concatenate([[1.0], -weights]), centered)[: len(values)]
    return np.asarray((rest - rest.mean()) / rest.std())
