# SPDX-License-Identifier: GPL-3.0-or-later
"""The painting of a scene: on the screen, into a picture file, in whatever palette."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from gui.models.runs.opened import SignalLine
from gui.plots.waveform.axis import tick_texts, ticks, time_text, unit_for
from gui.plots.waveform.scene import AXIS_PX, MARK_ROW_PX, NAMES_PX, WaveformScene
from gui.plots.waveform.shape import Shape
from gui.theme.palette import Palette, wire_color
from gui.theme.theme import figures_font

TICK_PX = 110
GAP_LEFT = 14
_SIGNAL_PART = 0.55
"""The part of a wire's row between its low and its high."""
_TWO_LINES_PX = 38
"""The height of a row from which a channel's name stands below its signal's."""
_FONT_PT = 9.0
_BOLD_PT = 9.5
Align = Qt.AlignmentFlag


def paint(
    painter: QPainter, scene: WaveformScene, width: float, height: float, colors: Palette
) -> None:
    """Paint the scene into (0, 0) to (width, height)."""
    painter.fillRect(QRectF(0, 0, width, height), QColor(colors.panel))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    plot = QRectF(NAMES_PX, AXIS_PX, max(width - NAMES_PX, 1), max(height - AXIS_PX, 1))
    _axis(painter, scene, plot, colors)
    painter.save()
    painter.setClipRect(plot.adjusted(0, -AXIS_PX, 0, 0))
    _event(painter, scene, plot, colors)
    for row, (line, shape) in enumerate(zip(scene.lines, scene.shapes, strict=False)):
        color = wire_color(line.color, line.channel, colors)
        _wire(painter, shape, plot.left(), scene.row_top(row), scene.row_px, QColor(color))
    _marks(painter, scene, plot, colors)
    _unread(painter, scene, plot, colors)
    _cursors(painter, scene, plot, colors)
    _hover(painter, scene, plot, colors)
    painter.restore()
    _names(painter, scene, plot, colors)


def _axis(painter: QPainter, scene: WaveformScene, plot: QRectF, colors: Palette) -> None:
    span = scene.span
    size_ns, unit = unit_for(span.length * span.sample_ns)
    first, last = (at * span.sample_ns / size_ns for at in (span.first, span.end))
    values = ticks(first, last, max(int(plot.width() / TICK_PX), 1))
    painter.setFont(figures_font(_FONT_PT))
    for value, text in zip(values, tick_texts(values), strict=True):
        x = round(plot.left() + (value - first) / (last - first) * plot.width())
        painter.setPen(QColor(colors.grid))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        painter.setPen(QColor(colors.dim))
        painter.drawText(QRectF(x - 60, 8, 120, 18), int(Align.AlignCenter), text)
    painter.setPen(QColor(colors.line))
    painter.drawLine(QLineF(0, plot.top(), plot.right(), plot.top()))
    painter.setPen(QColor(colors.dim))
    painter.drawText(
        QRectF(GAP_LEFT, 8, NAMES_PX - 2 * GAP_LEFT, 18),
        int(Align.AlignVCenter | Align.AlignLeft),
        QCoreApplication.translate("Waveform", "time in {}").format(unit),
    )


def _names(painter: QPainter, scene: WaveformScene, plot: QRectF, colors: Palette) -> None:
    painter.fillRect(QRectF(0, plot.top() + 1, NAMES_PX, plot.height()), QColor(colors.panel))
    for row, line in enumerate(scene.lines):
        _name(painter, line, scene.row_top(row), scene.row_px, colors)
    painter.setFont(figures_font(_FONT_PT))
    painter.setPen(QColor(colors.dim))
    for number, witness in enumerate(scene.mark_rows):
        top = scene.row_top(len(scene.lines)) + number * MARK_ROW_PX
        box = QRectF(GAP_LEFT, top, NAMES_PX - GAP_LEFT - 6, MARK_ROW_PX)
        painter.drawText(box, int(Align.AlignVCenter), scene.mark_names[witness])


def _name(painter: QPainter, line: SignalLine, top: int, row_px: int, colors: Palette) -> None:
    swatch = QRectF(GAP_LEFT, top + row_px * 0.25, 4, row_px * 0.5)
    painter.fillRect(swatch, QColor(wire_color(line.color, line.channel, colors)))
    box = QRectF(GAP_LEFT + 12, top, NAMES_PX - GAP_LEFT - 16, row_px)
    two_lines = row_px >= _TWO_LINES_PX
    painter.setFont(figures_font(_BOLD_PT))
    painter.setPen(QColor(colors.ink))
    up = box.translated(0, -8) if two_lines else box
    painter.drawText(up, int(Align.AlignVCenter), line.signal or line.name)
    if line.signal:
        painter.setFont(figures_font(_FONT_PT - 1.5))
        painter.setPen(QColor(colors.dim))
        down = box.translated(0, 8) if two_lines else box
        side = Align.AlignLeft if two_lines else Align.AlignRight
        painter.drawText(down, int(Align.AlignVCenter | side), line.name)


def _wire(
    painter: QPainter, shape: Shape, left: float, top: int, row_px: int, color: QColor
) -> None:
    swing = round(row_px * _SIGNAL_PART)
    high = top + (row_px - swing) // 2
    low = high + swing
    fill = QColor(color)
    fill.setAlphaF(0.28)
    for x0, x1 in shape.blocks.tolist():
        block = QRectF(left + x0, high, max(x1 - x0, 1.0), swing)
        painter.fillRect(block, fill)
    painter.setPen(QPen(color, 1.5))
    flats = zip(shape.flat_x.tolist(), shape.flat_level.tolist(), strict=True)
    painter.drawLines(
        [QLineF(left + a, high if up else low, left + b, high if up else low)
         for (a, b), up in flats]
        + [QLineF(left + x, high, left + x, low) for x in shape.edge_x.tolist()]
        + [QLineF(left + a, y, left + b, y) for a, b in shape.blocks.tolist() for y in (high, low)]
    )  # fmt: skip


def _event(painter: QPainter, scene: WaveformScene, plot: QRectF, colors: Palette) -> None:
    """Paint the latency as a band from edge to edge."""
    event = scene.event
    if event is None:
        return
    x0 = plot.left() + scene.span.x_of(event.stimulus_sample, plot.width())
    painter.setPen(QPen(QColor(colors.accent), 1, Qt.PenStyle.DashLine))
    painter.drawLine(QLineF(x0, plot.top(), x0, plot.bottom()))
    if event.response_sample < 0:
        return
    x1 = plot.left() + scene.span.x_of(event.response_sample, plot.width())
    band = QColor(colors.accent)
    band.setAlphaF(0.10)
    painter.fillRect(QRectF(x0, plot.top(), x1 - x0, plot.height()), band)
    painter.drawLine(QLineF(x1, plot.top(), x1, plot.bottom()))
    text = time_text((event.response_sample - event.stimulus_sample) * scene.span.sample_ns,
                     scene.span.sample_ns)  # fmt: skip
    _tag(painter, (x0 + x1) / 2, plot.top(), text, colors.accent, colors.accent_ink, plot)


def _tag(
    painter: QPainter, x: float, y: float, text: str, ground: str, ink: str, plot: QRectF
) -> None:
    painter.setFont(figures_font(_FONT_PT, bold=True))
    width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 12
    left = min(max(x - width / 2, plot.left() + 2), plot.right() - width - 2)
    box = QRectF(left, y - 9, width, 18)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(box, 4, 4)
    painter.setPen(QColor(ink))
    painter.drawText(box, int(Align.AlignCenter), text)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)


def _marks(painter: QPainter, scene: WaveformScene, plot: QRectF, colors: Palette) -> None:
    for number, witness in enumerate(scene.mark_rows):
        y = scene.row_top(len(scene.lines)) + (number + 0.5) * MARK_ROW_PX
        for mark in scene.marks:
            if mark.witness == witness:
                x0, x1 = (
                    plot.left() + scene.span.x_of(s, plot.width()) for s in (mark.first, mark.end)
                )
                _bracket(painter, x0, x1, y, colors.good if mark.agrees else colors.bad)


def _bracket(painter: QPainter, x0: float, x1: float, y: float, color: str) -> None:
    """Paint |--| between two times; a line with a head where they fall on one pixel."""
    painter.setPen(QPen(QColor(color), 1.5))
    painter.drawLine(QLineF(x0, y, x1, y))
    for x in (x0, x1):
        painter.drawLine(QLineF(x, y - 6, x, y + 6))
    if x1 - x0 < 6:
        middle = (x0 + x1) / 2
        painter.setBrush(QColor(color))
        painter.drawPolygon(
            [QPointF(middle - 4, y + 10), QPointF(middle + 4, y + 10), QPointF(middle, y + 5)]
        )


def _unread(painter: QPainter, scene: WaveformScene, plot: QRectF, colors: Palette) -> None:
    x = plot.left() + scene.span.x_of(scene.known_until, plot.width())
    if x < plot.right():
        painter.fillRect(
            QRectF(x, plot.top(), plot.right() - x, plot.height()), QColor(colors.raised)
        )
        painter.setPen(QColor(colors.dim))
        words = QCoreApplication.translate("Waveform", "zoom in to see edges here")
        box = QRectF(x, plot.top(), plot.right() - x, scene.row_px)
        painter.drawText(box, int(Align.AlignCenter), words)


def _cursors(painter: QPainter, scene: WaveformScene, plot: QRectF, colors: Palette) -> None:
    places = []
    for cursor in scene.cursors:
        x = plot.left() + scene.span.x_of(cursor.sample, plot.width())
        painter.setPen(QPen(QColor(colors.ink), 1))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        _tag(painter, x, plot.bottom() - 10, cursor.name, colors.ink, colors.panel, plot)
        places.append((cursor.sample, x))
    if len(places) == 2:
        (a, x0), (b, x1) = places
        y = plot.bottom() - 10
        painter.setPen(QPen(QColor(colors.ink), 1))
        painter.drawLine(QLineF(x0, y, x1, y))
        text = time_text((b - a) * scene.span.sample_ns, scene.span.sample_ns)
        if abs(x1 - x0) > 110:
            _tag(painter, (x0 + x1) / 2, y, text, colors.panel, colors.ink, plot)


def _hover(painter: QPainter, scene: WaveformScene, plot: QRectF, colors: Palette) -> None:
    if scene.box is not None:
        x0, x1 = sorted(scene.box)
        band = QColor(colors.accent)
        band.setAlphaF(0.18)
        painter.fillRect(QRectF(x0, plot.top(), x1 - x0, plot.height()), band)
    if scene.hover_x is not None and scene.hover_text:
        x = plot.left() + scene.hover_x
        painter.setPen(QPen(QColor(colors.dim), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        y = scene.row_top(scene.hover_row) + 4
        _tag(painter, x, y, scene.hover_text, colors.raised, colors.ink, plot)
