# SPDX-License-Identifier: GPL-3.0-or-later
"""How the picture of a bench is painted: boxes, wires, pins and their words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from gui.pages.wire.geometry import BOX_WIDTH, LIVE_HEIGHT, Rect, WirePath, WirePicture
from gui.pages.wire.labels import (
    Label,
    analyzer_label,
    short_rate,
    stimulus_label,
    target_label,
    tr,
    wire_name,
)
from gui.pages.wire.levels import ChannelLevels
from gui.theme import GAP, GAP_L, theme
from gui.theme.palette import wire_color
from gui.theme.theme import figures_font
from rig.config.fixture import Fixture
from rig.services.finding import DoctorFinding

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


class BenchPainter:
    """Paints one moment of a bench into a picture of a certain width."""

    def __init__(
        self,
        points: float,
        width: float,
        findings: Sequence[DoctorFinding] | None = None,
        levels: ChannelLevels | None = None,
    ) -> None:
        """`points`: of the font; `findings`: None if nobody has looked; `levels` likewise."""
        self._points, self._width = points, width
        self._findings = None if findings is None else tuple(findings)
        self._levels = levels

    def paint(
        self, painter: QPainter, scene: WirePicture, fixture: Fixture, chosen: int | None
    ) -> None:
        """All of it; the wire that is chosen stands out."""
        if not fixture.is_virtual:
            self._draw_ground(painter, scene)
        self._draw_boxes(painter, scene, fixture)
        if self._levels is not None:
            self._draw_live_captions(painter, scene)
        for at, path in enumerate(scene.paths):
            self._draw_wire(painter, path, chosen=at == chosen)

    def _draw_boxes(self, painter: QPainter, scene: WirePicture, fixture: Fixture) -> None:
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

    def _draw_ground(self, painter: QPainter, scene: WirePicture) -> None:
        """No signal, and no table of the fixture; but without it nothing works."""
        y = scene.analyzer.y + scene.analyzer.height - GAP_L
        for box, end in ((scene.stimulus, scene.analyzer.x), (scene.target, scene.analyzer.right)):
            x = round(box.x + box.width / 2) + 0.5
            painter.setPen(QPen(QColor(theme().palette.dim), 1, Qt.PenStyle.DashLine))
            painter.drawPolyline([QPointF(x, box.bottom), QPointF(x, y), QPointF(end, y)])
            area = QRectF(box.x, y, box.width, LINE + 2)
            self.text(painter, area, CENTER, tr("ground"), "dim", self._small())

    def _draw_live_captions(self, painter: QPainter, scene: WirePicture) -> None:
        area = QRectF(scene.analyzer.x + GAP + 4, scene.analyzer.y + LINE + 4, 60, LINE)
        for text in (tr("level"), tr("edges/s")):
            self.text(painter, area, LEFT, text, "dim", self._small())
            area.translate(0, LINE)

    def _draw_live(self, painter: QPainter, path: WirePath, levels: ChannelLevels) -> None:
        """Level and activity below the channel's name."""
        channel = path.wire.channel
        rate = levels.edges_per_s(channel)
        area = QRectF(path.tap - 20, path.bottom + LINE + 4, 40, LINE)
        level = tr("high") if levels.is_high(channel) else tr("low")
        self.text(painter, area, CENTER, level, "ink", self._small())
        area.translate(0, LINE)
        tone = "accent" if rate else "dim"
        self.text(painter, area, CENTER, short_rate(rate), tone, self._small(bold=bool(rate)))

    def _draw_label(self, painter: QPainter, box: Rect, label: Label, top: float) -> None:
        area = QRectF(box.x + GAP + 4, box.y + top, box.width - 2 * GAP - 8, LINE + 4)
        self.text(painter, area, LEFT, label.title, "ink", self._bold())
        area.translate(0, LINE + 4)
        for line in label.lines:
            self.text(painter, area, LEFT, line, "dim", self._small())
            area.translate(0, LINE)
        if label.note:
            if box.width > 2 * BOX_WIDTH:  # room beside the title
                area.moveTop(box.y + top)
            where = RIGHT if box.width > 2 * BOX_WIDTH else LEFT
            self.text(painter, area, where, label.note, label.tone, self._small(bold=True))

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
        target.setRight(self._width - 2 * GAP_L - GAP)
        line = wire.target_line or tr("pin not named")
        self.text(painter, target, LEFT, line, "ink" if wire.target_line else "dim")
        name = QRectF(path.tap + GAP, path.y - LINE - 2, path.right - path.tap - 2 * GAP, LINE)
        tone, font = ("ink", self._small(bold=True)) if chosen else ("dim", self._small())
        self.text(painter, name, RIGHT, wire_name(wire), tone, font)
        if wire.stimulus_pin:
            pin = QRectF(GAP + 4, path.y - LINE / 2, path.left - 2 * GAP - 6, LINE)
            self.text(painter, pin, RIGHT, wire.stimulus_pin, "ink")
            self.text(painter, pin, LEFT, wire.timer_pin, "dim")
        channel = QRectF(path.tap - 20, path.bottom + PIN / 2 + 1, 40, LINE)
        self.text(painter, channel, CENTER, f"D{wire.channel}", "ink")
        if self._levels is not None:
            self._draw_live(painter, path, self._levels)

    def text(
        self,
        painter: QPainter,
        area: QRectF,
        where: Qt.AlignmentFlag,
        text: str,
        tone: str,
        font: QFont | None = None,
    ) -> None:
        """A line, shortened in its middle if it has to be, in a tone of the palette."""
        painter.setFont(figures_font(self._points) if font is None else font)
        painter.setPen(QColor(getattr(theme().palette, tone)))
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, int(area.width()))
        painter.drawText(area, where, shown)

    def _bold(self) -> QFont:
        return figures_font(self._points, bold=True)

    def _small(self, *, bold: bool = False) -> QFont:
        return figures_font(self._points * SMALL, bold=bold)


def _rect(box: Rect) -> QRectF:
    return QRectF(box.x, box.y, box.width, box.height)
