# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks which bench the wizard is for: a new one, or one that was begun."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from calibration.wizard import Wizard
from calibration.wizard.paths import place_of, unfinished
from calibration.wizard.wizard import check_name
from gui.theme import GAP, GAP_L, theme
from gui.widgets.labels import PlainLabel
from rig.errors import InputError

FIRST_NAME: Final = "bench"


class BeginDialog(QDialog):
    """A name."""

    begun = Signal(Wizard)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("New bench"))
        self.name = QComboBox(editable=True)
        self._list()
        text = PlainLabel(
            self.tr("A name for the new bench, such as the board's; "
                    "or choose one that was begun, to go on with it."),
            wordWrap=True,
        )  # fmt: skip
        self.error_message = PlainLabel(wordWrap=True)
        self.error_message.setStyleSheet(f"color: {theme().palette.bad}")
        self.error_message.hide()
        box = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(box.Ok | box.Cancel)
        buttons.button(box.Ok).setText(self.tr("Go on"))
        for button in buttons.buttons():
            button.setIcon(QIcon())
        buttons.button(box.Ok).setProperty("primary", True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_L, GAP_L, GAP_L, GAP_L)
        column.setSpacing(GAP)
        for part in (text, self.name, self.error_message, buttons):
            column.addWidget(part)
        self.setMinimumWidth(440)

    def accept(self) -> None:
        """Begin, or say what is wrong with the name."""
        name = self.name.currentText().strip()
        try:
            check_name(name)
            wizard = Wizard.begun(place_of(name), name)
        except InputError as error:
            self.error_message.setText(str(error))
            self.error_message.show()
            return
        super().accept()
        self.begun.emit(wizard)

    def _list(self) -> None:
        try:
            names = unfinished()
        except InputError:
            names = ()
        self.name.addItems(names or [FIRST_NAME])
        self.name.setCurrentIndex(0)
