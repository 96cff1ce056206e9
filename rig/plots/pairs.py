# SPDX-License-Identifier: GPL-3.0-or-later
"""Two pairs of figures of several runs beside each other: mean and median, deviation and
interquartile range, as figures 7 and 8 of the RT-golem paper have them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from rig.plots.hand_drawn import line, plot, text, ticks

_WIDTH, _LEFT, _RIGHT, _TOP, _BOTTOM = 1000.0, 270.0, 20.0, 30.0, 46.0
_ROW: Final = 24.0
_BETWEEN: Final = 60.0
_NAME_MAX: Final = 38
ROWS_MAX: Final = 200
_NAMES: Final = (("mean", "median"), ("deviation", "interquartile range"))
_WIDE: Final = 50
"""The ratio of largest to smallest from which an axis is logarithmic."""


@dataclass(frozen=True)
class FigurePairs:
    """The figures of one row, in microseconds; None where there is none."""

    name: str
    average_us: float | None
    median_us: float | None
    deviation_us: float | None
    iqr_us: float | None

    @property
    def pairs(self) -> tuple[tuple[float | None, float | None], ...]:
        """The pair of each of the two parts."""
        return (self.average_us, self.median_us), (self.deviation_us, self.iqr_us)


def pairs_svg(title: str, rows: Sequence[FigurePairs]) -> str:
    """Return the plot of the first ROWS_MAX rows; "" without a value."""
    shown = rows[:ROWS_MAX]
    if not any(value is not None for row in shown for value in chain(*row.pairs)):
        return ""
    height = _TOP + _ROW * len(shown) + _BOTTOM
    wide = (_WIDTH - _LEFT - _RIGHT - _BETWEEN) / 2
    parts: list[str] = []
    for place, row in enumerate(shown):
        name = row.name if len(row.name) <= _NAME_MAX else f"{row.name[: _NAME_MAX - 1]}…"
        parts.append(text(_LEFT - 14, _y(place) + 4, name, "end"))
    for part, names in enumerate(_NAMES):
        left = _LEFT + part * (wide + _BETWEEN)
        values = [row.pairs[part] for row in shown]
        parts += _part(_Axis.of(list(chain(*values)), left, wide), names, values)
    return plot(title, _WIDTH, height, parts)


def _y(row: int) -> float:
    return _TOP + _ROW * (row + 0.5)


@dataclass(frozen=True)
class _Axis:
    """An axis from 0 or, where values are far apart, a logarithmic one."""

    left: float
    wide: float
    low: float
    high: float
    is_log: bool

    @classmethod
    def of(cls, values: Sequence[float | None], left: float, wide: float) -> _Axis:
        """Return an axis that has room for all values."""
        known = [value for value in values if value is not None] or [0.0]
        low, high = min(known), max(known)
        if low > 0 and high > _WIDE * low:
            return cls(left, wide, low / 1.3, high * 1.3, is_log=True)
        return cls(left, wide, min(0.0, 1.05 * low), 1.05 * high or 1.0, is_log=False)

    def x(self, value: float) -> float:
        """Return the place of a value."""
        if self.is_log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.left + self.wide * share

    def ticks(self) -> list[float]:
        """Return the values that are written."""
        if not self.is_log:
            return ticks(self.low, self.high, 5)
        first, last = (math.log10(end) for end in (self.low, self.high))
        return [10.0**power for power in range(math.ceil(first), math.floor(last) + 1)]


def _part(
    axis: _Axis, names: tuple[str, str], values: Sequence[tuple[float | None, float | None]]
) -> Iterator[str]:
    bottom = _TOP + _ROW * len(values)
    for at in axis.ticks():
        yield line(axis.x(at), _TOP, axis.x(at), bottom, "grid")
        yield text(axis.x(at), bottom + 18, f"{at:,.6g}", "middle")
    yield line(axis.left, bottom, axis.left + axis.wide, bottom, "dim")
    yield text(axis.left + axis.wide / 2, bottom + 38, "µs", "middle")
    yield _dot(axis.left + 6, 12, is_first=True) + text(axis.left + 15, 16, names[0], "start")
    yield _dot(axis.left + 126, 12, is_first=False) + text(axis.left + 135, 16, names[1], "start")
    for row, pair in enumerate(values):
        known = [axis.x(value) for value in pair if value is not None]
        if len(known) == len(pair):
            yield line(min(known), _y(row), max(known), _y(row), "dim")
        for place in (1, 0):
            if (value := pair[place]) is not None:
                yield _dot(axis.x(value), _y(row), is_first=not place)


def _dot(x: float, y: float, *, is_first: bool) -> str:
    """Return a full dot for the first of a pair, a ring for the second, which may be upon it."""
    if is_first:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" style="fill: var(--body)"/>'
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" stroke-width="1.6" fill="none" '
        'style="stroke: var(--second)"/>'
    )
