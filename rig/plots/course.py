# SPDX-License-Identifier: GPL-3.0-or-later
"""Every value of a run over time: points, their average, and the extremes of each stretch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from rig.analysis.statistics.course import Scatter, TimeCourse
from rig.arrays import FloatArray
from rig.plots.hand_drawn import line, plot, shaded, text, ticks

_WIDTH, _HEIGHT = 1000.0, 250.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 80.0, 12.0, 26.0, 44.0
_PALEST: Final = 0.5
"""Share of the color that a cell with one value has."""
_ROOM: Final = 0.06
_FROM_ZERO: Final = 0.5
"""The axis begins at 0 if the least value is below this share of the largest."""
_DOTS_MAX: Final = 2500
"""Most cells that are drawn as dots; more are an image."""
_UNITS: Final = (("h", 3600.0), ("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
"""Units of time; a course is drawn in the largest that it fills."""
_BUSY: Final = 40
"""Values a stretch, on average, from which extremes and average are drawn beside the points."""


def course_svg(
    name: str, course: TimeCourse, unit_ns: float, *, quantity: str, limit_us: float | None = None
) -> str:
    """Return the plot of values in units of `unit_ns`; "" without any. `name` makes ids unique."""
    if not course.used:
        return ""
    frame = _Frame(course, unit_ns)
    parts = [
        *_axes(frame, quantity),
        *([] if course.scatter is None else [_points(name, frame, course.scatter)]),
        *_stretches(frame, course),
        *_limit(frame, limit_us),
        *_worst(frame, course),
    ]
    return plot(f"Every {quantity} over the run", _WIDTH, _HEIGHT, parts)


class _Frame:
    """Places in the plot."""

    def __init__(self, course: TimeCourse, unit_ns: float) -> None:
        self.unit_us = unit_ns / 1e3
        used = slice(course.used)
        low = float(course.least[used].min()) * self.unit_us
        high = float(course.largest[used].max()) * self.unit_us
        if 0 < low < _FROM_ZERO * high:
            low = 0.0
        room = _ROOM * (high - low) or 0.5 * self.unit_us
        self.low_us = low if low == 0 else low - room
        self.high_us = high + room
        self.stretch_s = 2.0**course.doublings * course.time_unit_s
        self.time_unit_s = course.time_unit_s
        self.origin = course.origin or 0
        last = self.origin if course.scatter is None else course.scatter.last
        known_s = (last - self.origin) * self.time_unit_s
        self.end_s = max(known_s, (course.used - 1) * self.stretch_s) or self.stretch_s

    def x(self, at_s: float) -> float:
        """Return the place of a time since the first value."""
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * min(1.0, at_s / self.end_s)

    def y(self, value_us: float) -> float:
        """Return the place of a value."""
        share = (value_us - self.low_us) / (self.high_us - self.low_us)
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share


def _axes(frame: _Frame, quantity: str) -> Iterator[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    for at_us in ticks(frame.low_us, frame.high_us, 6):
        y = frame.y(at_us)
        yield line(_LEFT, y, right, y, "grid")
        yield text(_LEFT - 9, y + 4, f"{at_us:,.6g}", "end")
    yield line(_LEFT, bottom, right, bottom, "dim")
    unit, unit_s = next((each for each in _UNITS if frame.end_s >= each[1]), _UNITS[-1])
    for at in ticks(0.0, frame.end_s / unit_s, 10):
        x = frame.x(at * unit_s)
        yield line(x, bottom, x, bottom + 4, "dim")
        yield text(x, bottom + 17, f"{at:,.6g}", "middle")
    words = f"time in {unit} since the first value"
    yield text((_LEFT + right) / 2, _HEIGHT - 8, words, "middle")
    yield text(_LEFT - 62, 14, f"{quantity} in µs", "start")


def _points(name: str, frame: _Frame, found: Scatter) -> str:
    """Return all values as dots or, if they are many, as cells, the darker the more lie in one."""
    cells = found.cells[::-1].astype(np.float64)
    scale = np.log1p(max(2.0, float(cells.max())))
    shades = np.where(cells > 0, _PALEST + (1 - _PALEST) * np.log1p(cells) / scale, 0.0)
    left, right = (
        frame.x((at - frame.origin) * frame.time_unit_s) for at in (found.first, found.last)
    )
    top, bottom = (frame.y(value * frame.unit_us) for value in (found.high, found.low))
    rows, columns = cells.shape
    # Cells of the first and the last value have their middles there.
    high, wide = (bottom - top) / (rows - 1) or 3.0, (right - left) / (columns - 1) or 3.0
    filled = np.argwhere(cells).tolist()
    if len(filled) <= _DOTS_MAX:
        return _dots([f"{left + at * wide:.1f} {top + row * high:.1f}" for row, at in filled], 3.5)
    return shaded(
        name, shades, left - wide / 2, top - high / 2, wide * columns,
        high * rows if bottom > top else high,
    )  # fmt: skip


def _stretches(frame: _Frame, course: TimeCourse) -> Iterator[str]:
    """Yield the extremes and the average of each stretch, where it has several values."""
    n = int(course.count.sum())
    if n < _BUSY * course.used:
        return
    (filled,) = np.nonzero(course.count)
    x = [f"{frame.x((at + 0.5) * frame.stretch_s):.1f}" for at in filled.tolist()]

    def places(values: FloatArray) -> list[str]:
        heights = (f"{frame.y(each * frame.unit_us):.1f}" for each in values.tolist())
        return [f"{at} {y}" for at, y in zip(x, heights, strict=True)]

    extremes = places(course.largest[filled]) + places(course.least[filled])
    yield _dots(extremes, 3.0)
    average = "L".join(places(course.total[filled] / course.count[filled]))
    yield f'<path d="M{average}" fill="none" stroke-width="1.4" style="stroke: var(--ink)"/>'


def _dots(places: list[str], size: float) -> str:
    dots = "".join(f"M{place}h0" for place in places)
    return (
        f'<path d="{dots}" fill="none" stroke-linecap="round" stroke-width="{size:g}" '
        'stroke-opacity="0.75" style="stroke: var(--body)"/>'
    )


def _limit(frame: _Frame, limit_us: float | None) -> Iterator[str]:
    if limit_us is None or not frame.low_us < limit_us < frame.high_us:
        return
    y = frame.y(limit_us)
    yield (
        f'<path d="M{_LEFT:.1f} {y:.1f}H{_WIDTH - _RIGHT:.1f}" stroke-dasharray="5 4" '
        'style="stroke: var(--warn)"/>'
    )
    yield text(_WIDTH - _RIGHT, y - 4, f"limit {limit_us:g} µs", "end", "warn")


def _worst(frame: _Frame, course: TimeCourse) -> Iterator[str]:
    """Yield a dot at the largest value, in the stretch that has it."""
    place = int(np.argmax(course.largest))
    worst_us = float(course.largest[place]) * frame.unit_us
    x, y = frame.x((place + 0.5) * frame.stretch_s), frame.y(worst_us)
    anchor = "end" if x > _WIDTH / 2 else "start"
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" style="fill: var(--bad)"/>'
    yield text(x + (8 if anchor == "start" else -8), y + 4, f"{worst_us:.3f} µs", anchor, "bad")
