# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency models of the virtual target: seeded, so that every run can be made again.

A model hands out one latency for each interrupt, in whole picoseconds. Draws are made a block at a
time, because a call of numpy's generator costs more than the rest of an event.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Callable
from importlib import resources
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from rig.config.virtual import bench as settings
from rig.errors import InputError
from rig.instruments import Int64Array

BLOCK = 4096
PS_PER_US = 10**6
NONE: Int64Array = np.zeros(0, np.int64)
_ROW_KEY = ("table", "system", "test", "variant", "scenario")
_ROW_FIGURES = ("average_us", "min_us", "max_us", "deviation_us")

Samples = npt.NDArray[Any]
Sampler = Callable[[int], Samples]


class LatencyModel(Protocol):
    """Latencies of one target."""

    def draw(self, now_ps: int) -> int:
        """Latency in ps of an interrupt that arrives now; times must not fall."""

    def ahead(self) -> Int64Array:
        """Return what the next calls of `draw` will return; nothing if that depends on the time."""

    def skip(self, count: int) -> None:
        """Stand for `count` calls of `draw`, of latencies that were seen ahead."""


class _Drawn:
    """Latencies drawn independently of each other and of the load."""

    def __init__(self, sample: Sampler) -> None:
        self._sample = sample
        self._values = NONE
        self._next = 0

    def draw(self, now_ps: int) -> int:  # noqa: ARG002 - only a load model looks at the time
        value = self.ahead()[0]
        self.skip(1)
        return int(value)

    def ahead(self) -> Int64Array:
        """Return at least one. No more is drawn than has to be: other things are drawn between."""
        if self._next == len(self._values):
            self._values, self._next = _block(self._sample), 0
        return self._values[self._next :]

    def skip(self, count: int) -> None:
        """Take the next latencies as used."""
        self._next += count


class _LoadDependent:
    """Latencies that grow with the number of interrupts in the window just past."""

    def __init__(self, sample: Sampler, gain: float, window_ps: int) -> None:
        self._drawn = _Drawn(sample)
        self._gain, self._window_ps = gain, window_ps
        self._recent_ps: deque[int] = deque()

    def draw(self, now_ps: int) -> int:
        recent = self._recent_ps
        while recent and recent[0] <= now_ps - self._window_ps:
            recent.popleft()
        latency_ps = round(self._drawn.draw(now_ps) * (1 + self._gain * len(recent)))
        recent.append(now_ps)
        return latency_ps

    def ahead(self) -> Int64Array:
        """Return nothing: latencies depend on the times."""
        return NONE

    def skip(self, count: int) -> None:
        """Skip nothing: none was seen ahead."""


def _block(sample: Sampler) -> Int64Array:
    return np.maximum(np.rint(sample(BLOCK)), 0).astype(np.int64)


def build_model(model: settings.LatencyModel, rng: np.random.Generator) -> LatencyModel:
    """Build the model of a fixture. Raises InputError if its published row is not there."""
    match model:
        case settings.ConstantModel():
            return _Drawn(lambda n: np.full(n, model.latency_ps))
        case settings.GammaModel():
            return _Drawn(lambda n: model.minimum_ps + rng.gamma(model.shape, model.scale_ps, n))
        case settings.ReferenceModel():
            return _Drawn(_published(model.row, rng))
        case settings.NormalModel():
            return _Drawn(_truncated_normal(model, rng))
        case settings.MixtureModel():
            return _Drawn(_with_outliers(model, rng))
        case settings.LoadModel():
            return _LoadDependent(
                _truncated_normal(model, rng), model.load_gain, model.load_window_ps
            )


def _truncated_normal(
    model: settings.NormalModel | settings.MixtureModel | settings.LoadModel,
    rng: np.random.Generator,
) -> Sampler:
    """Return a sampler that draws anew below the minimum: no clipping, so no pile-up there."""
    if model.deviation_ps == 0:
        return lambda n: np.full(n, model.mean_ps)
    low = (model.minimum_ps - model.mean_ps) / model.deviation_ps
    return lambda n: model.mean_ps + model.deviation_ps * truncated_normal(rng.uniform(size=n), low)


def truncated_normal(probability: Samples, low: float) -> Samples:
    """Quantiles of the standard normal distribution cut off below `low`.

    What scipy.stats.truncnorm(low, inf).ppf gives, to the bit. scipy.stats as a whole takes a
    second of processor time to load, which every start of the virtual bench would pay for.
    """
    from scipy import special

    if low < 0:
        mass = special.log1p(-special.ndtr(low))
        left = np.full_like(probability, special.log_ndtr(low))
        logarithm = special.logsumexp([left, np.log(probability) + mass], axis=0)
        return np.asarray(special.ndtri_exp(logarithm))
    return np.asarray(-special.ndtri_exp(np.log1p(-probability) + special.log_ndtr(-low)))


def _with_outliers(model: settings.MixtureModel, rng: np.random.Generator) -> Sampler:
    """Return a sampler with outliers, uniform between the body's mean and the largest."""
    body = _truncated_normal(model, rng)

    def sample(n: int) -> npt.NDArray[Any]:
        values = body(n).astype(float)
        outlier = rng.random(n) < model.outlier_probability
        values[outlier] = rng.uniform(
            model.mean_ps, model.outlier_latency_ps, np.count_nonzero(outlier)
        )
        return values

    return sample


def _published(name: str, rng: np.random.Generator) -> Sampler:
    """Return a beta sampler on [min, max] with the row's average and deviation (method of moments).

    Johnson, Kotz, Balakrishnan, "Continuous Univariate Distributions" vol. 2, 2nd ed., ch. 25.
    """
    average, low, high, deviation = _published_figures_ps(name)
    gap = high - low
    mean, variance = (average - low) / gap, (deviation / gap) ** 2
    concentration = mean * (1 - mean) / variance - 1
    if concentration <= 0:
        raise InputError(f"published row {name!r}: its deviation is too large for its range")
    a, b = mean * concentration, (1 - mean) * concentration
    return lambda n: low + gap * rng.beta(a, b, n)


def _published_figures_ps(name: str) -> tuple[int, ...]:
    source = resources.files("rig.virtual") / "reference" / "radder2015_benchmarks.csv"
    lines = source.read_text(encoding="utf-8").splitlines()
    rows = {"/".join(row[key] for key in _ROW_KEY): row for row in csv.DictReader(lines)}
    if name not in rows:
        some = ", ".join(f'"{row}"' for row in [n for n in rows if "/interrupt/" in n][:3])
        raise InputError(f"no published row {name!r}; valid: {'/'.join(_ROW_KEY)}, such as {some}")
    try:
        return tuple(round(float(rows[name][key]) * PS_PER_US) for key in _ROW_FIGURES)
    except ValueError:
        raise InputError(f"published row {name!r} lacks a figure; choose another row") from None
