# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenarios to be ticked: the loads under which plans are measured, idle first, and below them
those that are commands of the bench's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.theme import GAP_L, GAP_S
from gui.tool_tips import tool_tip
from gui.widgets.labels import caption, dim
from rig.instruments import LoadCommand
from rig.target.scenario import IDLE, LOADS

SCENARIOS: Final = (IDLE, *LOADS)
ACROSS: Final = 6
"""Number of scenarios in a line: names of commands may be long."""
_KEY: Final = "run/scenarios"


class ScenarioRow(QWidget):
    """A tick for each scenario, and beside them why some of them are skipped."""

    changed = Signal()

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._caption, self._own_caption = caption(), caption()
        self._note = dim()
        self._note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._wanted = stored_names(settings.value(_KEY, []))
        """Ticked, also what the bench that is chosen does not have."""
        self.boxes: dict[str, QCheckBox] = {}
        row = QGridLayout()
        row.setHorizontalSpacing(GAP_L)
        row.setVerticalSpacing(GAP_S)
        row.addWidget(self._caption, 0, 0)
        for place, name in enumerate(SCENARIOS):
            row.addWidget(self._box(name), place // ACROSS, 1 + place % ACROSS)
        row.addWidget(self._note, 0, ACROSS + 1)
        row.setColumnStretch(ACROSS + 1, 1)
        self._own = QWidget()
        self._own_grid = QGridLayout(self._own)
        self._own_grid.setContentsMargins(0, 0, 0, 0)
        self._own_grid.setHorizontalSpacing(GAP_L)
        self._own_grid.setVerticalSpacing(GAP_S)
        self._own_grid.setColumnStretch(ACROSS + 1, 1)
        self._own_grid.addWidget(self._own_caption, 0, 0)
        self._own.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP_S)
        column.addLayout(row)
        column.addWidget(self._own)
        self._commands: Mapping[str, LoadCommand] = {}
        self._skipped: tuple[str, ...] = ()
        self.retranslate()

    def retranslate(self) -> None:
        """Set texts in the language in force."""
        self._caption.setText(self.tr("Load on the target"))
        self._own_caption.setText(self.tr("Commands of this bench"))
        for name, box in self.boxes.items():
            heading = self._own_caption if name in self._commands else self._caption
            box.setAccessibleDescription(heading.text())
        self._tell()

    def offer(self, commands: Mapping[str, LoadCommand]) -> None:
        """Offer the fixture's own scenarios beside the built-in ones; ticks stay by their names."""
        if commands == self._commands:
            return
        for name in self._commands:
            box = self.boxes.pop(name)
            self._own_grid.removeWidget(box)
            box.deleteLater()
        self._commands = dict(commands)
        for at, (name, command) in enumerate(self._commands.items()):
            box = self._box(name)
            box.setToolTip(tool_tip(" ".join(command.words)))
            self._own_grid.addWidget(box, at // ACROSS, 1 + at % ACROSS)
        self._own.setVisible(bool(self._commands))
        self.retranslate()

    @property
    def ticked(self) -> list[str]:
        """The names that are ticked, in their order."""
        return [name for name, box in self.boxes.items() if box.isChecked()]

    def tick(self, names: Sequence[str]) -> None:
        """Tick these and no others."""
        for name, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(name in names)
            box.blockSignals(False)
        self._ticked()

    def lock(self, *, locked: bool) -> None:
        """Let no tick be changed while a series goes on."""
        for box in self.boxes.values():
            box.setDisabled(locked)

    def show_skipped(self, reasons: Sequence[str]) -> None:
        """Show why runs are not made on this bench; a reason for several of them once."""
        self._skipped = tuple(dict.fromkeys(reasons))
        self._tell()

    @property
    def note(self) -> str:
        """The note on the scenarios that are skipped."""
        return self._note.text()

    def _box(self, name: str) -> QCheckBox:
        box = self.boxes[name] = QCheckBox(name)
        box.setChecked(name in self._wanted)
        box.toggled.connect(self._ticked)
        return box

    def _tell(self) -> None:
        words = "" if self.ticked else self.tr("none ticked: as each plan has it")
        if self._skipped:
            more = f" (+{len(self._skipped) - 1})" if self._skipped[1:] else ""
            words = self.tr("skipped: {0}").format(self._skipped[0] + more)
        self._note.setText(words)
        self._note.setToolTip(tool_tip("\n".join(self._skipped)))

    def _ticked(self) -> None:
        self._wanted = [*self.ticked, *_without(self._wanted, self.boxes)]
        self._settings.setValue(_KEY, self._wanted)
        self._tell()
        self.changed.emit()


def _without(names: Iterable[str], some: Iterable[str]) -> list[str]:
    known = set(some)
    return [name for name in names if name not in known]


def stored_names(stored: object) -> list[str]:
    """Return names from QSettings, which gives a list of one as a string."""
    if isinstance(stored, str):
        return [stored]
    return [str(name) for name in stored] if isinstance(stored, list) else []
