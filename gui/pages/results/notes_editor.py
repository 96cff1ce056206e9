# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags and note of a run, written where they are read."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from gui.models.runs.notes import RunNote, tags_of
from gui.theme import GAP_S


class NotesEditor(QWidget):
    """Two fields; what was typed is reported when a field is left or Return is pressed."""

    changed = Signal(object, object)
    """A run's path, and its new RunNote."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._path: Path | None = None
        self._note = RunNote()
        self.tags = QLineEdit(self)
        self.tags.setPlaceholderText(self.tr("words, with spaces between them"))
        self.note = QLineEdit(self)
        self.note.setPlaceholderText(self.tr("what is to be remembered of this run"))
        layout = QFormLayout(self)
        layout.setContentsMargins(GAP_S, 0, GAP_S, 0)
        layout.setVerticalSpacing(GAP_S)
        layout.addRow(self.tr("Tags"), self.tags)
        layout.addRow(self.tr("Note"), self.note)
        for field in (self.tags, self.note):
            field.editingFinished.connect(self.commit)
        self.setEnabled(False)

    def show_note(self, path: Path | None, note: RunNote) -> None:
        """Show another run's note, or None; report first what was typed for the one before."""
        self.commit()
        if path == self._path and note == self._note:
            return
        self._path, self._note = path, note
        self.tags.setText(" ".join(note.tags))
        self.note.setText(note.note)
        self.setEnabled(path is not None)

    def commit(self) -> None:
        """Report what was typed."""
        typed = RunNote(tags_of(self.tags.text()), self.note.text().strip())
        if self._path is not None and typed != self._note:
            self._note = typed
            self.changed.emit(self._path, typed)
