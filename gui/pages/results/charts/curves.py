# SPDX-License-Identifier: GPL-3.0-or-later
"""Exact histograms of runs as outlines, whatever rates the runs were sampled at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gui.theme.palette import Palette
from rig.analysis.statistics.descriptive import ExactHistogram

Floats = npt.NDArray[np.float64]
BINS = 200
POINTS = 1500


@dataclass(frozen=True, eq=False)
class RunDistribution:
    """One run's latencies."""

    name: str
    histogram: ExactHistogram
    sample_ns: float
    quantity: str = ""
    """What its values are, as reports name them; "": latencies."""

    @property
    def low_us(self) -> float:
        return float(self.histogram.values[0]) * self.sample_ns / 1e3

    @property
    def high_us(self) -> float:
        return float(self.histogram.values[-1]) * self.sample_ns / 1e3


def series_color(number: int, colors: Palette) -> str:
    """The first is the accent; more runs than colors take them again."""
    light = ("#1f66b0", "#c25e00", "#2e7d32", "#7b3fb0", "#00838f", "#a3324f")
    dark = ("#63a4ea", "#f0a050", "#6cc070", "#b78ae8", "#4cc4d0", "#ee86a0")
    return (dark if colors.dark else light)[number % len(light)]


def extent_us(runs: Sequence[RunDistribution]) -> tuple[float, float]:
    """Least and largest latency of all runs, of which there is one at least."""
    return min(run.low_us for run in runs), max(run.high_us for run in runs)


def binned(
    run: RunDistribution, low_us: float, high_us: float, bins: int = BINS
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Edges in us, shape (k + 1,), and counts, shape (k,).

    Bins are whole samples wide, so that they do not beat with the sampling.
    """
    sample_us = run.sample_ns / 1e3
    step = max(1, int(np.ceil((high_us - low_us) / sample_us / bins)))
    values = run.histogram.values
    first = int(values[0]) // step * step
    number = (values - first) // step
    k = int(number[-1]) + 1
    counts = np.bincount(number, weights=run.histogram.counts, minlength=k).astype(np.int64)
    return np.asarray((first + step * np.arange(k + 1)) * sample_us, np.float64), counts


def outline(edges: Floats, heights: Floats, base: float) -> tuple[Floats, Floats]:
    """Bars as one line."""
    return np.repeat(edges, 2), np.concatenate(([base], np.repeat(heights, 2), [base]))


def share_above(run: RunDistribution) -> tuple[Floats, Floats]:
    """Latency in us, ascending, and the share of latencies that are longer.

    The last point is the observed maximum, drawn at the share of one: none is longer. At most
    about POINTS of them, those of the tail all among them.
    """
    values, counts = run.histogram.values, run.histogram.counts
    n = run.histogram.n
    above = np.cumsum(counts[::-1])[::-1] - counts
    if len(values) > POINTS:
        even = np.linspace(0, len(values) - 1, POINTS // 2).astype(np.int64)
        tail = np.arange(len(values) - POINTS // 2, len(values))
        keep = np.union1d(even, tail)
        values, above = values[keep], above[keep]
    x = values * (run.sample_ns / 1e3)
    share = np.maximum(above, 1) / n
    return np.repeat(x, 2)[1:], np.repeat(share, 2)[:-1]
