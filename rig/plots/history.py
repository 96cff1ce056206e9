# SPDX-License-Identifier: GPL-3.0-or-later
"""Many runs of one system in one picture of fixed depth, run behind run, as SVG written by hand.

Whatever their number, runs take the same room: of more than LAYERS_MAX, neighbors share a layer,
which shows the largest count of any of them in each bin. Runs are not shifted along x, so the axis
holds for all of them; height is the logarithm of the count, by the axis at the front.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from rig.plots.hand_drawn import line, plot, text, ticks

LAYERS_MAX: Final = 80
_WIDTH, _LEFT, _RIGHT, _TOP = 1000.0, 80.0, 132.0, 14.0
_LAYER_STEP: Final = 24.0
"""Most distance between two layers, where there are few."""
_DEPTH: Final = 330.0
"""Height that all layers share, but for that of the hindmost itself."""
_HEIGHT: Final = 150.0
"""Height of the largest count."""
_ONE: Final = 0.35
"""Height of a count of 1, in decades."""
_MAXIMA_HEIGHT: Final = 120.0
_DATES: Final = 9
_TICKS: Final = 10
_COLORS: Final = (
    "color-mix(in srgb, var(--body) 38%, var(--paper))",
    "color-mix(in srgb, var(--body) 75%, var(--paper))",
    "color-mix(in srgb, var(--body) 75%, var(--ink))",
)
"""Colors by height, lowest first, made of the page's."""
_ROOM: Final = 0.02
"""Room on both sides of all values, as a share of the axis."""


@dataclass(frozen=True)
class HistoryRun:
    """A run in the picture: its counts by bin, shape (k,), its maximum and when it was made."""

    date: str
    counts: npt.NDArray[np.int64]
    worst_us: float


def history_svg(
    name: str, title: str, runs: Sequence[HistoryRun], edges_us: npt.NDArray[np.float64]
) -> str:
    """Return the picture as an <svg> element, oldest run in front; `name` makes its ids unique."""
    layers = _layers(runs)
    frame = _Frame(len(layers), edges_us, max(int(run.counts.max()) for run in runs))
    parts = [
        *_gradient(name, frame),
        *_axes(frame),
        *_ridges(name, frame, layers),
        *_count_axis(frame),
        *_dates(frame, layers),
        *_maxima(frame, runs),
    ]
    return plot(title, _WIDTH, frame.bottom + 98 + _MAXIMA_HEIGHT, parts)


@dataclass(frozen=True)
class _Layer:
    """Neighboring runs that are drawn as one."""

    date: str
    counts: npt.NDArray[np.int64]
    worst_us: float
    first: int
    """Number of its first run."""


def _layers(runs: Sequence[HistoryRun]) -> list[_Layer]:
    """Return at most LAYERS_MAX layers, of as many runs each as nearly as can be."""
    bounds = np.linspace(0, len(runs), min(LAYERS_MAX, len(runs)) + 1).astype(int)
    return [
        _Layer(
            runs[first].date,
            np.max([run.counts for run in runs[first:end]], axis=0),
            max(run.worst_us for run in runs[first:end]),
            int(first),
        )
        for first, end in pairwise(bounds)
    ]


class _Frame:
    """Places in the picture."""

    def __init__(self, layers: int, edges_us: npt.NDArray[np.float64], largest: int) -> None:
        self.edges_us, self.largest = edges_us, max(10, largest)
        self.step = min(_LAYER_STEP, _DEPTH / max(1, layers - 1))
        self.bottom = _TOP + _HEIGHT + self.step * (layers - 1)
        self.right = _WIDTH - _RIGHT
        first_us, last_us = float(edges_us[0]), float(edges_us[-1])
        room_us = _ROOM * (last_us - first_us)
        self.low_us, self.high_us = first_us - room_us, last_us + room_us

    def x(self, at_us: float) -> float:
        """Return the place of a latency."""
        return _LEFT + (self.right - _LEFT) * (at_us - self.low_us) / (self.high_us - self.low_us)

    def base(self, layer: int) -> float:
        """Return the height at which a layer begins."""
        return self.bottom - layer * self.step

    def height(self, count: float) -> float:
        """Return how high a count is above its layer's base."""
        return _HEIGHT * (math.log10(count) + _ONE) / (math.log10(self.largest) + _ONE)


def _gradient(name: str, frame: _Frame) -> Iterator[str]:
    """Yield the colors by height above the base, from which each layer is drawn."""
    yield (
        f'<defs><linearGradient id="{name}-height" gradientUnits="userSpaceOnUse" x1="0" y1="0" '
        f'x2="0" y2="{-frame.height(frame.largest):.1f}">'
    )
    for place, color in enumerate(_COLORS):
        share = place / (len(_COLORS) - 1)
        yield f'<stop offset="{share:.3f}" style="stop-color: {color}"/>'
    yield "</linearGradient></defs>"


def _axes(frame: _Frame) -> Iterator[str]:
    """Yield the latency's axis, whose lines go through the whole depth."""
    for at in ticks(frame.low_us, frame.high_us, _TICKS):
        x = frame.x(at)
        yield line(x, _TOP, x, frame.bottom, "grid")
        yield text(x, frame.bottom + 18, f"{at:,.6g}", "middle")
    yield line(_LEFT, frame.bottom, frame.right, frame.bottom, "dim")


def _ridges(name: str, frame: _Frame, layers: Sequence[_Layer]) -> Iterator[str]:
    """Yield the layers from the back to the front, and the maximum of each."""
    worst = max(layer.worst_us for layer in layers)
    width = 0.9 if frame.step > 8 else 0.5
    for place in range(len(layers) - 1, -1, -1):
        layer, y = layers[place], frame.base(place)
        yield (
            f'<path transform="translate(0 {y:.1f})" fill="url(#{name}-height)" '
            f'style="stroke: var(--paper)" stroke-width="{width}" d="{_outline(frame, layer)}"/>'
        )
        x, middle = frame.x(layer.worst_us), y - frame.height(1) / 2
        is_worst = layer.worst_us == worst
        size = 4 if is_worst else 2
        yield f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="{size}" style="fill: var(--bad)"/>'
        if is_worst:
            yield text(x - 8, middle - 9, f"{worst:.3f} µs", "end", "bad")


def _outline(frame: _Frame, layer: _Layer) -> str:
    """Return the path around all bins that have values, from the layer's base."""
    path, before = [], 0
    for place, count in enumerate([*layer.counts.tolist(), 0]):
        if count == before:
            continue
        x = frame.x(float(frame.edges_us[place]))
        y = -frame.height(count) if count else 0.0
        path.append(f"H{x:.1f}V{y:.1f}" if before else f"M{x:.1f} 0V{y:.1f}")
        if not count:
            path.append("Z")
        before = count
    return "".join(path)


def _count_axis(frame: _Frame) -> Iterator[str]:
    """Yield the axis of counts, which holds for the run in front and, moved, for all others."""
    for power in range(math.floor(math.log10(frame.largest)) + 1):
        y = frame.bottom - frame.height(10**power)
        yield line(_LEFT - 5, y, _LEFT, y, "dim")
        yield text(_LEFT - 9, y + 4, f"{10**power:,}", "end")
    top = frame.bottom - frame.height(frame.largest)
    yield line(_LEFT, frame.bottom, _LEFT, top, "dim")
    yield text(_LEFT - 9, top - 14, "count", "end")
    yield text((_LEFT + frame.right) / 2, frame.bottom + 38, "latency in µs", "middle")


def _dates(frame: _Frame, layers: Sequence[_Layer]) -> Iterator[str]:
    """Yield when about _DATES of the layers were made, the first and the last among them."""
    for place in some(len(layers), _DATES):
        y = frame.base(place)
        yield line(frame.right, y, frame.right + 6, y, "dim")
        yield text(frame.right + 10, y + 4, layers[place].date, "start")


def _maxima(frame: _Frame, runs: Sequence[HistoryRun]) -> Iterator[str]:
    """Yield the maximum of each run by its number, in a plot of its own."""
    top = frame.bottom + 62
    bottom = top + _MAXIMA_HEIGHT
    worst = max(run.worst_us for run in runs)
    right = frame.right

    def x(number: int) -> float:
        return _LEFT + (right - _LEFT) * (number + 0.5) / len(runs)

    def y(at_us: float) -> float:
        return bottom - _MAXIMA_HEIGHT * max(0.0, at_us) / (1.05 * worst)

    for at in ticks(0.0, worst, 4):
        yield line(_LEFT, y(at), right, y(at), "grid")
        yield text(_LEFT - 9, y(at) + 4, f"{at:,.6g}", "end")
    dots = "".join(f"M{x(n):.1f} {y(run.worst_us):.1f}h0" for n, run in enumerate(runs))
    size = 5 if len(runs) <= 100 else 3
    yield (
        f'<path d="{dots}" fill="none" stroke-linecap="round" stroke-width="{size}" '
        'style="stroke: var(--bad)"/>'
    )
    yield line(_LEFT, bottom, right, bottom, "dim")
    for number in some(len(runs), 5):
        yield line(x(number), bottom, x(number), bottom + 4, "dim")
        yield text(x(number), bottom + 18, runs[number].date, "middle")
    yield text(_LEFT - 62, top - 8, "observed maximum of each run in µs", "start")


def some(count: int, most: int) -> list[int]:
    """Return the places of about so many of `count` things, the first and the last among them."""
    return sorted({round(each) for each in np.linspace(0, count - 1, min(most, count))})
