# SPDX-License-Identifier: GPL-3.0-or-later
"""Which rates a target kept up with, on the Run page when the search is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QSizePolicy, QVBoxLayout, QWidget

from gui.pages.results.charts.rates import RatesChart
from gui.pages.results.charts.widget import ChartWidget
from gui.theme import GAP, GAP_L, GAP_S
from gui.widgets.labels import caption

if TYPE_CHECKING:
    from rig.analysis.measurements.saturation import SaturationFigures


class RatesCard(QFrame):
    """Hidden but for a search that has ended."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        title = self.tr("Answered share over rate")
        self.chart = ChartWidget(RatesChart(title, None))
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP, GAP, GAP_S)
        column.setSpacing(GAP_S)
        column.addWidget(caption(title))
        column.addWidget(self.chart, 1)
        self.setAccessibleName(title)
        self.hide()

    def show_found(self, found: SaturationFigures | None) -> None:
        """What the search has found; None: there was none."""
        if found is not None:
            self.chart.show_chart(RatesChart(self.accessibleName(), found))
        self.setVisible(found is not None)
