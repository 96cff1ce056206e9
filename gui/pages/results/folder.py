# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of runs: its table, kept up to date, and its notes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gui.models.runs.entry import RunEntry
from gui.models.runs.notes import RunNote, read_notes, write_note
from gui.models.runs.scanner import FolderScanner
from gui.models.runs.table import RunsModel
from rig.errors import InputError


class RunsFolder(QObject):
    """A folder that is looked at, one at a time."""

    changed = Signal(object)
    """A RunEntry is new or changed."""
    settled = Signal()
    """All files have been looked at once more."""
    error_message = Signal(str)
    """A line on what is wrong with the folder or its notes; "" if nothing is."""
    moved = Signal()
    """Another folder is looked at."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path = path.absolute()
        self.model = RunsModel(self)
        self._scanner: FolderScanner | None = None

    def start(self) -> None:
        """Begin to look at the folder, if that has not begun."""
        if self._scanner is not None:
            return
        self.read_notes()
        scanner = FolderScanner(self.path)
        scanner.found.connect(self._found)
        scanner.gone.connect(self.model.drop)
        scanner.settled.connect(self.settled)
        scanner.error_message.connect(self._told)
        self._scanner = scanner
        scanner.start()

    def stop(self) -> None:
        """Stop looking at the folder; may be called twice."""
        scanner, self._scanner = self._scanner, None
        if scanner is not None:
            for signal in (scanner.found, scanner.gone, scanner.settled, scanner.error_message):
                signal.disconnect()
            scanner.stop()

    def look_at(self, path: Path) -> None:
        """Look at another folder."""
        begun = self._scanner is not None
        self.stop()
        self.path = path.absolute()
        self.model.clear()
        self.moved.emit()
        if begun:
            self.start()

    def read_notes(self) -> None:
        """Read the notes again, which others may have written."""
        try:
            self.model.set_notes(read_notes(self.path))
        except InputError as error:
            self.error_message.emit(str(error))

    def note(self, path: Path) -> RunNote:
        """Return tags and note of a run."""
        row = self.model.row_of(path)
        return RunNote() if row is None else self.model.note(row)

    def write_note(self, path: Path, note: RunNote) -> None:
        """Keep tags and note of a run, or report what hinders that."""
        try:
            self.model.set_notes(write_note(path.parent, path.name, note))
        except InputError as error:
            self.error_message.emit(str(error))

    def entry(self, path: Path) -> RunEntry | None:
        """Return the entry of a run; None: not in the table."""
        row = self.model.row_of(path)
        return None if row is None else self.model.entry(row)

    def _found(self, entry: RunEntry) -> None:
        self.model.put(entry)
        self.changed.emit(entry)

    def _told(self, text: str) -> None:
        if text:
            self.error_message.emit(text)
