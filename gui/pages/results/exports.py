# SPDX-License-Identifier: GPL-3.0-or-later
"""Asks where to, and writes it: pictures, the table, captures, the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.models.runs.entry import RunEntry
from gui.models.runs.notes import RunNote
from gui.pages.results.command_export import CommandExport
from gui.pages.results.files import Picture, runs_csv, save_picture, write_whole
from rig.errors import InputError

_FOLDER_KEY = "results/export_folder"
_PICTURES = "PNG (*.png);;SVG (*.svg)"
_CAPTURES = "sigrok (*.sr);;VCD (*.vcd)"
AskPath = Callable[[str, str, str], Path | None]
"""From title, proposed name and filters to a path; None: given up."""


class Exports(QObject):
    """All exports of the page."""

    status_message = Signal(str)

    def __init__(self, parent: QWidget, settings: QSettings) -> None:
        super().__init__(parent)
        self._parent = parent
        self._settings = settings
        self.ask: AskPath = self._ask
        self.commands = CommandExport(self)
        self.commands.done.connect(lambda text, _ok: self.status_message.emit(text))

    def picture(self, picture: Picture, name: str) -> None:
        """PNG or SVG."""
        path = self.ask(self.tr("Export picture"), f"{name}.png", _PICTURES)
        if path is not None:
            self._try(path, lambda: save_picture(picture, path))

    def table(self, runs: Iterable[tuple[RunEntry, RunNote]]) -> None:
        """The runs in the table as CSV."""
        text = runs_csv(runs)
        path = self.ask(self.tr("Export table"), "runs.csv", "CSV (*.csv)")
        if path is not None:
            self._try(path, lambda: write_whole(path, text.encode()))

    def report(self, runs: Sequence[Path]) -> None:
        """The page for the browser, of all these runs."""
        path = self.ask(self.tr("Export report"), f"{runs[0].stem}.html", "HTML (*.html)")
        if path is not None:
            self._begin(path, lambda: self.commands.report(runs, path))

    def capture(self, run: Path, event: int | None) -> None:
        """Around an event, or whole."""
        name = run.stem if event is None else f"{run.stem}-event-{event}"
        path = self.ask(self.tr("Export capture"), f"{name}.sr", _CAPTURES)
        if path is not None:
            self._begin(path, lambda: self.commands.capture(run, path, event))

    def _begin(self, path: Path, start: Callable[[], None]) -> None:
        try:
            start()
        except InputError as error:
            self.status_message.emit(str(error))
        else:
            self.status_message.emit(self.tr("writing {}").format(path))

    def _try(self, path: Path, write: Callable[[], None]) -> None:
        try:
            write()
        except InputError as error:
            self.status_message.emit(str(error))
        else:
            self.status_message.emit(self.tr("{} written").format(path))

    def _ask(self, title: str, name: str, filters: str) -> Path | None:
        folder = Path(str(self._settings.value(_FOLDER_KEY, str(Path.home()))))
        chosen, used = QFileDialog.getSaveFileName(self._parent, title, str(folder / name), filters)
        if not chosen:
            return None
        path = Path(chosen)
        if not path.suffix:
            path = path.with_suffix(used.partition("*")[2].rstrip(")"))
        self._settings.setValue(_FOLDER_KEY, str(path.parent))
        return path
