# SPDX-License-Identifier: GPL-3.0-or-later
"""The event in the waveform: the worst one, until another is clicked in a list or a plot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gui.engine.snapshot import Snapshot
from gui.models.runs.event_finder import EventFinder
from gui.pages.run.worst_event import WorstEventFollower
from rig.analysis.model.events import EventClass
from rig.services.event_query import EventQuery, NotableEvent

if TYPE_CHECKING:
    from gui.pages.run.live import LivePlots


class EventSelection(QObject):
    """The link between the plots of a Run page and the run file."""

    status_message = Signal(str)
    """A line for the status bar."""

    def __init__(self, path: Callable[[], Path | None], parent: QObject) -> None:
        """Take the source of the shown run's file, None before it has one."""
        super().__init__(parent)
        self._path = path
        self._plots: LivePlots | None = None
        self._worst = WorstEventFollower(self)
        self._worst_event = -1
        self._is_inside = False
        """Whether the target measures by itself: there are no events to be looked at."""
        self._looked_for: EventQuery | None = None
        """The query under way; None once it is found, or something else is shown."""
        self._finder = EventFinder(self)
        self._finder.found.connect(self._found)
        self._finder.failed.connect(self.status_message)

    def use(self, plots: LivePlots) -> None:
        """Use the plots, which have been loaded."""
        self._plots = plots
        plots.wanted.connect(self.seek)

    def start(self) -> None:
        """Begin a new run."""
        self._looked_for = None
        self._worst_event, self._is_inside = -1, False
        self._worst.start(None if self._plots is None else self._plots.waveform)

    def update(self, snapshot: Snapshot) -> None:
        """Show a moment of the run."""
        self._worst_event, self._is_inside = snapshot.worst_event, snapshot.is_values
        if snapshot.is_values and self._plots is not None:
            self._plots.waveform.show_self_measured()
        self._worst.update(self._path(), snapshot)

    def finish(self, path: Path, worst_event: int, missed: int) -> None:
        """Show the worst event of a run that is over, -1 if nothing was answered."""
        self._worst_event = worst_event
        self._worst.finish(path, worst_event)
        if worst_event < 0 and self._plots is not None and not self._is_inside:
            self._plots.waveform.show_nothing_came()
            if missed:
                self._look_for(path, EventQuery(kinds=(EventClass.MISSED,)))

    def cancel(self) -> None:
        """Give up a run that has ended without a file that could be shown."""
        self._worst.cancel()

    def stop(self) -> None:
        """Wait for what is looked for."""
        self._finder.stop()

    def show(self, event: NotableEvent) -> None:
        """Show an event of this run that was clicked."""
        path, self._looked_for = self._path(), None
        if path is not None and self._plots is not None:
            self._worst.hold()
            is_worst = event.event == self._worst_event
            self._plots.waveform.show_event(path, event, is_worst=is_worst)

    def seek(self, wanted: EventQuery) -> None:
        """Show what was clicked in a plot, once it is found in the file."""
        path = self._path()
        if path is not None:
            self.status_message.emit(self.tr("Looking for the event …"))
            self._look_for(path, wanted)

    def _look_for(self, path: Path, wanted: EventQuery) -> None:
        self._looked_for = wanted
        self._finder.submit((path, wanted))

    def _found(self, path: Path, wanted: EventQuery, event: NotableEvent | None) -> None:
        if path != self._path() or wanted != self._looked_for:
            return
        if event is None:
            self.status_message.emit(self.tr("That event is not in the run file yet; click again."))
            return
        self.status_message.emit(self.tr("Run file: {0}").format(path))
        self.show(event)
