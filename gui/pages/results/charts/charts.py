# SPDX-License-Identifier: GPL-3.0-or-later
"""Histogram and complementary distribution of one run or several over each other."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gui.pages.results.charts.axes import LEFT, Axes, AxisRange, paint_axes, plot_area
from gui.pages.results.charts.curves import (
    RunDistribution,
    binned,
    extent_us,
    outline,
    series_color,
    share_above,
)
from gui.theme.palette import Palette
from gui.theme.theme import figures_font

_WIDE = 50.0
"""The ratio of largest to smallest latency from which the axis is logarithmic."""
_ONE = 0.7
"""The bottom of a count axis: a bin with one latency is seen."""


def tr(text: str) -> str:
    """Return words of charts in the language in force."""
    return QCoreApplication.translate("Chart", text)


class Chart:
    """A chart that can be painted at any size, in any palette."""

    def __init__(
        self, title: str, runs: Sequence[RunDistribution], limit_us: float | None = None
    ) -> None:
        self.title = title
        self.runs = [run for run in runs if run.histogram.n]
        self.limit_us = limit_us

    def paint(self, painter: QPainter, width: float, height: float, colors: Palette) -> None:
        """Paint the chart into (0, 0) to (width, height)."""
        painter.fillRect(QRectF(0, 0, width, height), QColor(colors.panel))
        if not self.runs:
            painter.setPen(QColor(colors.dim))
            painter.drawText(
                QRectF(0, 0, width, height), int(Qt.AlignmentFlag.AlignCenter), tr("no latencies")
            )
            return
        axes = Axes(*self.ranges(), plot_area(width, height))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_axes(painter, axes, self.x_words(), self.y_words(), colors)
        painter.save()
        painter.setClipRect(axes.plot.adjusted(-1, -1, 4, 1))
        self._paint_limit(painter, axes, colors)
        for number, run in enumerate(self.runs):
            self.paint_run(painter, axes, run, QColor(series_color(number, colors)))
        painter.restore()
        self._paint_names(painter, axes, colors)

    def axes(self, width: float, height: float) -> Axes | None:
        """Return the axes as painted at this size; None without anything to paint."""
        return Axes(*self.ranges(), plot_area(width, height)) if self.runs else None

    @abstractmethod
    def ranges(self) -> tuple[AxisRange, AxisRange]: ...

    @abstractmethod
    def y_words(self) -> str: ...

    @abstractmethod
    def paint_run(
        self, painter: QPainter, axes: Axes, run: RunDistribution, color: QColor
    ) -> None: ...

    def x_words(self) -> str:
        """Return the words of the time axis: its quantity and unit."""
        names = {run.quantity for run in self.runs}
        if names <= {""}:
            return tr("latency in µs")
        return tr("{0} in µs").format(names.pop()) if len(names) == 1 else tr("value in µs")

    @property
    def are_latencies(self) -> bool:
        """Whether all values are latencies."""
        return not any(run.quantity for run in self.runs)

    def reading(self, _value: float) -> str:
        """Return the reading at a place on the horizontal axis; "": that of all such charts."""
        return ""

    def _paint_limit(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        if self.limit_us is None:
            return
        x = axes.point(self.limit_us, axes.y.low).x()
        painter.setPen(QPen(QColor(colors.bad), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(x, axes.plot.top(), x, axes.plot.bottom()))

    def _paint_names(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        """Paint which color is whose, or the one run's worst value, at the axis's words."""
        painter.setFont(figures_font(8.5))
        metrics = QFontMetricsF(painter.font())
        x = axes.plot.right()
        if len(self.runs) == 1:
            text = tr("max {} µs").format(f"{self.runs[0].high_us:.3f}")
            painter.setPen(QColor(colors.ink))
            painter.drawText(QRectF(LEFT, 6, x - LEFT, 18), int(_RIGHT), text)
            return
        room = (x - LEFT - 150) / len(self.runs) - 24
        # In little room only the end of a name tells runs apart: names end in date and time.
        where = Qt.TextElideMode.ElideMiddle if room > 100 else Qt.TextElideMode.ElideLeft
        for number, run in reversed(list(enumerate(self.runs))):
            name = metrics.elidedText(run.name, where, max(room, 30))
            wide = metrics.horizontalAdvance(name)
            painter.setPen(QColor(colors.ink))
            painter.drawText(QRectF(x - wide, 6, wide + 2, 18), int(_RIGHT), name)
            box = QRectF(x - wide - 14, 11, 9, 9)
            painter.fillRect(box, QColor(series_color(number, colors)))
            x -= wide + 26


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class HistogramChart(Chart):
    """Histograms: linear microseconds, logarithmic count; shares if runs are compared."""

    def ranges(self) -> tuple[AxisRange, AxisRange]:
        """Return the ranges of all runs, and of the limit if it is near."""
        low, high = extent_us(self.runs)
        if self.limit_us is not None and self.limit_us < 2 * high:
            high = max(high, self.limit_us)
        room = max((high - low) * 0.02, 0.05)
        top = max(float(self._heights(run)[1].max()) for run in self.runs)
        bottom = _ONE if self._counted else _ONE / max(run.histogram.n for run in self.runs)
        decade = 10.0 ** math.ceil(math.log10(top * 1.2)) if self._counted else top * 1.5
        first = low - room if low < 0 else max(0.0, low - room)
        return AxisRange(first, high + room), AxisRange(bottom, decade, is_log=True)

    def y_words(self) -> str:
        """Return the words for counts or shares."""
        if self.are_latencies:
            return tr("latencies in a bin") if self._counted else tr("share of latencies in a bin")
        return tr("values in a bin") if self._counted else tr("share of values in a bin")

    def paint_run(self, painter: QPainter, axes: Axes, run: RunDistribution, color: QColor) -> None:
        """Paint the bars of one run filled, of several as outlines."""
        edges, heights = self._heights(run)
        x, y = outline(edges, heights, axes.y.low)
        line = axes.points(x, y)
        if self._counted:
            fill = QColor(color)
            fill.setAlphaF(0.85)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            painter.drawPolygon(line)
        else:
            painter.setPen(QPen(color, 1.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(line)

    @property
    def _counted(self) -> bool:
        return len(self.runs) == 1

    def _heights(self, run: RunDistribution) -> tuple[np.ndarray, np.ndarray]:
        edges, counts = binned(run, *extent_us(self.runs))
        return edges, counts.astype(np.float64) / (1 if self._counted else run.histogram.n)


class TailChart(Chart):
    """The share of the latencies that are longer; a dot is the observed maximum."""

    def ranges(self) -> tuple[AxisRange, AxisRange]:
        """Return ranges that are logarithmic in both directions if latencies reach far."""
        low, high = extent_us(self.runs)
        if self.limit_us is not None and self.limit_us < 2 * high:
            high = max(high, self.limit_us)
        least = 1 / max(run.histogram.n for run in self.runs)
        y = AxisRange(least / 2, 1.3, is_log=True)
        if low > 0 and high > _WIDE * low:
            return AxisRange(low / 1.1, high * 1.1, is_log=True), y
        room = max((high - low) * 0.02, 0.05)
        return AxisRange(low - room if low < 0 else max(0.0, low - room), high + room), y

    def y_words(self) -> str:
        """Return what the shares are of."""
        return tr("share of latencies above") if self.are_latencies else tr("share of values above")

    def paint_run(self, painter: QPainter, axes: Axes, run: RunDistribution, color: QColor) -> None:
        """Paint a falling staircase."""
        x, share = share_above(run)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, 1.6))
        painter.drawPolyline(QPolygonF(axes.points(x, share)))
        painter.setBrush(color)
        painter.drawEllipse(QPointF(axes.point(run.high_us, float(share[-1]))), 3.0, 3.0)
