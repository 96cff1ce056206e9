# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency models of the virtual target: seeded, so that every run can be made again.

A model hands out one latency for each interrupt, in whole picoseconds. Draws are made a block at a
time, because a call of numpy's generator costs more than the rest of an event.
"""

from __future__ import annotations

import csv
import math
from collections import deque
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import stats

from rig.config import virtual as settings
from rig.errors import InputError

BLOCK = 4096
PS_PER_US = 10**6
_ROW_KEY = ("table", "system", "test", "variant", "scenario")
_ROW_FIGURES = ("average_us", "min_us", "max_us", "deviation_us")

Sampler = Callable[[int], npt.NDArray[Any]]


class LatencyModel(Protocol):
    """Latencies of one target."""

    def draw(self, now_ps: int) -> int:
        """Latency in ps of an interrupt that arrives now; times must not fall."""


class _Drawn:
    """Latencies drawn independently of each other and of the load."""

    def __init__(self, sample: Sampler) -> None:
        self._values = _endless(sample)

    def draw(self, now_ps: int) -> int:  # noqa: ARG002 - only a load model looks at the time
        return next(self._values)


class _LoadDependent:
    """Latencies that grow with the number of interrupts in the window just past."""

    def __init__(self, sample: Sampler, gain: float, window_ps: int) -> None:
        self._values = _endless(sample)
        self._gain, self._window_ps = gain, window_ps
        self._recent_ps: deque[int] = deque()

    def draw(self, now_ps: int) -> int:
        recent = self._recent_ps
        while recent and recent[0] <= now_ps - self._window_ps:
            recent.popleft()
        latency_ps = round(next(self._values) * (1 + self._gain * len(recent)))
        recent.append(now_ps)
        return latency_ps


def _endless(sample: Sampler) -> Iterator[int]:
    while True:
        yield from np.maximum(np.rint(sample(BLOCK)), 0).astype(np.int64).tolist()


def build_model(model: settings.LatencyModel, rng: np.random.Generator) -> LatencyModel:
    """The model that a fixture describes. Raises InputError if its published row is not there."""
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
    """Drawn anew below the minimum, not clipped to it: there is no pile-up at the minimum."""
    if model.deviation_ps == 0:
        return lambda n: np.full(n, model.mean_ps)
    low = (model.minimum_ps - model.mean_ps) / model.deviation_ps
    body = stats.truncnorm(low, math.inf, model.mean_ps, model.deviation_ps)
    return lambda n: np.asarray(body.rvs(n, random_state=rng))


def _with_outliers(model: settings.MixtureModel, rng: np.random.Generator) -> Sampler:
    """Outliers are uniform between the body's mean and the largest."""
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
    """Beta distribution on [min, max] with the row's average and deviation (method of moments).

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
