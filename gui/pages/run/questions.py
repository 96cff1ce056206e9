# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Run page asks its user: a file, and whether a run shall be stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget


def ask_file(parent: QWidget, what: str, folder: Path, use: Callable[[Path], None]) -> QFileDialog:
    """Asks for a TOML file; calls `use` with the one that is chosen."""
    dialog = QFileDialog(parent, what, str(folder), _tr("TOML files (*.toml)"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(lambda name: use(Path(name)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def ask_to_stop(parent: QWidget, stop: Callable[[], None]) -> QMessageBox:
    """Asks before the window closes on a run; calls `stop` if that is what shall be done."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(_tr("A run is going on"))
    box.setText(_tr("A run is going on."))
    box.setInformativeText(
        _tr("Stop it in order and close? What has been measured is kept in its run file.")
    )
    stopping = box.addButton(_tr("Stop and close"), QMessageBox.ButtonRole.AcceptRole)
    keep = box.addButton(_tr("Keep running"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.finished.connect(lambda _code: stop() if box.clickedButton() is stopping else None)
    box.open()
    return box


def _tr(text: str) -> str:
    return QCoreApplication.translate("RunMenu", text)
