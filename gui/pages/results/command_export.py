# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures and reports by the command line's own code, in a process of its own.

A whole capture may be gigabytes, and a long run's report takes minutes; the window stays usable,
and closing it ends the export.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from gui.processes.child import ChildProcess, Ending
from rig.errors import InputError


class CommandExport(ChildProcess):
    """One export at a time."""

    end_ms = 2_000
    ends_with_input = False
    has_messages = False

    done = Signal(str, bool)
    """What to say, and whether it went well."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._out = self._new = Path()

    @property
    def is_busy(self) -> bool:
        """One is under way."""
        return self.is_alive

    def capture(self, run: Path, out: Path, event: int | None) -> None:
        """The capture around an event, or all of it, as .sr or VCD by the name.

        Raises InputError for another name, or while an export is under way; so does `report`.
        """
        around = () if event is None else ("--event", str(event))
        self._export(out, (".sr", ".vcd"), lambda new: ("export", str(run), new, *around))

    def report(self, runs: Sequence[Path], out: Path) -> None:
        """The page for the browser, of one run or of several."""
        files = [str(run) for run in runs]
        self._export(out, (".html",), lambda new: ("report", *files, "-o", new))

    def stop(self) -> None:
        """Give up; may be called at any time."""
        if self.is_alive:
            self.close()
            self._new.unlink(missing_ok=True)

    def _export(
        self, out: Path, types: Sequence[str], words: Callable[[str], Sequence[str]]
    ) -> None:
        """Raises InputError for a name of another type, or while an export is under way."""
        if out.suffix not in types:
            raise InputError(f"{out}: valid names end in {' or '.join(types)}")
        if self.is_alive:
            raise InputError(f"{out}: wait for the export of {self._out} to end")
        self._out = out
        self._new = out.with_name(f"{out.stem}.part{out.suffix}")
        self._new.unlink(missing_ok=True)
        self._start("rig.cli.main", *words(str(self._new)))

    def _name(self) -> str:
        return self.tr("The export")

    def _on_ended(self, ending: Ending) -> None:
        said = ending.last_line
        try:
            if ending.is_success:
                self._new.replace(self._out)
                self.done.emit(self.tr("{} written").format(self._out), True)
                return
            self._new.unlink(missing_ok=True)
        except OSError as error:
            said = f"{self._out}: {error.strerror}"
        self.done.emit(said.removeprefix("rig: "), False)
