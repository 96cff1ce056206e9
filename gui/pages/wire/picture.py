# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench as a picture: three instruments and the wires between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.pages.wire.geometry import BOX_WIDTH, LIVE_HEIGHT, Rect, Scene, WirePath, arrange
from gui.pages.wire.levels import Levels
from gui.pages.wire.words import (
    PIN_DUTY,
    Label,
    analyzer_label,
    short_rate,
    stimulus_label,
    target_label,
    tr,
    wire_name,
    wire_words,
)
from gui.theme import GAP, GAP_L, theme
from gui.theme.theme import figures_font
from gui.theme.wires import wire_color
from rig.cli.doctor import Finding
from rig.config.fixture import Fixture

WIDTH, WIDTH_CHOSEN = 2.0, 4.0
RADIUS: Final = 8.0
PIN: Final = 7.0
LINE: Final = 16.0
SMALL: Final = 0.86
"""Of the ordinary font's size."""
LEFT, RIGHT, CENTER = (
    Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
    Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter,
)


class BenchPicture(QWidget):
    """Draws a fixture; a wire is chosen by a click or by the arrow keys."""

    wire_chosen = Signal(int)
    """Number of the wire in the fixture, chosen here."""
    wire_entered = Signal(int)
    """The same, when it shall be edited: Return, or a double click."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fixture: Fixture | None = None
        self._findings: tuple[Finding, ...] | None = None
        self._levels: Levels | None = None
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
        """What is drawn."""
        return self._fixture

    @property
    def is_stale(self) -> bool:
        """It is not what the text says now."""
        return self._stale

    def show_fixture(self, fixture: Fixture | None) -> None:
        """Draw this; None keeps the last one, and shows that it is out of date."""
        self._stale = fixture is None
        if fixture is not None:
            self._fixture = fixture
            if self.chosen is not None and self.chosen >= len(fixture.wires):
                self.chosen = None
            words = "; ".join(wire_words(wire) for wire in fixture.wires)
            self.setAccessibleDescription(words)
        self.update()

    def clear(self) -> None:
        """Another file: its picture is not known yet."""
        self._fixture, self.chosen, self._levels, self._stale = None, None, None, False
        self.update()

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """What was found on this machine."""
        self._findings = tuple(findings)
        self.update()

    def show_levels(self, levels: Levels | None) -> None:
        """What the analyzer sees now; None if nobody listens."""
        self._levels = levels
        self.update()

    @property
    def levels(self) -> Levels | None:
        """What is drawn of levels and activity."""
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
        self.setToolTip(wire_words(self._fixture.wires[at]) if known else "")  # type: ignore[union-attr,index]
        self.setCursor(Qt.CursorShape.PointingHandCursor if known else Qt.CursorShape.ArrowCursor)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        """Up and Down choose a wire, Return edits it."""
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

    def _scene(self) -> Scene | None:
        if self._fixture is None:
            return None
        width, height = self.width() - 2 * GAP_L, self.height() - 2 * GAP_L
        return arrange(self._fixture, width, height, live=self._levels is not None)

    # --- drawing --------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scene, fixture = self._scene(), self._fixture
        if scene is None or fixture is None:
            words = tr("Drawn once the text has no error.") if self._stale else ""
            self._text(painter, QRectF(self.rect()), CENTER, words, "dim")
            return
        if self._stale:
            painter.setOpacity(0.35)
        painter.translate(GAP_L, GAP_L)
        if not fixture.is_virtual:
            self._draw_ground(painter, scene)
        self._draw_boxes(painter, scene, fixture)
        if self._levels is not None:
            self._draw_live_captions(painter, scene)
        for at, path in enumerate(scene.paths):
            self._draw_wire(painter, path, chosen=at == self.chosen)
        painter.resetTransform()
        painter.setOpacity(1.0)
        if self._stale:
            area = QRectF(GAP_L, self.height() - LINE - GAP, self.width() - 2 * GAP_L, LINE)
            self._text(painter, area, LEFT, tr("as it was before the error"), "warn")
        if self.hasFocus():
            painter.setPen(QPen(QColor(theme().palette.accent), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), RADIUS, RADIUS)

    def _draw_boxes(self, painter: QPainter, scene: Scene, fixture: Fixture) -> None:
        colors = theme().palette
        painter.setPen(QPen(QColor(colors.line), 1))
        painter.setBrush(QColor(colors.window))
        for box in (scene.stimulus, scene.target, scene.analyzer):
            painter.drawRoundedRect(_rect(box), RADIUS, RADIUS)
        self._draw_label(painter, scene.stimulus, stimulus_label(fixture, self._findings), GAP)
        self._draw_label(painter, scene.target, target_label(fixture), GAP)
        label = analyzer_label(fixture, self._findings)
        live = 0 if self._levels is None else LIVE_HEIGHT
        self._draw_label(painter, scene.analyzer, label, GAP + LINE + live)

    def _draw_ground(self, painter: QPainter, scene: Scene) -> None:
        """No signal, and no table of the fixture; but without it nothing works."""
        y = scene.analyzer.y + scene.analyzer.height - GAP_L
        for box, end in ((scene.stimulus, scene.analyzer.x), (scene.target, scene.analyzer.right)):
            x = round(box.x + box.width / 2) + 0.5
            painter.setPen(QPen(QColor(theme().palette.dim), 1, Qt.PenStyle.DashLine))
            painter.drawPolyline([QPointF(x, box.bottom), QPointF(x, y), QPointF(end, y)])
            area = QRectF(box.x, y, box.width, LINE + 2)
            self._text(painter, area, CENTER, tr("ground"), "dim", self._small())

    def _draw_live_captions(self, painter: QPainter, scene: Scene) -> None:
        area = QRectF(scene.analyzer.x + GAP + 4, scene.analyzer.y + LINE + 4, 60, LINE)
        for text in (tr("level"), tr("edges/s")):
            self._text(painter, area, LEFT, text, "dim", self._small())
            area.translate(0, LINE)

    def _draw_live(self, painter: QPainter, path: WirePath, levels: Levels) -> None:
        """Level and activity below the channel's name."""
        channel = path.wire.channel
        rate = levels.edges_per_s(channel)
        area = QRectF(path.tap - 20, path.bottom + LINE + 4, 40, LINE)
        level = tr("high") if levels.is_high(channel) else tr("low")
        self._text(painter, area, CENTER, level, "ink", self._small())
        area.translate(0, LINE)
        tone = "accent" if rate else "dim"
        self._text(painter, area, CENTER, short_rate(rate), tone, self._small(bold=bool(rate)))

    def _draw_label(self, painter: QPainter, box: Rect, label: Label, top: float) -> None:
        area = QRectF(box.x + GAP + 4, box.y + top, box.width - 2 * GAP - 8, LINE + 4)
        self._text(painter, area, LEFT, label.title, "ink", self._bold())
        area.translate(0, LINE + 4)
        for line in label.lines:
            self._text(painter, area, LEFT, line, "dim", self._small())
            area.translate(0, LINE)
        if label.note:
            if box.width > 2 * BOX_WIDTH:  # room beside the title
                area.moveTop(box.y + top)
            where = RIGHT if box.width > 2 * BOX_WIDTH else LEFT
            self._text(painter, area, where, label.note, label.tone, self._small(bold=True))

    def _draw_wire(self, painter: QPainter, path: WirePath, *, chosen: bool) -> None:
        color = QColor(wire_color(path.wire.color, path.wire.channel, theme().palette))
        pen = QPen(color, WIDTH_CHOSEN if chosen else WIDTH)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        left, right = QPointF(path.left, path.y), QPointF(path.right, path.y)
        tap, foot = QPointF(path.tap, path.y), QPointF(path.tap, path.bottom)
        painter.drawLine(QLineF(left, right))
        painter.drawLine(QLineF(tap, foot))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        if path.wire.stimulus_pin:
            painter.drawEllipse(tap, PIN / 2, PIN / 2)
            self._draw_pin(painter, left)
        self._draw_pin(painter, right)
        self._draw_pin(painter, foot)
        self._name_wire(painter, path, chosen=chosen)

    def _draw_pin(self, painter: QPainter, at: QPointF) -> None:
        painter.drawRect(QRectF(at.x() - PIN / 2, at.y() - PIN / 2, PIN, PIN))

    def _name_wire(self, painter: QPainter, path: WirePath, *, chosen: bool) -> None:
        wire = path.wire
        level = QRectF(0, path.y - LINE / 2, 0, LINE)
        target = level.translated(path.right + GAP + 2, 0)
        target.setRight(self.width() - 2 * GAP_L - GAP)
        line = wire.target_line or tr("pin not named")
        self._text(painter, target, LEFT, line, "ink" if wire.target_line else "dim")
        name = QRectF(path.tap + GAP, path.y - LINE - 2, path.right - path.tap - 2 * GAP, LINE)
        tone, font = ("ink", self._small(bold=True)) if chosen else ("dim", self._small())
        self._text(painter, name, RIGHT, wire_name(wire), tone, font)
        if wire.stimulus_pin:
            pin = QRectF(GAP + 4, path.y - LINE / 2, path.left - 2 * GAP - 6, LINE)
            self._text(painter, pin, RIGHT, wire.stimulus_pin, "ink")
            self._text(painter, pin, LEFT, PIN_DUTY.get(wire.stimulus_pin, ""), "dim")
        channel = QRectF(path.tap - 20, path.bottom + PIN / 2 + 1, 40, LINE)
        self._text(painter, channel, CENTER, f"D{wire.channel}", "ink")
        if self._levels is not None:
            self._draw_live(painter, path, self._levels)

    def _text(
        self,
        painter: QPainter,
        area: QRectF,
        where: Qt.AlignmentFlag,
        text: str,
        tone: str,
        font: QFont | None = None,
    ) -> None:
        painter.setFont(figures_font(self.font().pointSizeF()) if font is None else font)
        painter.setPen(QColor(getattr(theme().palette, tone)))
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, int(area.width()))
        painter.drawText(area, where, shown)

    def _bold(self) -> QFont:
        return figures_font(self.font().pointSizeF(), bold=True)

    def _small(self, *, bold: bool = False) -> QFont:
        return figures_font(self.font().pointSizeF() * SMALL, bold=bold)


def _rect(box: Rect) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height)
