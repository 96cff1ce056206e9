# SPDX-License-Identifier: GPL-3.0-or-later
"""The waveform under the user's hands: wheel and box zoom, dragged cursors, edges pointed at."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.models.runs.opened import Event, SignalLine
from gui.plots.waveform.axis import time_text
from gui.plots.waveform.edges import RunEdges
from gui.plots.waveform.marks import Mark
from gui.plots.waveform.picture import paint
from gui.plots.waveform.scene import (
    AXIS_PX,
    MARK_ROW_PX,
    NAMES_PX,
    PAD_PX,
    ROW_MIN_PX,
    Cursor,
    Span,
    WaveformScene,
)
from gui.theme import theme
from rig.errors import InputError

WHEEL_FACTOR = 0.8
"""The zoom of one notch of a wheel."""
SHORTEST_SAMPLES = 4.0
NEAR_PX = 6
_Button = Qt.MouseButton


class WaveformCanvas(QWidget):
    """A picture of a stretch of a run's capture."""

    span_changed = Signal()
    cursors_changed = Signal()
    failed = Signal(str)
    """The file is damaged where it is looked at."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edges: RunEdges | None = None
        self._scene = WaveformScene(Span(0, 0.0, 1000.0, 1.0), ())
        self._stale = True
        self._grabbed: int | None = None
        self._pressed: QPointF | None = None
        self._pan_from: QPointF | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Waveform"))
        theme().changed.connect(self.update)

    # What is shown.

    @property
    def scene(self) -> WaveformScene:
        """The scene as it was painted last, or will be."""
        return self._scene

    @property
    def span(self) -> Span:
        return self._scene.span

    def show_run(
        self, edges: RunEdges | None, lines: tuple[SignalLine, ...], marks: dict[str, str]
    ) -> None:
        """Show another run, or none. `marks`: names of the witnesses' rows."""
        self._edges = edges
        self._scene = WaveformScene(self.span, lines, mark_names=marks).fitted(self.height())
        self._changed()
        self.updateGeometry()

    def show_event(self, event: Event | None, marks: tuple[Mark, ...], span: Span) -> None:
        """Show an event with the marks of the other witnesses."""
        shown = bool(self._scene.cursors)
        self._scene = replace(self._scene, event=event, marks=marks, span=span, cursors=())
        self._changed()
        self.set_cursors(shown)

    def set_span(self, span: Span) -> None:
        """Show another stretch, within the capture and no shorter than a few samples."""
        if self._edges is None:
            return
        length = min(max(span.length, SHORTEST_SAMPLES), max(float(self._edges.end_sample), 1.0))
        middle = (span.first + span.end) / 2
        first = min(
            max(middle - length / 2, -span.origin), self._edges.end_sample - span.origin - length
        )
        first = max(first, -float(span.origin))
        self._scene = replace(
            self._scene, span=replace(span, first=first, end=first + length), hover_x=None
        )
        self._changed()
        self.span_changed.emit()

    def zoom(self, factor: float, at: float = 0.5) -> None:
        """Show a longer stretch or a shorter one; `at`: what stays where it is."""
        self.set_span(self.span.zoomed(factor, at))

    def move_by(self, part: float) -> None:
        """Move by a part of what is shown."""
        self.set_span(self.span.moved(part))

    def set_cursors(self, shown: bool) -> None:
        """Show cursors at a third and two thirds, or on the event's edges; or none."""
        cursors: tuple[Cursor, ...] = ()
        if shown:
            event, span = self._scene.event, self.span
            places = [span.origin + span.first + span.length * part for part in (1 / 3, 2 / 3)]
            if event is not None and event.response_sample >= 0:
                places = [float(event.stimulus_sample), float(event.response_sample)]
            cursors = tuple(Cursor(name, at) for name, at in zip("AB", places, strict=True))
        self._scene = replace(self._scene, cursors=cursors)
        self.update()
        self.cursors_changed.emit()

    def move_cursor(self, number: int, sample: float) -> None:
        """Move a cursor to a sample."""
        cursors = list(self._scene.cursors)
        cursors[number] = replace(cursors[number], sample=sample)
        self._scene = replace(self._scene, cursors=tuple(cursors))
        self.update()
        self.cursors_changed.emit()

    def refresh(self) -> None:
        """Draw again, as more is known of the edges."""
        self._changed()

    def _changed(self) -> None:
        self._stale = True
        self.update()

    def current_scene(self) -> WaveformScene:
        """Return the scene with shapes for this width."""
        if self._stale and self._edges is not None:
            span, width = self.span, self._plot_width
            first, end = span.origin + span.first, span.origin + span.end
            try:
                shapes = tuple(self._edges.shapes(first, end, width))
            except InputError as error:
                self._edges = None
                self._scene = replace(self._scene, shapes=())
                self.failed.emit(str(error))
                return self._scene
            until = self._edges.known_until(end)
            self._scene = replace(
                self._scene, shapes=shapes, known_until=until if until < end else float("inf")
            )
            self._stale = False
        return self._scene

    @property
    def _plot_width(self) -> int:
        return max(self.width() - NAMES_PX, 16)

    # What Qt asks for.

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's
        """Return a height as the wires need it."""
        return QSize(720, self._scene.height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's
        """Return the size of five low rows and the witnesses."""
        return QSize(320, AXIS_PX + 5 * ROW_MIN_PX + 2 * MARK_ROW_PX + PAD_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's
        """Paint the scene."""
        painter = QPainter(self)
        paint(painter, self.current_scene(), self.width(), self.height(), theme().palette)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's
        """Make shapes for the width and rows for the height."""
        self._scene = self._scene.fitted(self.height())
        self._stale = True
        super().resizeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802 - Qt's
        """Zoom about the pointer; with Shift, or sideways, move."""
        notches, sideways = event.angleDelta().y() / 120, event.angleDelta().x() / 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(sideways) > abs(notches):
            self.move_by(-(sideways or notches) * 0.1)
        else:
            at = (event.position().x() - NAMES_PX) / self._plot_width
            self.zoom(WHEEL_FACTOR**notches, min(max(at, 0.0), 1.0))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Take a cursor or begin a box (left), or take hold of the picture (middle)."""
        if event.button() == _Button.LeftButton:
            self._grabbed = self._cursor_near(event.position().x())
            self._pressed = event.position() if self._grabbed is None else None
        elif event.button() == _Button.MiddleButton:
            self._pan_from = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Drag, or show the time of the edge that is pointed at."""
        at = event.position()
        if self._grabbed is not None:
            self.move_cursor(self._grabbed, self._snapped(at))
        elif self._pan_from is not None:
            self.move_by((self._pan_from.x() - at.x()) / self._plot_width)
            self._pan_from = at
        elif self._pressed is not None:
            self._scene = replace(self._scene, box=(self._pressed.x(), at.x()), hover_text="")
            self.update()
        else:
            self._point_at(at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's
        """Zoom into the box, if it is one."""
        pressed, self._pressed = self._pressed, None
        self._grabbed = self._pan_from = None
        self._scene = replace(self._scene, box=None)
        self.update()
        if pressed is not None and abs(event.position().x() - pressed.x()) > NEAR_PX:
            x0, x1 = sorted((pressed.x() - NAMES_PX, event.position().x() - NAMES_PX))
            span = self.span
            first, end = (span.first + x * span.length / self._plot_width for x in (x0, x1))
            self.set_span(replace(span, first=first, end=end))

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's
        """Remove the text of an edge, as nothing is pointed at."""
        self._scene = replace(self._scene, hover_x=None, hover_text="")
        self.update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's
        """Move by the arrows, zoom by plus and minus."""
        match event.key():
            case Qt.Key.Key_Left:
                self.move_by(-0.1)
            case Qt.Key.Key_Right:
                self.move_by(0.1)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal | Qt.Key.Key_Up:
                self.zoom(WHEEL_FACTOR)
            case Qt.Key.Key_Minus | Qt.Key.Key_Down:
                self.zoom(1 / WHEEL_FACTOR)
            case _:
                super().keyPressEvent(event)

    # Pointing.

    def _cursor_near(self, x: float) -> int | None:
        for number, cursor in enumerate(self._scene.cursors):
            at = NAMES_PX + self.span.x_of(cursor.sample, self._plot_width)
            if abs(at - x) <= NEAR_PX:
                return number
        return None

    def _edge_near(self, at: QPointF) -> tuple[int, int] | None:
        """Return row and sample of the edge that is pointed at."""
        row = self._scene.row_at(at.y())
        if row is None or self._edges is None or at.x() < NAMES_PX:
            return None
        sample = self.span.sample_at(at.x() - NAMES_PX, self._plot_width)
        reach = NEAR_PX * self.span.length / self._plot_width
        found = self._edges.near(sample, reach, self._scene.lines[row].channel)
        return None if found is None else (row, found)

    def _snapped(self, at: QPointF) -> float:
        edge = self._edge_near(at)
        sample = self.span.sample_at(at.x() - NAMES_PX, self._plot_width)
        return float(edge[1]) if edge is not None else sample

    def _point_at(self, at: QPointF) -> None:
        near_cursor = self._cursor_near(at.x()) is not None
        self.setCursor(Qt.CursorShape.SizeHorCursor if near_cursor else Qt.CursorShape.CrossCursor)
        edge = self._edge_near(at)
        if edge is None:
            self._scene = replace(self._scene, hover_x=None, hover_text="")
        else:
            row, sample = edge
            text = time_text((sample - self.span.origin) * self.span.sample_ns, self.span.sample_ns)
            x = self.span.x_of(sample, self._plot_width)
            self._scene = replace(self._scene, hover_x=x, hover_text=text, hover_row=row)
        self.update()
