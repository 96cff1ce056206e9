# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a folder's runs, with its search."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QSettings, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gui.models.runs.entry import RunEntry
from gui.models.runs.notes import RunNote
from gui.models.runs.table import ENTRY_ROLE, RunsModel, ShownRuns
from gui.pages.results.state import stored_state
from gui.theme import GAP, GAP_S
from gui.theme.theme import figures_font
from gui.widgets.labels import PlainLabel

_HEADER_KEY, _SEARCH_KEY = "results/header", "results/search"
ROW_PX = 26
REFRESH_MS = 1000
_WIDTHS = {
    "started": 158,
    "verdict": 96,
    "name": 190,
    "measurement": 104,
    "fixture": 120,
    "tags": 110,
}
_WIDTH = 84


class RunsTable(QWidget):
    """Which runs there are; one or several are chosen."""

    chosen = Signal()
    """Other runs are chosen, or the first of them has changed."""
    searched = Signal()

    def __init__(
        self, model: RunsModel, settings: QSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self.model = model
        self.shown = ShownRuns(model, self)
        self.view = QTableView(self)
        self.search = QLineEdit(self)
        self.count = PlainLabel(parent=self)
        self.count.setObjectName("dim")
        self._set_up_view()
        self._lay_out()
        self.search.setPlaceholderText(self.tr("Search: words in any column, tag:word for tags"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        self.search.setText(str(settings.value(_SEARCH_KEY, "")))
        for signal in (self.shown.rowsInserted, self.shown.rowsRemoved, self.shown.modelReset,
                       self.shown.layoutChanged):  # fmt: skip
            signal.connect(self._count)
        self._timer = QTimer(self)
        self._timer.timeout.connect(model.refresh_running)
        self._timer.start(REFRESH_MS)

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.shown)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setSortingEnabled(True)
        view.setShowGrid(False)
        view.setAlternatingRowColors(False)
        view.setWordWrap(False)
        view.setFont(figures_font(self.font().pointSizeF()))
        view.setTabKeyNavigation(False)
        view.setAccessibleName(self.tr("Runs"))
        view.verticalHeader().hide()
        view.verticalHeader().setDefaultSectionSize(ROW_PX)
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsMovable(True)
        header.setStretchLastSection(True)
        for number, column in enumerate(self.model.columns):
            view.setColumnWidth(number, _WIDTHS.get(column.key, _WIDTH))
        view.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        header.restoreState(stored_state(self._settings, _HEADER_KEY))
        header.sectionResized.connect(self._keep)
        header.sectionMoved.connect(self._keep)
        header.sortIndicatorChanged.connect(self._keep)
        view.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit())

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(GAP)
        top.addWidget(self.search, 1)
        top.addWidget(self.count)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_S)
        layout.addLayout(top)
        layout.addWidget(self.view, 1)

    @property
    def selected(self) -> list[RunEntry]:
        """Chosen runs in the order of the table; the current one first."""
        rows = sorted({index.row() for index in self.view.selectionModel().selectedRows()})
        current = self.view.currentIndex().row()
        rows.sort(key=lambda row: (row != current, row))
        return [self.shown.index(row, 0).data(ENTRY_ROLE) for row in rows]

    @property
    def visible_runs(self) -> list[tuple[RunEntry, RunNote]]:
        """Runs that match the search, in the order of the table."""
        rows = [
            self.shown.mapToSource(self.shown.index(row, 0)).row()
            for row in range(self.shown.rowCount())
        ]
        return [(self.model.entry(row), self.model.note(row)) for row in rows]

    def select(self, path: Path, *, only: bool = True) -> bool:
        """Choose a run; False if it is not in the table. A search that hides it is given up."""
        row = self.model.row_of(path)
        if row is None:
            return False
        index = self.shown.mapFromSource(self.model.index(row, 0))
        if not index.isValid():
            self.search.clear()
            index = self.shown.mapFromSource(self.model.index(row, 0))
        flag = QItemSelectionModel.SelectionFlag
        mode = flag.ClearAndSelect if only else flag.Select
        self.view.selectionModel().setCurrentIndex(index, mode | flag.Rows)
        self.view.scrollTo(index)
        return True

    def select_first(self) -> None:
        """The first row, if none is chosen."""
        if self.shown.rowCount() and not self.view.selectionModel().hasSelection():
            self.view.selectRow(0)

    def _search(self, text: str) -> None:
        self.shown.search(text)
        self._settings.setValue(_SEARCH_KEY, text)
        self._count()
        self.searched.emit()

    def _count(self, *_: object) -> None:
        shown, all_runs = self.shown.rowCount(), self.model.rowCount()
        if shown != all_runs:
            text = self.tr("{} of {} runs").format(shown, all_runs)
        elif all_runs == 1:
            text = self.tr("1 run")
        else:
            text = self.tr("{} runs").format(all_runs)
        self.count.setText(text)

    def _keep(self, *_: object) -> None:
        self._settings.setValue(_HEADER_KEY, self.view.horizontalHeader().saveState())
