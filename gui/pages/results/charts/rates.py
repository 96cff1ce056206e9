# SPDX-License-Identifier: GPL-3.0-or-later
"""Share of stimuli that got an answer of their own, over their rate: a search for the limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.pages.results.charts.axes import Axes, AxisRange, paint_axes, plot_area
from gui.pages.results.charts.charts import Chart, tr
from gui.pages.results.charts.curves import RunDistribution
from gui.theme.palette import Palette
from gui.theme.theme import figures_font

if TYPE_CHECKING:
    from rig.analysis.measurements.saturation import RateStep, SaturationFigures

_DOT = 3.5
_BESIDE = 9.0
"""From a sign of the key to its words."""
_ROOM = 1.12
"""Beyond the slowest and the fastest rate, as a factor."""


class RatesChart(Chart):
    """A dot for each hold, kept or lost, and the limit as a dashed line."""

    def __init__(self, title: str, found: SaturationFigures | None) -> None:
        super().__init__(title, ())
        holds: Sequence[RateStep] = () if found is None else found.holds
        self.holds = sorted(holds, key=lambda hold: hold.rate_hz)
        self.limit_hz = None if found is None else found.limit_hz

    def axes(self, width: float, height: float) -> Axes | None:
        """As painted at this size; None without a hold."""
        return Axes(*self.ranges(), plot_area(width, height)) if self.holds else None

    def ranges(self) -> tuple[AxisRange, AxisRange]:
        """Rates are logarithmic; shares from below the least."""
        low, high = self.holds[0].rate_hz, self.holds[-1].rate_hz
        least = min(map(share_percent, self.holds))
        bottom = least - max(3.0, (100 - least) * 0.08)
        return AxisRange(low / _ROOM, high * _ROOM, is_log=True), AxisRange(bottom, 103.0)

    def x_words(self) -> str:
        """Of the rates."""
        return tr("stimuli/s")

    def y_words(self) -> str:
        """Of the shares."""
        return tr("answered by an answer of its own, %")

    def reading(self, value: float) -> str:
        """The hold whose rate is nearest, in a line."""
        if not self.holds:
            return ""
        near = min(self.holds, key=lambda hold: abs(np.log(hold.rate_hz / value)))
        fate = tr("kept") if near.is_sustained else tr("lost or behind")
        return f"{near.rate_hz:,.0f}/s: {share_percent(near):.1f} %, {fate}"

    def paint(self, painter: QPainter, width: float, height: float, colors: Palette) -> None:
        """Into (0, 0) to (width, height)."""
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
        """It has no runs' latencies."""

    def _paint_curve(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        plot = axes.plot
        if self.limit_hz is not None:
            x = axes.point(self.limit_hz, axes.y.low).x()
            painter.setPen(QPen(QColor(colors.warn), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        points = [axes.point(hold.rate_hz, share_percent(hold)) for hold in self.holds]
        painter.setPen(QPen(QColor(colors.dim), 1))
        painter.drawPolyline(QPolygonF(points))
        painter.setPen(Qt.PenStyle.NoPen)
        for hold, point in zip(self.holds, points, strict=True):
            painter.setBrush(QColor(colors.good if hold.is_sustained else colors.bad))
            painter.drawEllipse(point, _DOT, _DOT)

    def _paint_key(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        """What the colors mean, left of the words of the rates; the limit if there is room."""
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
        key = [(colors.good, tr("kept"))]
        if not all(hold.is_sustained for hold in self.holds):
            key.append((colors.bad, tr("lost or behind")))
        if self.limit_hz is not None:
            key.append((colors.warn, tr("limit {0}/s").format(f"{self.limit_hz:,.0f}")))
        return key

    def _paint_sign(self, painter: QPainter, at: QPointF, color: str, colors: Palette) -> None:
        if color == colors.warn:
            painter.setPen(QPen(QColor(color), 1.5))
            painter.drawLine(at - QPointF(0, 6), at + QPointF(0, 6))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawEllipse(at, _DOT, _DOT)


def share_percent(hold: RateStep) -> float:
    """Of the stimuli of a hold, those with an answer of their own, late ones among them."""
    return 100.0 * (hold.answered + hold.late) / max(1, hold.sent)
