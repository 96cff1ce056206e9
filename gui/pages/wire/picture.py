# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench as a picture: three instruments and the wires between them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.pages.wire.geometry import WirePicture, arrange
from gui.pages.wire.labels import tr, wire_words
from gui.pages.wire.levels import ChannelLevels
from gui.pages.wire.painting import CENTER, LEFT, LINE, RADIUS, BenchPainter
from gui.theme import GAP, GAP_L, theme
from gui.tool_tips import tool_tip
from rig.config.fixture import Fixture
from rig.services.finding import DoctorFinding


class BenchPicture(QWidget):
    """A picture of a fixture; a wire is chosen by a click or by the arrow keys."""

    wire_chosen = Signal(int)
    """The number in the fixture of a wire that was chosen here."""
    wire_entered = Signal(int)
    """The number of a wire that shall be edited: Return, or a double click."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fixture: Fixture | None = None
        self._findings: tuple[DoctorFinding, ...] | None = None
        self._levels: ChannelLevels | None = None
        self._stale = False
        self.chosen: int | None = None
        """The wire that stands out."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(480, 330))
        self.setAccessibleName(tr("Picture of the bench"))
        theme().changed.connect(self.update)

    @property
    def fixture(self) -> Fixture | None:
        """The fixture that is drawn."""
        return self._fixture

    @property
    def is_stale(self) -> bool:
        """Whether the picture is not what the text says now."""
        return self._stale

    def show_fixture(self, fixture: Fixture | None) -> None:
        """Draw this fixture; None keeps the last one, and shows that it is out of date."""
        self._stale = fixture is None
        if fixture is not None:
            self._fixture = fixture
            if self.chosen is not None and self.chosen >= len(fixture.wires):
                self.chosen = None
            words = "; ".join(wire_words(wire) for wire in fixture.wires)
            self.setAccessibleDescription(words)
        self.update()

    def clear(self) -> None:
        """Draw nothing, as for another file whose fixture is not known yet."""
        self._fixture, self.chosen, self._levels, self._stale = None, None, None, False
        self.update()

    def show_findings(self, findings: Sequence[DoctorFinding]) -> None:
        """Show what was found on this machine."""
        self._findings = tuple(findings)
        self.update()

    def show_levels(self, levels: ChannelLevels | None) -> None:
        """Show what the analyzer sees now; None if nobody listens."""
        self._levels = levels
        self.update()

    @property
    def levels(self) -> ChannelLevels | None:
        """The levels and activity that are drawn."""
        return self._levels

    def choose(self, wire: int | None) -> None:
        """Let a wire stand out."""
        if wire != self.chosen:
            self.chosen = wire
            self.update()

    # --- pointer and keys -----------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        at = self._wire_at(event.position())
        if at is not None:
            self._choose_here(at)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        at = self._wire_at(event.position())
        if at is not None:
            self.wire_entered.emit(at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        at = self._wire_at(event.position())
        known = at is not None and self._fixture is not None
        self.setToolTip(tool_tip(wire_words(self._fixture.wires[at])) if known else "")  # type: ignore[union-attr,index]
        self.setCursor(Qt.CursorShape.PointingHandCursor if known else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Choose a wire by Up and Down, edit it by Return."""
        wires = 0 if self._fixture is None else len(self._fixture.wires)
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and wires:
            first = -1 if step > 0 else wires
            self._choose_here(((first if self.chosen is None else self.chosen) + step) % wires)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.chosen is not None:
            self.wire_entered.emit(self.chosen)
        else:
            super().keyPressEvent(event)

    def _choose_here(self, wire: int) -> None:
        self.choose(wire)
        self.wire_chosen.emit(wire)

    def _wire_at(self, point: QPointF) -> int | None:
        scene = self._scene()
        return None if scene is None else scene.wire_at(point.x() - GAP_L, point.y() - GAP_L)

    def _scene(self) -> WirePicture | None:
        if self._fixture is None:
            return None
        width, height = self.width() - 2 * GAP_L, self.height() - 2 * GAP_L
        return arrange(self._fixture, width, height, live=self._levels is not None)

    # --- drawing --------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scene, fixture = self._scene(), self._fixture
        points = self.font().pointSizeF()
        paints = BenchPainter(points, self.width(), self._findings, self._levels)
        if scene is None or fixture is None:
            words = tr("Drawn once the text has no error.") if self._stale else ""
            paints.text(painter, QRectF(self.rect()), CENTER, words, "dim")
            return
        if self._stale:
            painter.setOpacity(0.35)
        painter.translate(GAP_L, GAP_L)
        paints.paint(painter, scene, fixture, self.chosen)
        painter.resetTransform()
        painter.setOpacity(1.0)
        if self._stale:
            area = QRectF(GAP_L, self.height() - LINE - GAP, self.width() - 2 * GAP_L, LINE)
            paints.text(painter, area, LEFT, tr("as it was before the error"), "warn")
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme().palette.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), RADIUS, RADIUS)
