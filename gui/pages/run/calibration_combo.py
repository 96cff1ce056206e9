# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice of the calibration that a run uses: the bench's own, a file's, or none."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QComboBox, QFileDialog, QWidget

from gui.tool_tips import tool_tip
from rig.config.calibration.paths import NONE, chosen_text
from rig.config.fixture import Fixture
from rig.errors import InputError
from rig.printable import printable

OWN: Final = ""
_OWN, _NONE, _ASK = range(3)
"""The places of what is always there; a file comes before the last."""
WIDTH: Final = 144


class CalibrationCombo(QComboBox):
    """A box with the calibrations; a file is for one bench only, and is not remembered."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedWidth(WIDTH)
        for data in (OWN, NONE, None):
            self.addItem("", data)
        self._last = _OWN
        self.retranslate()
        self.activated.connect(self._activated)

    @property
    def asked(self) -> str | None:
        """The choice as `rig run --calibration` takes it; None: the bench's own, if it has one."""
        return str(self.currentData()) or None

    def retranslate(self) -> None:
        """Set texts in the language in force."""
        self.setItemText(_OWN, self.tr("bench's own"))
        self.setItemText(_NONE, self.tr("none"))
        self.setItemText(self.count() - 1, self.tr("A file …"))
        self.setAccessibleName(self.tr("Calibration"))

    def use_file(self, file: Path) -> None:
        """Use a file, in place of the one before."""
        if self.count() > _ASK + 1:
            self.removeItem(_ASK)
        self.insertItem(_ASK, printable(file.name.removesuffix(".toml")), str(file.absolute()))
        self.setItemData(_ASK, tool_tip(str(file.absolute())), Qt.ItemDataRole.ToolTipRole)
        self._take(_ASK)

    def use_own(self) -> None:
        """Use the bench's own calibration, as for another bench."""
        if self.count() > _ASK + 1:
            self.removeItem(_ASK)
        self._last = _OWN
        self.setCurrentIndex(_OWN)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        """Set the texts anew for another language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    def _activated(self, at: int) -> None:
        if self.itemData(at) is not None:
            self._take(at)
            return
        self.setCurrentIndex(self._last)
        file, _ = QFileDialog.getOpenFileName(self, self.tr("Calibration"), "", "*.toml")
        if file:
            self.use_file(Path(file))

    def _take(self, at: int) -> None:
        self._last = at
        self.setCurrentIndex(at)
        self.chosen.emit()


def why_unfit(asked: str | None, fixture: Fixture | None) -> str:
    """Return why a run of this fixture cannot use the choice, in one line; "" if it can."""
    if asked in (None, NONE) or fixture is None:
        return ""
    try:
        chosen_text(fixture, asked)
    except InputError as error:
        return str(error)
    return ""
