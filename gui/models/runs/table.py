# SPDX-License-Identifier: GPL-3.0-or-later
"""The runs of a folder as a Qt table, and what of it is shown and in which order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import time
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QColor

from gui.models.runs.entry import LIVE_S, RunEntry
from gui.models.runs.notes import RunNote
from gui.theme import theme
from gui.theme.palette import Palette
from gui.tool_tips import tool_tip
from rig.analysis.measurements.verdict import Verdict
from rig.formatting import microseconds
from rig.printable import printable
from rig.report.labels import measurement_title

Index = QModelIndex | QPersistentModelIndex
SORT_ROLE = int(Qt.ItemDataRole.UserRole) + 1
ENTRY_ROLE = int(Qt.ItemDataRole.UserRole) + 2
_NO_FIGURE = "\N{EN DASH}"
Role = Qt.ItemDataRole


def tr(text: str) -> str:
    """Return a text of this table in the language in force."""
    return QCoreApplication.translate("RunsTable", text)


@dataclass(frozen=True)
class Column:
    """A column: its heading, its text, its order."""

    key: str
    heading: str
    text: Callable[[RunEntry, RunNote], str]
    order: Callable[[RunEntry, RunNote], Any]
    is_number: bool = False


def _us(value_ns: float | None) -> str:
    return _NO_FIGURE if value_ns is None else microseconds(value_ns)


def _count(value: int | None) -> str:
    return _NO_FIGURE if value is None else f"{value:,}"


def _order(value: float | None) -> float:
    return -1.0 if value is None else float(value)


def started_text(entry: RunEntry) -> str:
    """Return when the run began, by this machine's clock."""
    try:
        local = datetime.fromisoformat(entry.created).astimezone()
    except ValueError:
        return ""
    return local.strftime("%Y-%m-%d %H:%M:%S")


def verdict_text(entry: RunEntry, now_s: float) -> str:
    """Return the verdict; of a run without one, why it has none."""
    if entry.problem:
        return tr("unreadable")
    if entry.verdict:
        return entry.verdict
    if entry.is_running:
        silent_s = now_s - entry.stamp.modified_ns / 1e9
        return tr("running") if silent_s < LIVE_S else tr("without an end")
    return tr("not analyzed")


def columns() -> list[Column]:
    """Return all columns in their order; the last ones can be edited."""
    return [
        Column("started", tr("Started"), lambda e, _: started_text(e), lambda e, _: e.created),
        Column("verdict", tr("Verdict"), lambda e, _: verdict_text(e, time()),
               lambda e, _: verdict_text(e, time())),
        Column("name", tr("Run"), lambda e, _: e.path.stem, lambda e, _: e.path.stem.lower()),
        Column("measurement", tr("Measurement"), lambda e, _: measurement_title(e.measurement),
               lambda e, _: e.measurement),
        Column("scenario", tr("Scenario"), lambda e, _: e.scenario, lambda e, _: e.scenario),
        Column("fixture", tr("Fixture"), lambda e, _: e.fixture, lambda e, _: e.fixture),
        Column("n", tr("n"), lambda e, _: _count(e.latencies),
               lambda e, _: _order(e.latencies), is_number=True),
        Column("average", tr("Average µs"), lambda e, _: _us(e.average_ns),
               lambda e, _: _order(e.average_ns), is_number=True),
        Column("p99", tr("p99 µs"), lambda e, _: _us(e.p99_ns),
               lambda e, _: _order(e.p99_ns), is_number=True),
        Column("max", tr("Max µs"), lambda e, _: _us(e.max_ns),
               lambda e, _: _order(e.max_ns), is_number=True),
        Column("tags", tr("Tags"), lambda _, n: " ".join(n.tags), lambda _, n: n.tags),
        Column("note", tr("Note"), lambda _, n: n.note.partition("\n")[0], lambda _, n: n.note),
    ]  # fmt: skip


class RunsModel(QAbstractTableModel):
    """The entries by path; they come and change as the folder is looked at."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = columns()
        self._entries: list[RunEntry] = []
        self._notes: dict[str, RunNote] = {}

    def put(self, entry: RunEntry) -> None:
        """Add a run, or replace its entry."""
        row = self.row_of(entry.path)
        if row is None:
            self.beginInsertRows(QModelIndex(), len(self._entries), len(self._entries))
            self._entries.append(entry)
            self.endInsertRows()
        else:
            self._entries[row] = entry
            self._changed(row)

    def drop(self, path: Path) -> None:
        """Remove the run of a file that is gone."""
        row = self.row_of(path)
        if row is not None:
            self.beginRemoveRows(QModelIndex(), row, row)
            del self._entries[row]
            self.endRemoveRows()

    def clear(self) -> None:
        """Remove all runs, for another folder."""
        self.beginResetModel()
        self._entries, self._notes = [], {}
        self.endResetModel()

    def set_notes(self, notes: Mapping[str, RunNote]) -> None:
        """Set tags and notes by the names of run files."""
        self._notes = dict(notes)
        if self._entries:
            last = self.index(len(self._entries) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def refresh_running(self) -> None:
        """Show again which runs without an end go on, by how long their files are silent."""
        for row, entry in enumerate(self._entries):
            if entry.is_running and not entry.verdict:
                self._changed(row)

    def row_of(self, path: Path) -> int | None:
        """Return the row of a run; None: not in the table."""
        return next((row for row, e in enumerate(self._entries) if e.path == path), None)

    def entry(self, row: int) -> RunEntry:
        """Return the entry of the run in a row."""
        return self._entries[row]

    def note(self, row: int) -> RunNote:
        """Return tags and note of the run in a row."""
        return self._notes.get(self._entries[row].path.name, RunNote())

    def _changed(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))

    # What Qt asks for.

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's
        """Return the number of runs."""
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802 - Qt's
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(  # noqa: N802 - Qt's
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        """Return the headings."""
        if orientation is Qt.Orientation.Horizontal:
            if role == Role.DisplayRole:
                return self.columns[section].heading
            if role == Role.TextAlignmentRole:
                return _alignment(self.columns[section])
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Return the text, tool tip, color or value of one cell."""
        column, entry = self.columns[index.column()], self._entries[index.row()]
        note = self.note(index.row())
        value: Any = None
        if role == Role.DisplayRole:
            value = printable(column.text(entry, note))
        elif role == Role.ToolTipRole:
            told = entry.problem or (note.note if column.key == "note" else str(entry.path))
            value = tool_tip(told)
        elif role == Role.TextAlignmentRole:
            value = _alignment(column)
        elif role == Role.ForegroundRole and column.key == "verdict":
            value = QColor(entry_color(entry, theme().palette))
        elif role == SORT_ROLE:
            value = column.order(entry, note)
        elif role == ENTRY_ROLE:
            value = entry
        return value


def _alignment(column: Column) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.is_number else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


class ShownRuns(QSortFilterProxyModel):
    """The rows that contain every word searched for; sorted by values, not by their texts."""

    def __init__(self, model: RunsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self._model = model
        self.setSourceModel(model)
        self.setDynamicSortFilter(True)

    def search(self, text: str) -> None:
        """Search words in any order, in any column; `tag:rt` looks at tags only."""
        self._words = tuple(text.lower().split())
        self.invalidate()

    def filterAcceptsRow(self, row: int, _parent: Index) -> bool:  # noqa: N802 - Qt's
        """Return whether a row is shown."""
        entry, note = self._model.entry(row), self._model.note(row)
        tags = {tag.lower() for tag in note.tags}
        texts = [column.text(entry, note) for column in self._model.columns]
        whole = " ".join([*texts, entry.plan, note.note]).lower()
        return all(
            word.removeprefix("tag:") in tags if word.startswith("tag:") else word in whole
            for word in self._words
        )

    def lessThan(self, left: Index, right: Index) -> bool:  # noqa: N802 - Qt's
        """Return whether the left cell's value is less than the right one's."""
        a, b = (self._model.data(index, SORT_ROLE) for index in (left, right))
        return bool(a < b)


def verdict_color(verdict: Verdict, colors: Palette) -> str:
    """Return the color of good, doubtful or bad, as #rrggbb."""
    if verdict is Verdict.PASS:
        return colors.good
    return colors.warn if verdict is Verdict.INCONCLUSIVE else colors.bad


def entry_color(entry: RunEntry, colors: Palette) -> str:
    """Return the color of what stands for a run's verdict in a table."""
    if entry.problem:
        return colors.bad
    if entry.verdict in set(Verdict):
        return verdict_color(Verdict(entry.verdict), colors)
    return colors.accent if entry.is_running else colors.dim
