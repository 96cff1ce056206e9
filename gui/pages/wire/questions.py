# SPDX-License-Identifier: GPL-3.0-or-later
"""The questions of the Wire page; none of them makes the rest of the window wait."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from gui.pages.wire.labels import tr

Call = Callable[[], object]


def ask_unsaved(parent: QWidget, name: str, save: Call, discard: Call) -> QMessageBox:
    """Ask before changes to this bench would be lost; call one of both, or nothing."""
    box = _box(parent, tr("Unsaved changes"), tr("{0} has changes that are not saved."), name)
    box.setInformativeText(tr("Save them first?"))
    saving = box.addButton(tr("&Save"), QMessageBox.ButtonRole.AcceptRole)
    discarding = box.addButton(tr("&Discard"), QMessageBox.ButtonRole.DestructiveRole)
    stay = box.addButton(tr("&Keep editing"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(saving)
    box.setEscapeButton(stay)

    def answered() -> None:
        if box.clickedButton() is saving:
            save()
        elif box.clickedButton() is discarding:
            discard()

    box.finished.connect(lambda _code: answered())
    box.open()
    return box


def ask_overwrite(parent: QWidget, path: Path, overwrite: Call) -> QMessageBox:
    """Ask whether to overwrite a file that somebody else wrote meanwhile."""
    box = _box(parent, tr("Changed on disk"), tr("{0} was changed by somebody else."), str(path))
    box.setInformativeText(tr("It is not what was opened here. Replace it with what is here?"))
    replacing = box.addButton(tr("&Replace"), QMessageBox.ButtonRole.DestructiveRole)
    keep = box.addButton(tr("&Cancel"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    box.finished.connect(lambda _code: overwrite() if box.clickedButton() is replacing else None)
    box.open()
    return box


def ask_file_to_open(parent: QWidget, folder: Path, use: Callable[[Path], object]) -> QFileDialog:
    """Ask for a fixture's file."""
    dialog = _dialog(parent, tr("Open fixture"), folder, use)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.open()
    return dialog


def ask_file_to_save(parent: QWidget, proposed: Path, use: Callable[[Path], object]) -> QFileDialog:
    """Ask where to store a fixture; ask again before a file is overwritten."""
    dialog = _dialog(parent, tr("Save fixture as"), proposed.parent, use)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("toml")
    dialog.selectFile(proposed.name)
    dialog.open()
    return dialog


def _dialog(
    parent: QWidget, title: str, folder: Path, use: Callable[[Path], object]
) -> QFileDialog:
    dialog = QFileDialog(parent, title, str(folder), tr("TOML files (*.toml)"))
    dialog.fileSelected.connect(lambda name: use(Path(name)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog


def _box(parent: QWidget, title: str, text: str, name: str) -> QMessageBox:
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Question)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(text.format(name))
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return box
