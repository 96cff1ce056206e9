# SPDX-License-Identifier: GPL-3.0-or-later
"""Several runs over each other: distributions, and figures with their differences."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.models.runs.entry import RunEntry
from gui.pages.results.charts.charts import HistogramChart, TailChart
from gui.pages.results.charts.curves import series_color
from gui.pages.results.charts.widget import ChartWidget
from gui.pages.results.report import distribution_of
from gui.theme import GAP, theme
from gui.tool_tips import tool_tip
from rig.errors import InputError
from rig.record.reader import RunFile
from rig.report.compare import differing
from rig.report.labels import figure_rows
from rig.session.results import Result
from rig.session.stored_results import stored_result

ROWS_SHOWN = 5
COLUMN_MAX = 480
"""The most pixels of a column; longer texts, as a kernel's command line, are in tool tips."""
RUNS_MAX = 12
"""The most runs over each other; more cannot be told apart."""
_NONE = "-"
"""The report's sign for a figure that there is not."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CompareView(QWidget):
    """A view of what the runs chosen in the table have in common, and what not."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results: list[Result] = []
        self.histogram = ChartWidget(HistogramChart(self.tr("Histogram"), ()), self)
        self.tail = ChartWidget(TailChart(self.tr("Complementary distribution"), ()), self)
        self.around = _table(self.tr("What differs around the runs"), self)
        self.table = _table(self.tr("Figures in µs, and differences from the first run"), self)
        plots = QHBoxLayout()
        plots.setSpacing(GAP)
        plots.addWidget(self.histogram)
        plots.addWidget(self.tail)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self.around)
        layout.addLayout(plots, 1)
        layout.addWidget(self.table)
        theme().changed.connect(self._fill)

    @property
    def results(self) -> list[Result]:
        """The results that are compared."""
        return list(self._results)

    def show_results(self, results: Sequence[Result]) -> None:
        """Show results; the others are compared with the first one."""
        self._results = list(results)
        runs = [distribution_of(result) for result in self._results]
        self.histogram.show_chart(HistogramChart(self.tr("Histogram"), runs))
        self.tail.show_chart(TailChart(self.tr("Complementary distribution"), runs))
        self._fill()

    def _fill(self) -> None:
        self._fill_around()
        self.table.clear()
        if not self._results:
            self.table.setRowCount(0)
            return
        firsts = figure_rows(self._results[0].evaluation)
        names = [row.name for row in firsts]
        heads = [self.tr("Run"), self.tr("Verdict"), *names]
        _set_heads(self.table, heads, texts=2)
        self.table.setRowCount(len(self._results))
        for row, result in enumerate(self._results):
            _put(self.table, row, 0, result.path.stem, series_color(row, theme().palette))
            _put(self.table, row, 1, str(result.evaluation.verdict))
            for column, (name, text, _) in enumerate(figure_rows(result.evaluation)):
                compared = row and name != "n"
                difference = self._difference(text, firsts[column][1]) if compared else ""
                _put(self.table, row, 2 + column, f"{text}{difference}", right=True)
        _fit(self.table)

    def _fill_around(self) -> None:
        """Show the conditions that are not the same; no table if there are none."""
        rows = differing(self._results) if len(self._results) > 1 else ()
        self.around.setVisible(bool(rows))
        heads = [self.tr("What differs"), *(result.path.stem for result in self._results)]
        _set_heads(self.around, heads, texts=len(heads))
        self.around.setRowCount(len(rows))
        for row, cells in enumerate(rows):
            for column, text in enumerate(cells):
                color = series_color(column - 1, theme().palette) if column else ""
                _put(self.around, row, column, text, color)
        _fit(self.around)

    def _difference(self, text: str, first: str) -> str:
        """Return the difference of two figures as they are written; "" where there is none."""
        if _NONE in (text, first):
            return ""
        return f"  ({float(text) - float(first):+.3f})"


def _table(name: str, parent: QWidget) -> QTableWidget:
    """Return an empty table that is only read; `name` is for screen readers."""
    table = QTableWidget(parent)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    table.verticalHeader().hide()
    table.setShowGrid(False)
    table.setAccessibleName(name)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.horizontalHeader().setMaximumSectionSize(COLUMN_MAX)
    return table


def _set_heads(table: QTableWidget, heads: Sequence[str], *, texts: int) -> None:
    """Set the heads; the columns behind the first `texts` are numbers."""
    table.setColumnCount(len(heads))
    table.setHorizontalHeaderLabels(heads)
    for column in range(len(heads)):
        heading = table.horizontalHeaderItem(column)
        if heading is not None:
            heading.setTextAlignment(_LEFT if column < texts else _RIGHT)


def _put(
    table: QTableWidget, row: int, column: int, text: str, color: str = "", *, right: bool = False
) -> None:
    item = QTableWidgetItem(text)
    item.setToolTip(tool_tip(text))
    if color:
        item.setForeground(QColor(color))
    if right:
        item.setTextAlignment(_RIGHT)
    table.setItem(row, column, item)


def _fit(table: QTableWidget) -> None:
    """Give the table the height of its rows, of ROWS_SHOWN if it has more."""
    height = table.rowHeight(0) * min(table.rowCount(), ROWS_SHOWN)
    table.setFixedHeight(height + table.horizontalHeader().sizeHint().height() + 16)


def stored_results(entries: Sequence[RunEntry]) -> list[Result]:
    """Return the stored results of runs, at most RUNS_MAX; those gone are left out."""
    found: list[Result] = []
    for entry in entries:
        if entry.problem or not entry.verdict or len(found) == RUNS_MAX:
            continue
        with contextlib.suppress(InputError), RunFile(entry.path) as file:
            result = stored_result(file)
            found += [] if result is None else [result]
    return found
