# SPDX-License-Identifier: GPL-3.0-or-later
"""The chart of every value of a run over time."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.pages.results.charts.axes import Axes, AxisRange, paint_axes, plot_area
from gui.pages.results.charts.charts import Chart, tr
from gui.pages.results.charts.curves import RunDistribution, series_color
from gui.theme.palette import Palette
from rig.analysis.statistics.course import COLUMNS, ROWS, Scatter, TimeCourse

_PALEST = 0.45
"""The least share of the color that a cell with a value has."""
_LEAST_PX = 2.5
"""The least size of a cell, so that one value is seen."""
_ROOM = 0.06


class CourseChart(Chart):
    """A chart of values, in units of `unit_ns`, as cells: the more lie in one, the darker."""

    def __init__(self, course: TimeCourse | None, unit_ns: float = 1.0, words: str = "") -> None:
        super().__init__(tr("Values over time"), ())
        self.course = course if course is not None and course.used else None
        self._unit_us, self._words = unit_ns / 1e3, words

    def axes(self, width: float, height: float) -> Axes | None:
        """Return the axes as painted at this size; None without a value."""
        return Axes(*self.ranges(), plot_area(width, height)) if self.course else None

    def ranges(self) -> tuple[AxisRange, AxisRange]:
        """Return the time since the first value, and all values with some room."""
        course = self.course
        assert course is not None  # noqa: S101 - asked only where there is one
        used = slice(course.used)
        low = float(course.least[used].min()) * self._unit_us
        high = float(course.largest[used].max()) * self._unit_us
        room = _ROOM * (high - low) or self._unit_us
        end_s = course.used * self._stretch_s
        if course.scatter is not None:
            end_s = max(course.scatter.last - (course.origin or 0), 1) * course.time_unit_s
        return AxisRange(0.0, end_s), AxisRange(min(0.0, low - room), high + room)

    def x_words(self) -> str:
        """Return the words of the time axis."""
        return tr("time in s since the first value")

    def y_words(self) -> str:
        """Return the quantity and its unit."""
        return self._words

    def reading(self, value: float) -> str:
        """Return the extremes of the stretch at a time, in a line."""
        course = self.course
        place = 0 if course is None else int(value / self._stretch_s)
        if course is None or not 0 <= place < course.used or not course.count[place]:
            return ""
        low, high = (float(each[place]) * self._unit_us for each in (course.least, course.largest))
        return tr("{0} s: {1} to {2} µs").format(f"{value:.6g}", f"{low:.3f}", f"{high:.3f}")

    def paint(self, painter: QPainter, width: float, height: float, colors: Palette) -> None:
        """Paint the chart into (0, 0) to (width, height)."""
        axes = self.axes(width, height)
        if axes is None:
            super().paint(painter, width, height, colors)
            return
        painter.fillRect(QRectF(0, 0, width, height), QColor(colors.panel))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_axes(painter, axes, self.x_words(), self.y_words(), colors)
        if self.course is not None and self.course.scatter is not None:
            self._paint_cells(painter, axes, self.course.scatter, colors)
        self._paint_extremes(painter, axes, colors)

    def paint_run(self, painter: QPainter, axes: Axes, run: RunDistribution, color: QColor) -> None:
        """Paint nothing: this chart has no runs' histograms."""

    @property
    def _stretch_s(self) -> float:
        course = self.course
        return 1.0 if course is None else 2.0**course.doublings * course.time_unit_s

    def _paint_cells(self, painter: QPainter, axes: Axes, found: Scatter, colors: Palette) -> None:
        assert self.course is not None  # noqa: S101 - the cells are the course's
        origin, unit_s = self.course.origin or 0, self.course.time_unit_s
        low, high = found.low * self._unit_us, found.high * self._unit_us
        start = axes.point((found.first - origin) * unit_s, low)
        end = axes.point((found.last - origin) * unit_s, high)
        wide = (end.x() - start.x()) / (COLUMNS - 1)
        tall = (start.y() - end.y()) / (ROWS - 1)
        size_x, size_y = max(wide, _LEAST_PX), max(tall, _LEAST_PX)
        scale = float(np.log1p(max(2, int(found.cells.max()))))
        for row, column in np.argwhere(found.cells).tolist():
            color = QColor(series_color(0, colors))
            share = float(np.log1p(found.cells[row, column])) / scale
            color.setAlphaF(_PALEST + (1 - _PALEST) * share)
            x, y = start.x() + column * wide, start.y() - row * tall
            painter.fillRect(QRectF(x - size_x / 2, y - size_y / 2, size_x, size_y), color)

    def _paint_extremes(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        """Paint the largest value, and of long runs the largest of each stretch."""
        course = self.course
        assert course is not None  # noqa: S101 - asked only where there is one
        if course.scatter is None or course.scatter.n < int(course.count.sum()):
            painter.setPen(QPen(QColor(series_color(0, colors)), 2.5, c=Qt.PenCapStyle.RoundCap))
            (filled,) = np.nonzero(course.count)
            times = np.asarray((filled + 0.5) * self._stretch_s, np.float64)
            painter.drawPoints(axes.points(times, course.largest[filled] * self._unit_us))
        worst = int(np.argmax(course.largest))
        at = axes.point(
            (worst + 0.5) * self._stretch_s, float(course.largest[worst]) * self._unit_us
        )
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.bad))
        painter.drawEllipse(QPointF(min(at.x(), axes.plot.right()), at.y()), 3.0, 3.0)
