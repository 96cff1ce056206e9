# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's report: words and figures, its distribution, and what people noted of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QSettings, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from gui.models.runs.entry import RunEntry
from gui.pages.results.charts.charts import HistogramChart, TailChart
from gui.pages.results.charts.course_chart import CourseChart
from gui.pages.results.charts.curve_chart import NO_CURVE, CurveChart, curve_words
from gui.pages.results.charts.curves import RunDistribution
from gui.pages.results.charts.widget import ChartWidget
from gui.pages.results.notes_editor import NotesEditor
from gui.pages.results.state import stored_state
from gui.theme import GAP, GAP_S, theme
from gui.theme.palette import Palette
from rig.analysis.uncertainty.measurand import Measurand
from rig.document import curves_of
from rig.errors import InputError
from rig.formatting import capitalized
from rig.measurements.registry import measurement_of
from rig.session.results import Result

_KEY = "results/report_splitter"


class ReportView(QWidget):
    """A view of one run's report."""

    picked = Signal(int)
    """A latency was clicked in a plot, in the units of the run's histogram."""

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._shown: tuple[Result, str] | None = None
        self._message = ""
        self.text = QTextBrowser(self)
        self.text.setOpenLinks(False)
        self.text.document().setDocumentMargin(12)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setWordWrapMode(QTextOption.WrapMode.WordWrap)  # never within a number
        self.text.setAccessibleName(self.tr("Report"))
        self.notes = NotesEditor(self)
        self.histogram = ChartWidget(HistogramChart(self.tr("Histogram"), ()), self)
        self.tail = ChartWidget(TailChart(self.tr("Complementary distribution"), ()), self)
        self.curve = ChartWidget(CurveChart(NO_CURVE), self)
        self.curve.hide()
        self.curves = QComboBox(self)
        self.curves.setAccessibleName(self.tr("Curve"))
        self.curves.hide()
        self.curves.currentIndexChanged.connect(self._show_curve)
        self.course = ChartWidget(CourseChart(None), self)
        self.course.hide()
        self.quantities = QComboBox(self)
        self.quantities.setAccessibleName(self.tr("Quantity"))
        self.quantities.hide()
        self.quantities.currentIndexChanged.connect(self._show_charts)
        for chart in (self.histogram, self.tail):
            chart.picked.connect(self._pick)
        self._lay_out()
        theme().changed.connect(self._render)

    def _lay_out(self) -> None:
        left, right = QWidget(self), QWidget(self)
        words = QVBoxLayout(left)
        words.setContentsMargins(0, 0, 0, 0)
        words.setSpacing(GAP_S)
        words.addWidget(self.text, 1)
        words.addWidget(self.notes)
        plots = QVBoxLayout(right)
        plots.setContentsMargins(0, 0, 0, 0)
        plots.setSpacing(GAP)
        plots.addWidget(self.curves)
        plots.addWidget(self.curve, 1)
        plots.addWidget(self.quantities)
        plots.addWidget(self.course, 1)
        plots.addWidget(self.histogram, 1)
        plots.addWidget(self.tail, 1)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._splitter.addWidget(left)
        self._splitter.addWidget(right)
        self._splitter.setStretchFactor(0, 5)
        self._splitter.setStretchFactor(1, 6)
        self._splitter.setChildrenCollapsible(False)
        if not self._splitter.restoreState(stored_state(self._settings, _KEY)):
            self._splitter.setSizes([480, 700])
        self._splitter.splitterMoved.connect(self._keep)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)

    def show_result(self, result: Result, note: str = "") -> None:
        """Show the figures of a run; `note`: what must be said of them first."""
        self._shown, self._message = (result, note), ""
        names = [each.name for each in measured(result)]
        chosen = self.quantities.currentData()
        with QSignalBlocker(self.quantities):
            self.quantities.clear()
            for name in names:
                self.quantities.addItem(capitalized(name.replace("_", " ")), name)
            self.quantities.setCurrentIndex(names.index(chosen) if chosen in names else 0)
        self.quantities.setVisible(len(names) > 1)
        self._show_charts()
        self._show_curves(result)
        self._render()

    def _show_charts(self) -> None:
        """Show the values of the quantity that is chosen."""
        if self._shown is None:
            return
        result, place = self._shown[0], max(0, self.quantities.currentIndex())
        limit = result.settings.limits.max_ns if not place else None
        limit_us = None if limit is None else limit / 1e3
        own = measured(result)[place : place + 1]
        runs = [distribution_of(result, each) for each in own]
        self.histogram.show_chart(HistogramChart(self.tr("Histogram"), runs, limit_us))
        self.tail.show_chart(TailChart(self.tr("Complementary distribution"), runs, limit_us))
        course = own[0].course if own else None
        words = self.histogram.chart.x_words()
        self.course.show_chart(
            CourseChart(course, own[0].unit_ns, words) if own else CourseChart(None)
        )
        self.course.setVisible(course is not None and course.used > 0)

    def _pick(self, value: int) -> None:
        """Pass on a latency that was clicked; other quantities are not those of events."""
        if not self.quantities.currentIndex() > 0:
            self.picked.emit(value)

    def _show_curves(self, result: Result) -> None:
        """Show the curves over what the run has varied, one at a time, if it did."""
        evaluation = result.evaluation
        found = curves_of(measurement_of(result.settings.measurement).sections(evaluation))
        place = self.curves.currentIndex()
        with QSignalBlocker(self.curves):
            self.curves.clear()
            for curve in found:
                self.curves.addItem(curve_words(curve.title), curve)
            self.curves.setCurrentIndex(place if 0 < place < len(found) else 0)
        self.curves.setVisible(len(found) > 1)
        self.curve.setVisible(bool(found))
        self._show_curve()

    def _show_curve(self) -> None:
        """Show the curve that is chosen."""
        self.curve.show_chart(CurveChart(self.curves.currentData() or NO_CURVE))

    def show_message(self, text: str) -> None:
        """Show nothing but a line of text."""
        self._shown, self._message = None, text
        self.histogram.show_chart(HistogramChart(self.tr("Histogram"), ()))
        self.tail.show_chart(TailChart(self.tr("Complementary distribution"), ()))
        self.curve.hide()
        self.curves.hide()
        self.course.hide()
        self.quantities.hide()
        self._render()

    def show_entry(self, entry: RunEntry | None) -> None:
        """Show what is known of a run without its figures."""
        self.show_message(entry.problem if entry is not None else "")

    def _render(self) -> None:
        if self._shown is None:
            self.text.setPlainText(self._message)
            return
        result, note = self._shown
        bar = self.text.verticalScrollBar()
        place = bar.value()
        try:
            self.text.setHtml(report_html(result, theme().palette, note))
        except InputError as error:  # it was damaged since it was opened
            self.text.setPlainText(str(error))
        bar.setValue(place)

    def _keep(self) -> None:
        self._settings.setValue(_KEY, self._splitter.saveState())


def measured(result: Result) -> list[Measurand]:
    """Return the measurands whose values are at hand, the measurement's own first."""
    return [each for each in result.evaluation.measurands if each.histogram.n]


def distribution_of(result: Result, measurand: Measurand | None = None) -> RunDistribution:
    """Return a run's values, under its file's name; of its own measurand if none is named."""
    own = result.evaluation.primary
    found = measurand or own
    quantity = quantity_of(result) if found is own else found.name.replace("_", " ")
    return RunDistribution(result.path.stem, found.histogram, found.unit_ns, quantity)


def quantity_of(result: Result) -> str:
    """Return the quantity of a run's histogram, if it is no latency by the wires."""
    if measurement_of(result.settings.measurement).has_events:
        return ""
    return measurement_of(result.settings.measurement).quantity(result.evaluation)


_TEMPLATE: Final = Path(__file__).with_name("report.html")


def report_html(result: Result, colors: Palette, note: str = "") -> str:
    """Return the report without its plots, which have a place of their own in the window.

    `note` is what must be said of it first.
    """
    # They take long to load, and the window has opened by then.
    from rig.report.page import rendered
    from rig.report.run_report import run_report

    return rendered(_TEMPLATE, report=run_report(result), colors=colors, note=note)
