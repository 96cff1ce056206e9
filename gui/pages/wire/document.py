# SPDX-License-Identifier: GPL-3.0-or-later
"""The document that is edited: opened, checked, saved; it asks before anything would be lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QSettings, QTimer, Signal
from PySide6.QtWidgets import QWidget

from gui.pages.wire import questions
from gui.pages.wire.bench_file import BenchFile, open_bench_file, refuse_built_in, save_bench_file
from gui.pages.wire.checking import Checked, check_text
from gui.pages.wire.editor import FixtureEditor
from rig.errors import InputError

CHECK_MS: Final = 150
"""The rest after a key before the text is checked: not at every letter of a word."""
FOLDER_KEY: Final = "wire/folder"

Then = Callable[[], object]


def _nothing() -> None:
    pass


class FixtureDocument(QObject):
    """The text in the editor, and the file it belongs to."""

    opened = Signal()
    """Another file is in the editor, or the same one again."""
    checked = Signal(Checked)
    saved = Signal()
    state_changed = Signal()
    """Changes that are not saved have come, or gone."""
    error_message = Signal(str)
    """A line on why something was not done."""

    def __init__(self, editor: FixtureEditor, settings: QSettings, page: QWidget) -> None:
        super().__init__(page)
        self._editor, self._settings, self._page = editor, settings, page
        self.file = BenchFile("", "")
        self.state = Checked(None)
        """Of the text when it was checked last."""
        self._asking = False
        self._timer = QTimer(self, singleShot=True, interval=CHECK_MS)
        self._timer.timeout.connect(self.check)
        editor.textChanged.connect(self._timer.start)
        editor.document().modificationChanged.connect(self.state_changed)

    @property
    def is_modified(self) -> bool:
        """Whether there are changes that are not saved."""
        return self._editor.document().isModified()

    @property
    def source(self) -> str:
        """The name that messages use."""
        return self.file.name

    def check(self) -> Checked:
        """Check the text now."""
        self._timer.stop()
        self.state = check_text(self._editor.text, self.source)
        self._editor.mark_error(self.state.line)
        self.checked.emit(self.state)
        return self.state

    # --- open -----------------------------------------------------------------------------------

    def open(self, name: str) -> bool:
        """Open a built-in name or a path; changes are lost. False if it cannot be read."""
        try:
            self.file = open_bench_file(name)
        except InputError as error:
            self.error_message.emit(str(error))
            return False
        self._editor.load(self.file.text)
        self.opened.emit()
        self.check()
        self.state_changed.emit()
        if self._editor.isReadOnly():
            self.error_message.emit(
                self.tr("{0}: has characters that this editor cannot keep; it is only shown here, "
                        "change it with another editor").format(name)
            )  # fmt: skip
        return True

    def ask_open(self, name: str) -> None:
        """Open a name or a path, after asking what becomes of changes."""
        self.settle(lambda: self.open(name))

    def choose_file(self) -> None:
        """Ask which file, and open it."""
        questions.ask_file_to_open(
            self._page, self._folder(), lambda path: self.ask_open(str(path))
        )

    def read_again(self) -> None:
        """Read the file as it is on disk now."""
        self.ask_open(self.file.name)

    def follow_disk(self) -> None:
        """Show the file that somebody else wrote, if nothing was changed here."""
        if not self.is_modified and self.file.name and self.file.is_changed_on_disk():
            self.open(self.file.name)

    # --- save -----------------------------------------------------------------------------------

    def settle(self, then: Then) -> None:
        """Call `then` once nothing would be lost; never, if the user would rather stay."""
        if not self.is_modified:
            then()
            return
        if self._asking:
            return
        name = Path(self.file.name).name
        box = questions.ask_unsaved(self._page, name, lambda: self.save(then), then)
        self._asking = True
        box.finished.connect(self._answered)

    def _answered(self, _code: int) -> None:
        self._asking = False

    def save(self, then: Then = _nothing) -> None:
        """Save to its file, then call `then`.

        A built-in fixture, and one whose file is gone, is saved to another.
        """
        if self.file.is_built_in or not self.file.path.exists():
            self.save_as(then)
        elif self.file.is_changed_on_disk():
            path = self.file.path
            questions.ask_overwrite(self._page, path, lambda: self.write(path, then))
        else:
            self.write(self.file.path, then)

    def save_as(self, then: Then = _nothing) -> None:
        """Ask for a file, and save to it."""
        name = Path(self.file.name)
        questions.ask_file_to_save(
            self._page,
            self._folder() / f"{name.stem}.toml",
            lambda path: self.write(path, then),
        )

    def write(self, path: Path, then: Then = _nothing) -> bool:
        """Store the text there, with errors or without. False if that is not possible."""
        if self._editor.isReadOnly():
            return False
        try:
            refuse_built_in(path)
            self.file = save_bench_file(path, self._editor.text, self.file.newline)
        except InputError as error:
            self.error_message.emit(str(error))
            return False
        self._settings.setValue(FOLDER_KEY, str(self.file.path.parent))
        self._editor.document().setModified(False)
        self.check()
        self.saved.emit()
        then()
        return True

    def _folder(self) -> Path:
        """Return the folder where files are looked for."""
        if self.file.name and not self.file.is_built_in:
            return self.file.path.parent
        return Path(str(self._settings.value(FOLDER_KEY, Path.cwd())))
