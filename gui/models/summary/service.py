# SPDX-License-Identifier: GPL-3.0-or-later
"""A summary for whoever draws: at once if the run is short or was seen before, else as it grows."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from gui.models.summary.levels import SummaryLevels
from gui.models.summary.rows import SummaryKind, row_count
from gui.models.summary.store import (
    cache_folder,
    file_of,
    rows_so_far,
    source_of,
    stored_rows,
)
from gui.processes.child import ChildProcess, Ending
from gui.processes.messages import FAILED, Message
from rig.record.reader import RunFile

SHORT = 1 << 17
"""Events or edges that are read at once: it takes less than a process needs to start."""
PERIOD_MS = 200


class Summary(ChildProcess):
    """The summary of one kind of one run file."""

    grown = Signal()
    """Rows were added; all of them are there once `levels.complete`."""
    failed = Signal(str)

    end_ms = 2_000

    def __init__(
        self,
        file: RunFile,
        kind: SummaryKind,
        folder: Path | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Raises InputError for a damaged run file, as far as it is read here."""
        super().__init__(parent)
        self._kind = kind
        self._path = file.path
        self.levels = SummaryLevels(kind, kind.count(file))
        self._timer = QTimer(self)
        self._timer.setInterval(PERIOD_MS)
        self._timer.timeout.connect(self._take)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._begin(file, folder or self._folder())

    def close(self) -> None:
        """End the process, if there is one; may be called twice."""
        self._timer.stop()
        if self.is_alive or self.is_ending:
            super().close()
            self._new.unlink(missing_ok=True)
        if self._temporary is not None:
            self._temporary.cleanup()

    def _begin(self, file: RunFile, folder: Path) -> None:
        if self.levels.count <= SHORT:
            for rows in self._kind.rows(file):
                self.levels.append(rows)
            return
        if file.left_open:  # still growing: a summary of it would be old at once
            return
        source = source_of(file.path, self.levels.count)
        self._out = file_of(file.path, self._kind, folder)
        stored = stored_rows(self._out, self._kind, source)
        if stored is not None:
            self.levels.append(stored)
            return
        self._build()

    def _build(self) -> None:
        self._new = self._out.with_name(f"{self._out.name}.{os.getpid()}.new")
        self._start("gui.models.summary.build")
        self._send(
            {
                "kind": self._kind.name,
                "run": str(self._path),
                "new": str(self._new),
                "out": str(self._out),
            }
        )
        self._timer.start()

    def _take(self) -> None:
        where = self._new if self.is_alive else self._out
        rows = rows_so_far(where, self._kind, len(self.levels.base))
        missing = row_count(self.levels.count) - len(self.levels.base)
        if len(rows):
            self.levels.append(rows[:missing])
            self.grown.emit()

    def _name(self) -> str:
        return self.tr("The summing process")

    def _on_message(self, message: Message) -> None:
        if message.kind != FAILED:
            raise ValueError(f"message of kind {message.kind}")
        self._timer.stop()
        self._let_go()
        self.failed.emit(str(message.fields["text"]))

    def _on_ended(self, ending: Ending) -> None:
        self._timer.stop()
        if ending.is_success:
            self._take()
        if not self.levels.complete:
            self.failed.emit(ending.details or ending.text)

    def _folder(self) -> Path:
        """The cache folder, or a temporary one if it cannot be made."""
        folder = cache_folder()
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
        self._temporary = tempfile.TemporaryDirectory(prefix="latency-rig-")
        return Path(self._temporary.name)
