# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks at a folder's run files on a thread of its own, again whenever one of them changes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gui.models.runs.entry import (
    FileState,
    RunEntry,
    kept_entry,
    new_entry,
    read_entry,
    stamp_of,
)
from rig.report.tables.figures_index import FiguresIndex, index_path

PERIOD_S = 0.5
SUFFIX = ".h5"
FEW = 3
"""Changed files up to this are read sooner than the index of figures is opened."""


class FolderScanner(QObject):
    """Signals come from its thread; Qt queues them to whoever lives in another."""

    found = Signal(object)
    """A RunEntry, new or changed."""
    gone = Signal(object)
    """The Path of a file that is no longer there."""
    settled = Signal()
    """All files that were there have been looked at."""
    error_message = Signal(str)
    """Why the folder cannot be read; "" once it can."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.folder = folder
        self._known: dict[Path, FileState] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="folder scanner", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Ends within the time that one file takes; may be called twice."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            self._look()
            self.settled.emit()
            self._stop.wait(PERIOD_S)

    def _look(self) -> None:
        try:
            there = _run_files(self.folder)
        except FileNotFoundError:
            there = {}  # the first run makes it
        except OSError as error:
            self.error_message.emit(f"{self.folder}: {error.strerror}")
            return
        self.error_message.emit("")
        for path in self._known.keys() - there.keys():
            del self._known[path]
            self.gone.emit(path)
        # The newest first: that is what one looks for.
        there_now = sorted(there.items(), key=lambda item: -item[1].modified_ns)
        changed = [(path, stamp) for path, stamp in there_now if self._known.get(path) != stamp]
        if len(changed) <= FEW:
            self._tell(changed, read_entry)
            return
        with FiguresIndex(index_path(), lambda _line: None) as index:
            self._tell(
                changed,
                lambda path, stamp: kept_entry(index, path, stamp) or new_entry(index, path, stamp),
            )

    def _tell(
        self, changed: list[tuple[Path, FileState]], look: Callable[[Path, FileState], RunEntry]
    ) -> None:
        for path, stamp in changed:
            if self._stop.is_set():
                return
            self._known[path] = stamp
            self.found.emit(look(path, stamp))


def _run_files(folder: Path) -> dict[Path, FileState]:
    found: dict[Path, FileState] = {}
    for path in folder.iterdir():
        if path.suffix == SUFFIX:
            with contextlib.suppress(OSError):  # gone since it was listed
                if path.is_file():
                    found[path] = stamp_of(path)
    return found
