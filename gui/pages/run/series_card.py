# SPDX-License-Identifier: GPL-3.0-or-later
"""Plans to be ticked, and what became of each when they are measured one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Final

from PySide6.QtCore import QSettings, QSize, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QListView, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from gui.pages.run.choice import RunSelection, shown_name
from gui.pages.run.scenario_row import ScenarioRow, stored_names
from gui.pages.run.series_status import PartStatus, status_of
from gui.theme import GAP, GAP_L, GAP_S, theme
from gui.tool_tips import tool_tip
from gui.widgets.labels import caption
from rig.services.series import SeriesRun

ITEM: Final = QSize(268, 24)
ROWS: Final = 8
NAME: Final = Qt.ItemDataRole.UserRole
PATH: Final = NAME + 1
_KEY: Final = "run/series"
_SHEET: Final = Template(
    """
QListWidget { border: none; background: transparent; }
QCheckBox { spacing: 6px; }
QCheckBox:disabled { color: $dim; }
QCheckBox:focus { color: $accent; }
QListWidget::indicator, QCheckBox::indicator { width: 12px; height: 12px;
  border: 1px solid $line; border-radius: 3px; background: $panel; }
QListWidget::indicator:checked, QCheckBox::indicator:checked { background: $accent;
  border-color: $accent; }
"""
)


class SeriesCard(QFrame):
    """A tick for each plan; a double click or Enter on one that was measured opens its run."""

    changed = Signal()
    run_wanted = Signal(Path)

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._settings = settings
        self._caption = caption()
        self.list = QListWidget()
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFlow(QListView.Flow.LeftToRight)
        self.list.setWrapping(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setGridSize(ITEM)
        self.list.setFixedHeight(ROWS * ITEM.height() + GAP_S)
        self.list.itemChanged.connect(lambda _item: self._ticked())
        self.list.itemActivated.connect(self._open)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP, GAP, GAP)
        column.setSpacing(GAP_S)
        column.addWidget(self._caption)
        column.addWidget(self.list)
        self.scenarios = ScenarioRow(settings)
        self.scenarios.changed.connect(self.changed)
        column.addWidget(self.scenarios)
        self._parts: tuple[SeriesRun[RunSelection], ...] = ()
        self.retranslate()
        theme().changed.connect(self._recolor)
        self._recolor()

    def retranslate(self) -> None:
        """Set texts in the language in force."""
        self._caption.setText(self.tr("Plans, one after the other: each becomes a run of its own"))
        self.list.setAccessibleName(self._caption.text())
        self.scenarios.retranslate()

    def offer(self, names: Sequence[str]) -> None:
        """Offer these plans, in this order; ticks stay, at first as they were left last time."""
        if [item.data(NAME) for item in self._items()] == list(names):
            return
        stored = self._settings.value(_KEY, [])
        ticked = set(self.ticked if self.list.count() else stored_names(stored))
        self.list.blockSignals(True)
        self.list.clear()
        for name in names:
            item = QListWidgetItem(shown_name(name))
            item.setData(NAME, name)
            item.setToolTip(tool_tip(name))
            item.setCheckState(_state(name in ticked))
            self.list.addItem(item)
        self.list.blockSignals(False)

    @property
    def ticked(self) -> list[str]:
        """The names of the ticked plans, in the order of the list."""
        return [i.data(NAME) for i in self._items() if i.checkState() == Qt.CheckState.Checked]

    def tick(self, names: Sequence[str]) -> None:
        """Tick these and no others."""
        self.list.blockSignals(True)
        for item in self._items():
            item.setCheckState(_state(item.data(NAME) in names))
        self.list.blockSignals(False)
        self._ticked()

    def lock(self, *, locked: bool) -> None:
        """Let no tick be changed while a series goes on."""
        self.scenarios.lock(locked=locked)
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        self.list.blockSignals(True)
        for item in self._items():
            item.setFlags(flags if locked else flags | Qt.ItemFlag.ItemIsUserCheckable)
        self.list.blockSignals(False)

    def show_parts(self, parts: Sequence[SeriesRun[RunSelection]]) -> None:
        """Show what has become of each plan so far."""
        self._parts = tuple(parts)
        found: dict[str, list[SeriesRun[RunSelection]]] = {}
        for part in parts:
            found.setdefault(part.item.plan_name, []).append(part)
        self.list.blockSignals(True)
        for item in self._items():
            self._show(item, status_of(found.get(item.data(NAME), [])))
        self.list.blockSignals(False)

    def text(self, name: str) -> str:
        """Return the text of a plan's line. Raises KeyError if there is none."""
        return {item.data(NAME): item.text() for item in self._items()}[name]

    def _recolor(self) -> None:
        colors = {
            name: getattr(theme().palette, name) for name in ("line", "panel", "accent", "dim")
        }
        for widget in (self.list, self.scenarios):
            widget.setStyleSheet(_SHEET.substitute(colors))
        self.show_parts(self._parts)

    def _show(self, item: QListWidgetItem, told: PartStatus) -> None:
        name, colors = shown_name(item.data(NAME)), theme().palette
        item.setText(f"{name}   {told.words}" if told.words else name)
        item.setForeground(QColor(getattr(colors, told.color)))
        item.setToolTip(tool_tip("\n".join(filter(None, (item.data(NAME), told.tip)))))
        item.setData(PATH, told.path)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _ticked(self) -> None:
        self._settings.setValue(_KEY, self.ticked)
        self.changed.emit()

    def _open(self, item: QListWidgetItem) -> None:
        path = item.data(PATH)
        if isinstance(path, Path):
            self.run_wanted.emit(path)


def _state(checked: object) -> Qt.CheckState:
    return Qt.CheckState.Checked if checked else Qt.CheckState.Unchecked
