# SPDX-License-Identifier: GPL-3.0-or-later
"""A chart in the window: painted when it changes, read by pointing."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.pages.results.charts.charts import Chart
from gui.theme import theme

CLICK_PX = 6
"""The distance within which a click means a latency."""


class ChartWidget(QWidget):
    """A widget that shows one chart."""

    picked = Signal(int)
    """A latency of the run was clicked, in samples, on a chart of one run."""

    def __init__(self, chart: Chart, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart = chart
        self._painted: QPixmap | None = None
        self._pointer: QPointF | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(chart.title)
        theme().changed.connect(self._repaint)

    @property
    def chart(self) -> Chart:
        """The chart that is shown."""
        return self._chart

    def show_chart(self, chart: Chart) -> None:
        """Show another chart."""
        self._chart = chart
        self.setAccessibleName(chart.title)
        self._repaint()

    def reading(self, x: float) -> str:
        """Return the reading at a pixel: the latency there and each run's share above it."""
        axes = self._chart.axes(self.width(), self.height())
        if axes is None or not axes.plot.left() <= x <= axes.plot.right():
            return ""
        at_us = axes.x.at((x - axes.plot.left()) / axes.plot.width())
        if own := self._chart.reading(at_us):
            return own
        lines = [f"{at_us:.3f} µs"]
        for run in self._chart.runs:
            samples = at_us * 1e3 / run.sample_ns
            above = int(run.histogram.counts[run.histogram.values > samples].sum())
            share = above / run.histogram.n
            name = f"{run.name}: " if len(self._chart.runs) > 1 else ""
            lines.append(self.tr("{}{} above ({})").format(name, f"{above:,}", f"{share:.3g}"))
        return "\n".join(lines)

    def latency_at(self, x: float) -> int | None:
        """Return the run's latency nearest to a pixel in samples; None if none is near.

        Of latencies that share a pixel it is the longest.
        """
        axes = self._chart.axes(self.width(), self.height())
        if axes is None or len(self._chart.runs) != 1:
            return None
        (run,) = self._chart.runs
        part = axes.x.part(np.asarray(run.histogram.values * (run.sample_ns / 1e3), np.float64))
        away = np.abs(axes.plot.left() + part * axes.plot.width() - x)
        near = np.flatnonzero(away <= min(float(away.min()) + 1, CLICK_PX))
        return int(run.histogram.values[near[-1]]) if len(near) else None

    def _repaint(self) -> None:
        self._painted = None
        self.update()

    # What Qt asks for.

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's
        """Return half a page."""
        return QSize(460, 260)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's
        """Return a size that is still readable."""
        return QSize(240, 150)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's
        """Paint the chart, from memory if it has not changed, and the line pointed at."""
        if self._painted is None:
            ratio = self.devicePixelRatioF()
            self._painted = QPixmap(self.size() * ratio)
            self._painted.setDevicePixelRatio(ratio)
            self._painted.fill(QColor(theme().palette.panel))
            painter = QPainter(self._painted)
            self._chart.paint(painter, self.width(), self.height(), theme().palette)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._painted)
        axes = self._chart.axes(self.width(), self.height())
        if self._pointer is not None and axes is not None and axes.plot.contains(self._pointer):
            painter.setPen(QPen(QColor(theme().palette.dim), 1, Qt.PenStyle.DotLine))
            x = self._pointer.x()
            painter.drawLine(QLineF(x, axes.plot.top(), x, axes.plot.bottom()))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's
        """Paint the chart anew."""
        self._painted = None
        super().resizeEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Show the values there."""
        self._pointer = event.position()
        self.update()
        QToolTip.showText(
            event.globalPosition().toPoint(), self.reading(event.position().x()), self
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Ask for the event."""
        latency = self.latency_at(event.position().x())
        if event.button() == Qt.MouseButton.LeftButton and latency is not None:
            self.picked.emit(latency)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's
        """Remove the line, as nothing is pointed at."""
        self._pointer = None
        self.update()
        super().leaveEvent(event)
