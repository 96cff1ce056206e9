# SPDX-License-Identifier: GPL-3.0-or-later
"""The line below all points of a stream, in little memory.

What waits for a moment is never early, only late: noise has one side, and a least-squares line
would lie among the late ones. Of all lines that have no point below them, the one with the smallest
sum of distances is the edge of the lower convex hull that spans the mean abscissa (the linear
program of Moon, Skelly and Towsley, "Estimation and removal of clock skew from network delay
measurements", INFOCOM 1999). Only vertices of the hull are kept.

A few points far below the others, as of wake-ups that found the processor awake already, tilt that
edge. So the points are dealt to several hulls in turn: the line takes the median of their slopes,
and their spread is the measure of how well the points determine it.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

import numpy as np

from rig.instruments import Int64Array

Point = tuple[int, int]
_EXACT_MAX = 1 << 62
_FEW = 64
"""Number of points up to which an array operation is not worth it."""


DEALT_TO = 9
DEALT_MIN = 16
"""Points that each of these hulls needs; with fewer there is one line through all."""
_MEDIAN_SPREAD = 1.2533
"""Standard error of a median over that of the mean, sqrt(pi / 2), of normal values."""


@dataclass(frozen=True)
class EnvelopeLine:
    """A line through (x, y) that rises by `rise` every `run`."""

    x: int
    y: int
    run: int
    rise: int
    slope_uncertainty: float | None = None
    """Standard uncertainty of the slope; None with too few points."""

    @property
    def slope(self) -> float:
        """Rise for each step of x."""
        return self.rise / self.run


class LowerEnvelope:
    """The points of a stream, of increasing x, that a line from below can touch."""

    def __init__(self) -> None:
        self._hull: list[Point] = []
        self._n = 0
        self._sum_x = 0

    def add(self, x: Int64Array, y: Int64Array) -> None:
        """Add points, shapes (n,); `x` increases within and between calls."""
        self._n += len(x)
        self._sum_x += sum(x.tolist())
        x, y = _thinned(x, y)
        for point in zip(x.tolist(), y.tolist(), strict=True):
            self._append(point)

    def _append(self, point: Point) -> None:
        hull = self._hull
        while len(hull) > 1 and not _is_below(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)

    @property
    def vertices(self) -> list[Point]:
        """Return the vertices of the lower convex hull, in order of x."""
        return list(self._hull)

    def line(self) -> EnvelopeLine | None:
        """Return the line below all points; level through a single one; None without any."""
        hull = self._hull
        if not hull:
            return None
        if len(hull) == 1:
            return EnvelopeLine(*hull[0], 1, 0)
        right = next(i for i in range(1, len(hull)) if hull[i][0] * self._n >= self._sum_x)
        (x, y), (x_2, y_2) = hull[right - 1], hull[right]
        return EnvelopeLine(x, y, x_2 - x, y_2 - y)


class EarliestLine:
    """The line through the earliest points, with a slope that no single one of them decides."""

    def __init__(self) -> None:
        self._all = LowerEnvelope()
        self._dealt = [LowerEnvelope() for _ in range(DEALT_TO)]
        self._n = 0

    def add(self, x: Int64Array, y: Int64Array) -> None:
        """Add points, shapes (n,); `x` increases within and between calls."""
        self._all.add(x, y)
        for number, hull in enumerate(self._dealt):
            first = (number - self._n) % DEALT_TO
            hull.add(x[first::DEALT_TO], y[first::DEALT_TO])
        self._n += len(x)

    def line(self) -> EnvelopeLine | None:
        """Return the line with no point below it and at least one on it; None without points."""
        whole = self._all.line()
        if whole is None or self._n < DEALT_TO * DEALT_MIN:
            return whole
        lines = [line for hull in self._dealt if (line := hull.line()) is not None]
        lines.sort(key=lambda line: line.slope)
        tilt = lines[len(lines) // 2]
        x, y = min(self._all.vertices, key=lambda v: v[1] * tilt.run - tilt.rise * v[0])
        spread = statistics.stdev(line.slope for line in lines)
        uncertainty = _MEDIAN_SPREAD * spread / len(lines) ** 0.5
        return EnvelopeLine(x, y, tilt.run, tilt.rise, uncertainty)


def _is_below(a: Point, b: Point, c: Point) -> bool:
    """Return whether b lies below the chord from a to c."""
    return (b[1] - a[1]) * (c[0] - a[0]) < (c[1] - a[1]) * (b[0] - a[0])


def _thinned(x: Int64Array, y: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the points but those on or above the chord of their neighbors, which are no vertices.

    That holds for all of them at once, since the neighbors are points of the stream themselves.
    """
    if len(x) <= _FEW or _product_max(x, y) >= _EXACT_MAX:
        return x, y
    while len(x) > _FEW:
        rise, run = np.diff(y), np.diff(x)
        above = rise[:-1] * run[1:] >= rise[1:] * run[:-1]
        keep = np.concatenate([[True], ~above, [True]])
        if keep.all():
            break
        x, y = x[keep], y[keep]
    return x, y


def _product_max(x: Int64Array, y: Int64Array) -> int:
    return (int(x[-1]) - int(x[0])) * (int(y.max()) - int(y.min()))
