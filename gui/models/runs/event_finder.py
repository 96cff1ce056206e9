# SPDX-License-Identifier: GPL-3.0-or-later
"""Looks for an event in a run file while the window goes on."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal

from gui.models.background import BackgroundWorker
from rig.errors import InputError
from rig.services.event_query import EventQuery


class EventFinder(BackgroundWorker):
    """Takes pairs of a path and an EventQuery; the newest is what counts."""

    found = Signal(object, object, object)
    """Path, EventQuery, and the NotableEvent or None."""
    failed = Signal(str)
    """Why the file could not be looked through."""

    def _work(self, item: tuple[Path, EventQuery]) -> None:
        from gui.models.runs.opened import OpenedRun  # the window opens sooner without
        from rig.services.event_search import find_event

        path, wanted = item
        try:
            with OpenedRun(path) as run:
                event = find_event(run.file, run.settings, wanted)
        except InputError as error:
            self.failed.emit(str(error))
            return
        self.found.emit(path, wanted, event)
