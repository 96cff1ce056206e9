# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures and reports by the command line's own code, in a process of its own.

A whole capture may be gigabytes, and a long run's report takes minutes; the window stays usable,
and closing it ends the export.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, Signal

from rig.errors import InputError

PATIENCE_MS = 2000


class CommandExport(QObject):
    """One export at a time."""

    done = Signal(str, bool)
    """What to say, and whether it went well."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._process: QProcess | None = None
        self._out = self._new = Path()

    @property
    def is_busy(self) -> bool:
        """One is under way."""
        return self._process is not None

    def capture(self, run: Path, out: Path, event: int | None) -> None:
        """The capture around an event, or all of it, as .sr or VCD by the name.

        Raises InputError for another name, or while an export is under way; so does `report`.
        """
        around = () if event is None else ("--event", str(event))
        self._start(out, (".sr", ".vcd"), lambda new: ("export", str(run), new, *around))

    def report(self, runs: Sequence[Path], out: Path) -> None:
        """The page for the browser, of one run or of several."""
        files = [str(run) for run in runs]
        self._start(out, (".html",), lambda new: ("report", *files, "-o", new))

    def stop(self) -> None:
        """Give up; may be called at any time."""
        process, self._process = self._process, None
        if process is not None:
            process.finished.disconnect()
            process.terminate()
            if not process.waitForFinished(PATIENCE_MS):
                process.kill()
                process.waitForFinished()
            self._new.unlink(missing_ok=True)

    def _start(
        self, out: Path, types: Sequence[str], words: Callable[[str], Sequence[str]]
    ) -> None:
        """Raises InputError for a name of another type, or while an export is under way."""
        if out.suffix not in types:
            raise InputError(f"{out}: valid names end in {' or '.join(types)}")
        if self._process is not None:
            raise InputError(f"{out}: wait for the export of {self._out} to end")
        self._out = out
        self._new = out.with_name(f"{out.stem}.part{out.suffix}")
        self._new.unlink(missing_ok=True)
        process = QProcess(self)
        process.finished.connect(self._ended)
        self._process = process
        process.start(sys.executable, ["-m", "rig.cli.main", *words(str(self._new))])

    def _ended(self, code: int) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        said = bytes(process.readAllStandardError().data()).decode("utf-8", "replace").strip()
        try:
            if code == 0:
                self._new.replace(self._out)
                self.done.emit(self.tr("{} written").format(self._out), True)
                return
            self._new.unlink(missing_ok=True)
        except OSError as error:
            said = f"{self._out}: {error.strerror}"
        last = said.splitlines()[-1] if said else self.tr("the export ended with {}").format(code)
        self.done.emit(last.removeprefix("rig: "), False)
