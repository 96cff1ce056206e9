# SPDX-License-Identifier: GPL-3.0-or-later
"""The plots of the Run page. Imported when the window is already there: it loads pyqtgraph."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.engine.snapshot import Snapshot
from gui.pages.run.curve_card import CurveCard
from gui.pages.run.waveform import WaveformCard
from gui.plots.complementary import ComplementaryPlot
from gui.plots.histogram import HistogramPlot
from gui.plots.timeline import TimelinePlot
from gui.theme import GAP
from rig.document import Curve
from rig.services.event_query import EventQuery


class LivePlots(QWidget):
    """The plots: histogram and timeline left, complementary distribution and waveform right."""

    wanted = Signal(EventQuery)
    """A click in one of the plots: the event that is drawn there."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.histogram = HistogramPlot()
        self.complementary = ComplementaryPlot()
        self.timeline = TimelinePlot()
        self.curve = CurveCard()
        self.waveform = WaveformCard()
        for plot in (self.histogram, self.complementary, self.timeline):
            plot.wanted.connect(self.wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        for stretch, cards in (
            (3, ((3, self.histogram), (2, self.timeline))),
            (2, ((2, self.complementary), (2, self.curve), (3, self.waveform))),
        ):
            column = QVBoxLayout()
            column.setSpacing(GAP)
            for share, card in cards:
                column.addWidget(card, share)
            row.addLayout(column, stretch)

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Draw a moment of a run."""
        for plot in (self.histogram, self.complementary, self.timeline):
            plot.show_snapshot(snapshot)

    def show_curve(self, curve: Curve | None) -> None:
        """Show an ended run's curve, in place of the distribution of all that it varied."""
        self.curve.show_curve(curve)
        self.complementary.setHidden(curve is not None)

    def set_limit_us(self, limit_us: float | None) -> None:
        """Show the plan's largest latency as a line in each plot."""
        for plot in (self.histogram, self.complementary, self.timeline):
            plot.set_limit_us(limit_us)
