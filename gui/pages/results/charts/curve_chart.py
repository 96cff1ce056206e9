# SPDX-License-Identifier: GPL-3.0-or-later
"""The chart of what a run found over a quantity that it has varied, such as the stimuli's rate."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.pages.results.charts.axes import Axes, AxisRange, paint_axes, plot_area
from gui.pages.results.charts.charts import Chart
from gui.pages.results.charts.curves import RunDistribution
from gui.theme.palette import Palette
from gui.theme.theme import figures_font
from rig.document import Curve, Tone

_DOT = 3.5
_BESIDE = 9.0
"""The distance from a sign of the key to its words."""
_ROOM = 1.12
"""The factor of room beyond the least and the largest of what was varied."""
NO_CURVE: Final = Curve("", "", "", ())
WORDS: Final = (
    QT_TRANSLATE_NOOP("Curve", "Answered share over rate"),
    QT_TRANSLATE_NOOP("Curve", "stimuli/s"),
    QT_TRANSLATE_NOOP("Curve", "answered by an answer of its own, %"),
    QT_TRANSLATE_NOOP("Curve", "Time between answers over rate"),
    QT_TRANSLATE_NOOP("Curve", "average time between answers, us"),
    QT_TRANSLATE_NOOP("Curve", "Share of periods over their length"),
    QT_TRANSLATE_NOOP("Curve", "period, us"),
    QT_TRANSLATE_NOOP("Curve", "periods in which the task ran, %"),
    QT_TRANSLATE_NOOP("Curve", "kept"),
    QT_TRANSLATE_NOOP("Curve", "lost or behind"),
    QT_TRANSLATE_NOOP("Curve", "periods missed"),
)
"""Titles and keys of the curves of all measurements, as these write them."""


def curve_words(text: str) -> str:
    """Return words of a curve in the language in force."""
    return QCoreApplication.translate("Curve", text)


class CurveChart(Chart):
    """A chart with a dot for each value that was tried, and the limit as a dashed line."""

    def __init__(self, curve: Curve) -> None:
        super().__init__(curve_words(curve.title), ())
        self.curve = curve

    def axes(self, width: float, height: float) -> Axes | None:
        """Return the axes as painted at this size; None without a point."""
        return Axes(*self.ranges(), plot_area(width, height)) if self.curve.points else None

    def ranges(self) -> tuple[AxisRange, AxisRange]:
        """Return the ranges; that of what was varied is logarithmic."""
        low, high = self.curve.points[0].x, self.curve.points[-1].x
        return AxisRange(low / _ROOM, high * _ROOM, is_log=True), AxisRange(*self.curve.y_range)

    def x_words(self) -> str:
        """Return the title of what was varied."""
        return curve_words(self.curve.x_title)

    def y_words(self) -> str:
        """Return the title of what was found."""
        return curve_words(self.curve.y_title)

    def reading(self, value: float) -> str:
        """Return the point that is nearest along the axis, in a line."""
        if not self.curve.points:
            return ""
        return min(self.curve.points, key=lambda point: abs(np.log(point.x / value))).text

    def paint(self, painter: QPainter, width: float, height: float, colors: Palette) -> None:
        """Paint the chart into (0, 0) to (width, height)."""
        axes = self.axes(width, height)
        if axes is None:
            super().paint(painter, width, height, colors)
            return
        painter.fillRect(QRectF(0, 0, width, height), QColor(colors.panel))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_axes(painter, axes, self.x_words(), self.y_words(), colors)
        self._paint_curve(painter, axes, colors)
        self._paint_key(painter, axes, colors)

    def paint_run(self, painter: QPainter, axes: Axes, run: RunDistribution, color: QColor) -> None:
        """Paint nothing: this chart has no runs' latencies."""

    def _paint_curve(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        plot, curve = axes.plot, self.curve
        if curve.limit is not None:
            x = axes.point(curve.limit, axes.y.low).x()
            painter.setPen(QPen(QColor(colors.warn), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        places = [axes.point(point.x, point.y) for point in curve.points]
        painter.setPen(QPen(QColor(colors.dim), 1))
        painter.drawPolyline(QPolygonF(places))
        painter.setPen(Qt.PenStyle.NoPen)
        for point, place in zip(curve.points, places, strict=True):
            painter.setBrush(QColor(_color(point.tone, colors)))
            painter.drawEllipse(place, _DOT, _DOT)

    def _paint_key(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        """Paint what the colors mean, left of the axis's words; the limit if there is room."""
        painter.setFont(figures_font(8.5))
        wide = QFontMetricsF(painter.font()).horizontalAdvance
        left = axes.plot.left()
        x, room = left + _DOT, axes.plot.right() - wide(self.x_words())
        for color, text in self._key(colors):
            if x + _BESIDE + wide(text) > room:
                break
            self._paint_sign(painter, QPointF(x, axes.plot.bottom() + 31), color, colors)
            painter.setPen(QColor(colors.ink))
            painter.drawText(QPointF(x + _BESIDE, axes.plot.bottom() + 35), text)
            x += wide(text) + 3 * _BESIDE

    def _key(self, colors: Palette) -> list[tuple[str, str]]:
        there = {point.tone for point in self.curve.points}
        key = [
            (_color(tone, colors), curve_words(text))
            for tone, text in self.curve.key
            if tone in there
        ]
        if self.curve.limit is not None:
            key.append((colors.warn, self.curve.limit_text))
        return key

    def _paint_sign(self, painter: QPainter, at: QPointF, color: str, colors: Palette) -> None:
        if color == colors.warn:
            painter.setPen(QPen(QColor(color), 1.5))
            painter.drawLine(at - QPointF(0, 6), at + QPointF(0, 6))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawEllipse(at, _DOT, _DOT)


def _color(tone: Tone, colors: Palette) -> str:
    named = {Tone.GOOD: colors.good, Tone.WARN: colors.warn, Tone.BAD: colors.bad}
    return named.get(tone, colors.ink)
