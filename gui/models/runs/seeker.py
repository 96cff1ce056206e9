# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks for an event in a run file while the window goes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from gui.models.beside import Beside
from rig.errors import InputError

if TYPE_CHECKING:
    from gui.models.runs.wanted import Wanted


class Seeker(Beside):
    """Takes pairs of a path and a Wanted; the newest is what counts."""

    found = Signal(object, object, object)
    """Path, Wanted, and the Event or None."""
    failed = Signal(str)
    """Why the file could not be looked through."""

    def _work(self, item: tuple[Path, Wanted]) -> None:
        from gui.models.runs.opened import OpenedRun  # the window opens sooner without
        from gui.models.runs.seek import seek

        path, wanted = item
        try:
            with OpenedRun(path) as run:
                event = seek(run, wanted)
        except InputError as error:
            self.failed.emit(str(error))
            return
        self.found.emit(path, wanted, event)
