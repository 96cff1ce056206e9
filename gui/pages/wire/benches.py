# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of benches at the top: built-in ones and the files opened last, as on the Run page."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QSettings, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QWidget

from gui.tool_tips import tool_tip
from rig.printable import printable
from rig.resources import fixture_names

RECENT_KEY: Final = "run/recent_fixtures"
CHOSEN_KEY: Final = "run/fixtures"
"""The Run page's own: both pages know the same benches."""
FIRST: Final = "virtual"
RECENT_MAX: Final = 8
HEIGHT: Final = 32


class BenchCombo(QComboBox):
    """Says what the user wants opened; shows only what is open."""

    wanted = Signal(str)
    """A built-in name, or a path."""

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._shown = ""
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(220)
        self.setAccessibleName(self.tr("Bench"))
        for name in fixture_names():
            self.addItem(name, name)
        for name in recent(settings):
            if Path(name).is_file():
                self._add(name)
        self.activated.connect(self._activated)

    def show_bench(self, name: str) -> None:
        """This one is open now; a file is remembered."""
        self._shown = name
        with QSignalBlocker(self):
            at = self.findData(name)
            self.setCurrentIndex(at if at >= 0 else self._add(name))
        if "/" in name:
            others = [other for other in recent(self._settings) if other != name]
            self._settings.setValue(RECENT_KEY, [name, *others][:RECENT_MAX])

    def _activated(self, at: int) -> None:
        name = str(self.itemData(at))
        self.show_bench(self._shown)  # until it is open
        if name != self._shown:
            self.wanted.emit(name)

    def _add(self, name: str) -> int:
        if (at := self.findData(name)) < 0:
            self.addItem(printable(Path(name).name), name)
            at = self.count() - 1
            self.setItemData(at, tool_tip(name), Qt.ItemDataRole.ToolTipRole)
        return at


def recent(settings: QSettings) -> list[str]:
    """Fixture files opened last, newest first."""
    stored = settings.value(RECENT_KEY, [])
    if isinstance(stored, str):  # QSettings gives a list of one as a string
        return [stored]
    return [str(name) for name in stored] if isinstance(stored, list) else []


def chosen_bench(settings: QSettings) -> str:
    """The Run page's bench."""
    return str(settings.value(CHOSEN_KEY, FIRST))
