# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in front of the user as pictures that can be taken along."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter

from gui.pages.results.charts.widget import ChartWidget
from gui.pages.results.files import Picture
from gui.plots.waveform.picture import paint
from gui.plots.waveform.view import WaveformView
from gui.theme.palette import Palette
from gui.theme.theme import figures_font

TITLE_PX = 34
CHART = QSize(720, 320)


def charts_picture(widgets: Sequence[ChartWidget]) -> Picture:
    """Charts one below another, with the names of their runs."""
    runs = ", ".join(run.name for run in widgets[0].chart.runs)

    def paint_all(painter: QPainter, width: float, height: float, colors: Palette) -> None:
        _title(painter, runs, width, height, colors)
        painter.translate(0, TITLE_PX)
        for widget in widgets:
            widget.chart.paint(painter, CHART.width(), CHART.height(), colors)
            painter.translate(0, CHART.height())

    size = QSize(CHART.width(), CHART.height() * len(widgets) + TITLE_PX)
    return Picture(runs, paint_all, size)


def waveform_picture(view: WaveformView) -> Picture:
    """The stretch that is shown, in the size that it has on the screen."""
    scene = view.canvas.current_scene()
    name = "" if view.run is None else view.run.path.stem
    title = f"{name}   {view.headline.text()}"

    def paint_all(painter: QPainter, width: float, height: float, colors: Palette) -> None:
        _title(painter, title, width, height, colors)
        painter.translate(0, TITLE_PX)
        paint(painter, scene, width, height - TITLE_PX, colors)

    return Picture(title, paint_all, QSize(view.canvas.width(), scene.height + 30 + TITLE_PX))


def _title(painter: QPainter, text: str, width: float, height: float, colors: Palette) -> None:
    painter.fillRect(QRectF(0, 0, width, height), QColor(colors.panel))
    painter.setFont(figures_font(10.0, bold=True))
    painter.setPen(QColor(colors.ink))
    painter.drawText(QRectF(14, 8, width - 28, 20), 0, text)
