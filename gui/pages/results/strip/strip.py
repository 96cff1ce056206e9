# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency over the events of a run: an overview to find one's way in."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.models.runs.opened import OpenedRun
from gui.models.summary.levels import SummaryLevels
from gui.pages.results.charts.axes import (
    LEFT,
    RIGHT,
    STRIP_BOTTOM,
    STRIP_TOP,
    Axes,
    AxisRange,
    paint_axes,
)
from gui.pages.results.strip.columns import EventColumns, columns_of, event_near
from gui.theme import theme
from gui.theme.palette import Palette
from rig.analysis.model.events import EventClass
from rig.errors import InputError

WHEEL_FACTOR = 0.8
FEWEST = 8.0
"""The fewest events shown."""
CLICK_PX = 4
_LATE = (1 << EventClass.LATE) | (1 << EventClass.MERGED) | (1 << EventClass.AMBIGUOUS)
_MISSED = 1 << EventClass.MISSED


class EventStrip(QWidget):
    """A strip with events from left to right, the span of their latencies upward."""

    picked = Signal(int)
    """An event was chosen."""
    failed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: OpenedRun | None = None
        self._levels: SummaryLevels | None = None
        self._first, self._stop = 0.0, 1.0
        self._event: int | None = None
        self._pressed: QPointF | None = None
        self._box: tuple[float, float] | None = None
        self._threshold_us: float | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName(self.tr("Latency over events"))
        theme().changed.connect(self.update)

    @property
    def shown(self) -> tuple[float, float]:
        """The first event shown and the one behind the last."""
        return self._first, self._stop

    def show_run(
        self, run: OpenedRun | None, levels: SummaryLevels | None, threshold_us: float | None = None
    ) -> None:
        """Show all events of a run; those above `threshold_us` are outliers."""
        self._run, self._levels, self._event = run, levels, None
        self._threshold_us = threshold_us
        self.show_all()

    def show_all(self) -> None:
        """Show the events from the first to the last."""
        self._first, self._stop = 0.0, float(self._run.event_count if self._run else 1)
        self.update()

    def mark(self, event: int) -> None:
        """Mark the event that is looked at, and bring it into sight."""
        self._event = event
        if not self._first <= event < self._stop:
            half = (self._stop - self._first) / 2
            self.set_range(event - half, event + half)
        self.update()

    def set_range(self, first: float, stop: float) -> None:
        """Show these events, within the run and no fewer than a few."""
        count = float(self._run.event_count) if self._run is not None else 1.0
        length = min(max(stop - first, FEWEST), max(count, 1.0))
        first = min(max((first + stop - length) / 2, 0.0), count - length)
        self._first, self._stop = first, first + length
        self.update()

    def zoom(self, factor: float, at: float = 0.5) -> None:
        """Show more events or fewer; `at`: what stays where it is."""
        fixed = self._first + at * (self._stop - self._first)
        self.set_range(
            fixed - (fixed - self._first) * factor, fixed + (self._stop - fixed) * factor
        )

    # Painting.

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's
        """Paint the strip."""
        painter = QPainter(self)
        self.paint(painter, self.width(), self.height(), theme().palette)
        painter.end()

    def paint(self, painter: QPainter, width: float, height: float, colors: Palette) -> None:
        """Paint the strip into (0, 0) to (width, height), on screen or not."""
        painter.fillRect(QRectF(0, 0, width, height), QColor(colors.panel))
        if self._run is None or self._levels is None or not self._run.event_count:
            return
        high = max(height - STRIP_TOP - STRIP_BOTTOM, 16)
        plot = QRectF(LEFT, STRIP_TOP, max(width - LEFT - RIGHT, 16), high)
        try:
            columns = columns_of(
                self._run, self._levels, self._first, self._stop, int(plot.width())
            )
        except InputError as error:
            self._run = None
            self.failed.emit(str(error))
            return
        axes = Axes(AxisRange(self._first, self._stop), self._y_range(columns), plot)
        paint_axes(painter, axes, self._x_words(), self.tr("latency in µs"), colors, strip=True)
        self._paint_threshold(painter, axes, colors)
        self._paint_columns(painter, axes, columns, colors)
        self._paint_event(painter, axes, colors)

    def _x_words(self) -> str:
        levels = self._levels
        if levels is None or levels.complete:
            return self.tr("event")
        part = levels.covered / max(levels.count, 1)
        return self.tr("event   {} of this run read so far").format(f"{part:.0%}")

    def _y_range(self, columns: EventColumns) -> AxisRange:
        high = columns.rows["high"]
        top = float(high.max()) * self._us if len(high) else 0.0
        return AxisRange(0.0, max(top * 1.08, self._us))

    @property
    def _us(self) -> float:
        return 0.0 if self._run is None else self._run.sample_ns / 1e3

    def _paint_columns(
        self, painter: QPainter, axes: Axes, columns: EventColumns, colors: Palette
    ) -> None:
        rows, left = columns.rows, axes.plot.left()
        answered = rows["high"] >= 0
        late = (rows["kinds"] & _LATE) != 0
        for wanted, color in ((~late, colors.accent), (late, colors.warn)):
            some = answered & wanted
            lines = _bars(
                axes, left + columns.x[some], rows["low"][some] * self._us,
                rows["high"][some] * self._us, single=columns.single,
            )  # fmt: skip
            pen = QPen(QColor(color), 3.5 if columns.single else 1.0)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            painter.drawLines(lines)
        missed = columns.x[(rows["kinds"] & _MISSED) != 0]
        painter.setPen(QPen(QColor(colors.bad), 1.5))
        y = axes.plot.bottom() - 5
        crosses = [
            QLineF(left + x - 3, y - 3 * side, left + x + 3, y + 3 * side)
            for x in missed.tolist()
            for side in (1, -1)
        ]
        painter.drawLines(crosses)

    def _paint_threshold(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        if self._threshold_us is None or self._threshold_us > axes.y.high:
            return
        y = axes.point(axes.x.low, self._threshold_us).y()
        painter.setPen(QPen(QColor(colors.bad), 1, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(axes.plot.left(), y, axes.plot.right(), y))

    def _paint_event(self, painter: QPainter, axes: Axes, colors: Palette) -> None:
        if self._box is not None:
            x0, x1 = sorted(self._box)
            band = QColor(colors.accent)
            band.setAlphaF(0.18)
            painter.fillRect(QRectF(x0, axes.plot.top(), x1 - x0, axes.plot.height()), band)
        if self._event is None or not self._first <= self._event < self._stop:
            return
        x = axes.point(self._event + 0.5, 0.0).x()
        painter.setPen(QPen(QColor(colors.ink), 1))
        painter.drawLine(QLineF(x, axes.plot.top() - 4, x, axes.plot.bottom()))
        painter.setBrush(QColor(colors.ink))
        top = axes.plot.top() - 4
        painter.drawPolygon([QPointF(x - 4, top - 6), QPointF(x + 4, top - 6), QPointF(x, top)])

    # What Qt asks for.

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's
        """Return the size of a strip."""
        return QSize(720, 170)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's
        """Return a size that is still readable."""
        return QSize(320, 120)

    @property
    def _plot_width(self) -> int:
        return max(self.width() - LEFT - RIGHT, 16)

    def _event_at(self, x: float) -> float:
        return self._first + (x - LEFT) * (self._stop - self._first) / self._plot_width

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's
        """Zoom about the pointer; with Shift, or sideways, move."""
        notches, sideways = event.angleDelta().y() / 120, event.angleDelta().x() / 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(sideways) > abs(notches):
            step = -(sideways or notches) * 0.1 * (self._stop - self._first)
            self.set_range(self._first + step, self._stop + step)
        else:
            at = (event.position().x() - LEFT) / self._plot_width
            self.zoom(WHEEL_FACTOR**notches, min(max(at, 0.0), 1.0))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Choose an event, or begin a box to zoom into."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Draw the box, or show what is there."""
        if self._pressed is not None:
            self._box = (self._pressed.x(), event.position().x())
            self.update()
            return
        number = self._nearest(event.position().x())
        text = "" if number is None else self.tr("event {}").format(f"{number:,}")
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Choose the slowest event at a click, or zoom into a box."""
        pressed, self._pressed, self._box = self._pressed, None, None
        if pressed is None:
            return
        x0, x1 = sorted((pressed.x(), event.position().x()))
        if x1 - x0 > CLICK_PX:
            self.set_range(self._event_at(x0), self._event_at(x1))
        else:
            number = self._nearest(x0)
            if number is not None:
                self.picked.emit(number)
        self.update()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Show all events."""
        self.show_all()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's
        """Give up the box."""
        self._pressed = self._box = None
        self.update()
        super().leaveEvent(event)

    def _nearest(self, x: float) -> int | None:
        if self._run is None or self._levels is None:
            return None
        half = max((self._stop - self._first) / self._plot_width * 2, 0.5)
        at = self._event_at(x)
        try:
            return event_near(self._run, self._levels, at - half, at + half)
        except InputError as error:
            self.failed.emit(str(error))
            return None


def _bars(
    axes: Axes, x: np.ndarray, low: np.ndarray, high: np.ndarray, *, single: bool
) -> list[QLineF]:
    """Return lines from the least to the largest latency of a column; at least a pixel."""
    plot = axes.plot
    tops = plot.bottom() - axes.y.part(high) * plot.height()
    feet = plot.bottom() - axes.y.part(low) * plot.height()
    feet = np.maximum(feet, tops + (0.5 if single else 1.5))
    return [
        QLineF(a, b, a, c) for a, b, c in zip(x.tolist(), tops.tolist(), feet.tolist(), strict=True)
    ]
