# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios to be ticked: the loads under which plans are measured, idle first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSizePolicy, QWidget

from gui.theme import GAP_L
from gui.widgets.labels import caption, dim
from rig.target.scenario import IDLE, LOADS

SCENARIOS: Final = (IDLE, *LOADS)
_KEY: Final = "run/scenarios"


class ScenarioRow(QWidget):
    """A tick for each scenario, and beside them why some of them are skipped."""

    changed = Signal()

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._caption = caption()
        self._note = dim()
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.boxes = {name: QCheckBox(name) for name in SCENARIOS}
        stored = stored_names(settings.value(_KEY, []))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP_L)
        row.addWidget(self._caption)
        for name, box in self.boxes.items():
            box.setChecked(name in stored)
            box.toggled.connect(self._ticked)
            row.addWidget(box)
        row.addWidget(self._note, 1)
        self._skipped: tuple[str, ...] = ()
        self.retranslate()

    def retranslate(self) -> None:
        """Texts in the language in force."""
        self._caption.setText(self.tr("Load on the target"))
        for box in self.boxes.values():
            box.setAccessibleDescription(self._caption.text())
        self._tell()

    @property
    def ticked(self) -> list[str]:
        """Names, in their order."""
        return [name for name, box in self.boxes.items() if box.isChecked()]

    def tick(self, names: Sequence[str]) -> None:
        """These and no others."""
        for name, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(name in names)
            box.blockSignals(False)
        self._ticked()

    def lock(self, *, locked: bool) -> None:
        """No tick can be changed while a series goes on."""
        for box in self.boxes.values():
            box.setDisabled(locked)

    def show_skipped(self, reasons: Sequence[str]) -> None:
        """Why runs will not be made on this bench; a reason for several of them is told once."""
        self._skipped = tuple(dict.fromkeys(reasons))
        self._tell()

    @property
    def note(self) -> str:
        """What is said of the scenarios that are skipped."""
        return self._note.text()

    def _tell(self) -> None:
        words = "" if self.ticked else self.tr("none ticked: as each plan has it")
        if self._skipped:
            more = f" (+{len(self._skipped) - 1})" if self._skipped[1:] else ""
            words = self.tr("skipped: {0}").format(self._skipped[0] + more)
        self._note.setText(words)
        self._note.setToolTip("\n".join(self._skipped))

    def _ticked(self) -> None:
        self._settings.setValue(_KEY, self.ticked)
        self._tell()
        self.changed.emit()


def stored_names(stored: object) -> list[str]:
    """From QSettings, which gives a list of one as a string."""
    if isinstance(stored, str):
        return [stored]
    return [str(name) for name in stored] if isinstance(stored, list) else []
