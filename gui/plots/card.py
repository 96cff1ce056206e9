# SPDX-License-Identifier: GPL-3.0-or-later
"""A plot in a card: a caption, what matters most in words, and the plot in the window's colors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.plots.downsample import log_ticks
from gui.plots.number_texts import short_time
from gui.plots.pg import pg
from gui.theme import GAP, GAP_L, GAP_S, theme
from gui.theme.theme import figures_font
from gui.widgets.labels import RichLabel, caption
from rig.printable import html_text

AXIS_POINTS: Final = 8.0
FEW_DECADES: Final = 1.8
AXIS_WIDTH: Final = 46
"""The room for labels at the left, the same in all plots: their axes stand one below another."""


class MessagePart(NamedTuple):
    """A text, and its color; None is that of other texts."""

    text: str
    color: str | None = None


class PlotCard(QFrame):
    """The base of the live plots. Subclasses add curves to `plot` and color them in `paint_in`."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._caption = caption(title)
        self._words = RichLabel("", alignment=Qt.AlignmentFlag.AlignRight)
        self._words.setFont(figures_font(self.font().pointSizeF(), bold=True))
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        head = QHBoxLayout()
        head.addWidget(self._caption)
        head.addWidget(self._words, 1)
        self._view: Any = pg.PlotWidget(parent=self)
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it does nothing with keys
        self._view.setFrameShape(QFrame.Shape.NoFrame)
        self._view.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._view.setMinimumSize(120, 60)
        self.plot: Any = self._view.getPlotItem()
        self._set_up(self.plot)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP, GAP, GAP_S)
        column.setSpacing(GAP_S)
        column.addLayout(head)
        column.addWidget(self._view, 1)
        self._message: tuple[MessagePart, ...] = ()
        self._time_range = (0.0, 0.0)
        theme().changed.connect(self._restyle)

    def set_message(self, *parts: MessagePart) -> None:
        """Show what matters most, beside the caption."""
        if parts != self._message:
            self._message = parts
            self._words.setText(" · ".join(map(_markup, parts)))

    @property
    def text(self) -> str:
        """The message that is shown, without its colors."""
        return " · ".join(part.text for part in self._message)

    @property
    def plot_width(self) -> int:
        """The plot's width in pixels, at least 100."""
        return max(100, int(self.plot.vb.width()))

    def paint_in(self) -> None:
        """Give curves the colors of `theme().palette`."""

    def _set_up(self, plot: Any) -> None:
        plot.hideButtons()
        plot.setMenuEnabled(False)
        plot.setContentsMargins(0, GAP, GAP, 0)  # labels at the ends reach over
        for name in ("left", "bottom"):
            axis = plot.getAxis(name)
            axis.setStyle(
                tickFont=figures_font(AXIS_POINTS), tickLength=-4, autoExpandTextSpace=False
            )
            axis.enableAutoSIPrefix(enable=False)
        plot.getAxis("left").setWidth(AXIS_WIDTH)
        plot.getAxis("bottom").setHeight(20)

    def _restyle(self) -> None:
        colors = theme().palette
        self._view.setBackground(colors.panel)
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.setPen(pg.mkPen(colors.line))
            axis.setTextPen(pg.mkPen(colors.dim))
            axis.setTickPen(pg.mkPen(colors.line))
        self.paint_in()

    def show_range(
        self, x: tuple[float, float] | None = None, y: tuple[float, float] | None = None
    ) -> None:
        """Set the ends of the axes; only ends that differ from the shown ones are set anew."""
        view = self.plot.vb
        shown_x, shown_y = view.viewRange()
        new_x = x if x is not None and tuple(shown_x) != x else None
        new_y = y if y is not None and tuple(shown_y) != y else None
        if new_x is not None or new_y is not None:
            view.setRange(xRange=new_x, yRange=new_y, padding=0)

    def log_axis(
        self, name: str, ticks: Sequence[tuple[float, str]], decades: Sequence[float]
    ) -> None:
        """Label an axis whose coordinates are log10 of what it shows; strokes between decades."""
        between = [(decade + f, "") for decade in decades for f in _MINOR]
        self.plot.getAxis(name).setTicks([list(ticks), between])

    def time_axis(self, name: str, low: float, high: float) -> None:
        """Label an axis of log10 microseconds with as many labels as it can bear."""
        if (low, high) == self._time_range:
            return
        self._time_range = low, high
        decades, between = log_ticks(math.floor(low), math.ceil(high))
        ticks = [(at, short_time(10.0**at)) for at in decades]
        if high - low < FEW_DECADES:
            ticks += [(at, short_time(value)) for at, value in between]
        self.log_axis(name, ticks, decades)


_MINOR: Final = tuple(float(f) for f in (0.301, 0.477, 0.602, 0.699, 0.778, 0.845, 0.903, 0.954))


def _markup(part: MessagePart) -> str:
    text = html_text(part.text)
    return text if part.color is None else f'<span style="color:{part.color}">{text}</span>'
