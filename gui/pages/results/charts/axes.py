# SPDX-License-Identifier: GPL-3.0-or-later
"""Axes of a chart: linear or logarithmic, with their grid and their words."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from gui.plots.waveform.axis import tick_texts, ticks
from gui.theme.palette import Palette
from gui.theme.theme import figures_font

Floats = npt.NDArray[np.float64]
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 34, 44
STRIP_TOP, STRIP_BOTTOM = 30, 24
TICK_X_PX, TICK_Y_PX = 90, 30
FONT_PT = 8.5
_FAR = 1e5
Align = Qt.AlignmentFlag


@dataclass(frozen=True)
class AxisRange:
    """The range of values that an axis shows."""

    low: float
    high: float
    is_log: bool = False

    def part(self, values: Floats) -> Floats:
        """Return where values are on the axis: 0 at the low end, 1 at the high one."""
        if not self.is_log:
            return np.asarray((values - self.low) / (self.high - self.low), np.float64)
        logs = np.log10(np.maximum(values, self.low / 10))
        low, high = math.log10(self.low), math.log10(self.high)
        return np.asarray((logs - low) / (high - low), np.float64)

    def at(self, part: float) -> float:
        """Return the value at a part of the way."""
        if not self.is_log:
            return self.low + part * (self.high - self.low)
        return float(self.low * (self.high / self.low) ** part)

    def ticks(self, most: int) -> tuple[list[float], list[str]]:
        """Return values to mark, and their words."""
        if not self.is_log:
            values = ticks(self.low, self.high, max(most, 1))
            return values, tick_texts(values)
        low = math.ceil(math.log10(self.low) - 1e-9)
        high = math.floor(math.log10(self.high) + 1e-9)
        if high - low < 3 and most > 6:
            return self._fine_ticks(low - 1, high)
        step = max(1, -(-(high - low + 1) // max(most, 1)))
        powers = list(range(low, high + 1, step))
        return [10.0**power for power in powers], [power_text(power) for power in powers]

    def _fine_ticks(self, low: int, high: int) -> tuple[list[float], list[str]]:
        """Return ticks with 2 and 5 between the powers of ten."""
        values = [part * 10.0**power for power in range(low, high + 1) for part in (1, 2, 5)]
        values = [value for value in values if self.low <= value <= self.high]
        return values, [f"{value:,.10g}" for value in values]


def power_text(power: int) -> str:
    """Return a power of ten as people write it."""
    if 0 <= power <= 5:
        return f"{10**power:,}"
    if -4 <= power < 0:
        return f"{10.0**power:.{-power}f}"
    return f"1e{power}"


@dataclass(frozen=True)
class Axes:
    """The axes of a rectangle, with their ranges."""

    x: AxisRange
    y: AxisRange
    plot: QRectF

    def points(self, x: Floats, y: Floats) -> QPolygonF:
        """Return the pixels of values, shapes (n,)."""
        plot = self.plot
        px = np.clip(plot.left() + self.x.part(x) * plot.width(), -_FAR, _FAR)
        py = np.clip(plot.bottom() - self.y.part(y) * plot.height(), -_FAR, _FAR)
        return QPolygonF([QPointF(a, b) for a, b in zip(px.tolist(), py.tolist(), strict=True)])

    def point(self, x: float, y: float) -> QPointF:
        """Return the pixels of one value."""
        plot = self.plot
        part_x, part_y = (float(r.part(np.array([v]))[0]) for r, v in ((self.x, x), (self.y, y)))
        px = min(max(plot.left() + part_x * plot.width(), -_FAR), _FAR)
        py = min(max(plot.bottom() - part_y * plot.height(), -_FAR), _FAR)
        return QPointF(px, py)


def plot_area(width: float, height: float) -> QRectF:
    """Return the rectangle of the curves in a chart of this size."""
    return QRectF(LEFT, TOP, max(width - LEFT - RIGHT, 1), max(height - TOP - BOTTOM, 1))


def paint_axes(
    painter: QPainter,
    axes: Axes,
    x_words: str,
    y_words: str,
    colors: Palette,
    *,
    strip: bool = False,
) -> None:
    """Paint grid, ticks, and what the axes are of; of a strip in one line, to save height."""
    plot = axes.plot
    painter.setFont(figures_font(FONT_PT))
    values, texts = axes.x.ticks(int(plot.width() / TICK_X_PX))
    for value, text in zip(values, texts, strict=True):
        x = round(axes.point(value, axes.y.low).x())
        _grid(painter, QLineF(x, plot.top(), x, plot.bottom()), colors)
        box = QRectF(x - 50, plot.bottom() + 5, 100, 16)
        painter.drawText(box, int(Align.AlignCenter), text)
    values, texts = axes.y.ticks(int(plot.height() / TICK_Y_PX))
    for value, text in zip(values, texts, strict=True):
        y = round(axes.point(axes.x.low, value).y())
        _grid(painter, QLineF(plot.left(), y, plot.right(), y), colors)
        box = QRectF(0, y - 8, plot.left() - 8, 16)
        painter.drawText(box, int(Align.AlignRight | Align.AlignVCenter), text)
    painter.setPen(QColor(colors.line))
    painter.drawLine(QLineF(plot.left(), plot.bottom(), plot.right(), plot.bottom()))
    painter.setPen(QColor(colors.dim))
    below = QRectF(plot.left(), 6 if strip else plot.bottom() + 22, plot.width(), 18)
    painter.drawText(below, int(Align.AlignRight | Align.AlignVCenter), x_words)
    painter.drawText(QRectF(LEFT - 50, 6, 300, 18), int(Align.AlignVCenter), y_words)


def _grid(painter: QPainter, line: QLineF, colors: Palette) -> None:
    painter.setPen(QColor(colors.grid))
    painter.drawLine(line)
    painter.setPen(QColor(colors.dim))
