# SPDX-License-Identifier: GPL-3.0-or-later
"""The curve of what a run found over a quantity that it has varied, on the Run page at its end."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from gui.pages.results.charts.curve_chart import NO_CURVE, CurveChart
from gui.pages.results.charts.widget import ChartWidget
from gui.theme import GAP, GAP_L, GAP_S
from gui.widgets.labels import caption
from rig.document import Curve


class CurveCard(QFrame):
    """A card that is hidden but for a run that has varied something, and has ended."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.chart = ChartWidget(CurveChart(NO_CURVE))
        self._caption = caption("")
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP, GAP, GAP_S)
        column.setSpacing(GAP_S)
        column.addWidget(self._caption)
        column.addWidget(self.chart, 1)
        self.hide()

    def show_curve(self, curve: Curve | None) -> None:
        """Show what the run has found; None: it has varied nothing."""
        if curve is not None:
            self.chart.show_chart(CurveChart(curve))
            self._caption.setText(self.chart.chart.title)
            self.setAccessibleName(self.chart.chart.title)
        self.setVisible(curve is not None)
