# SPDX-License-Identifier: GPL-3.0-or-later
"""The run that is looked at: opened, shown, followed while it goes on, and let go."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from gui.models.runs.entry import FileState, RunEntry, stamp_of
from gui.models.runs.opened import OpenedRun
from gui.pages.results.events_view import EventsView
from gui.pages.results.loader import FigureComputer
from gui.pages.results.report import ReportView
from rig.errors import InputError
from rig.measurements.registry import measurement_of
from rig.session.results import Result
from rig.shell_words import quoted

WHOLE_MAX = 16
"""The number of computed results that are kept."""
LIVE_MS = 2000
"""The time between two looks at the figures of a run that goes on."""


class ChosenRun(QObject):
    """The one run in the report and in the view of events."""

    def __init__(self, report: ReportView, events: EventsView, parent: QObject) -> None:
        super().__init__(parent)
        self._report, self._events = report, events
        self._events_in_front = False
        self._computer = FigureComputer()
        self._computer.computed.connect(self._computed)
        self._computer.failed.connect(self._not_computed)
        self._whole: dict[Path, tuple[FileState, Result]] = {}
        self._live = QTimer(self)
        self._live.setSingleShot(True)
        self._live.setInterval(LIVE_MS)
        self._live.timeout.connect(self._look_at_live)
        self.entry: RunEntry | None = None
        """As it was when it was looked at last; None: no run is chosen."""
        self.run: OpenedRun | None = None
        """None: the file cannot be used, or its run goes on."""

    @property
    def path(self) -> Path | None:
        """The path of the run file."""
        return None if self.entry is None else self.entry.path

    @property
    def is_readable(self) -> bool:
        """Whether there is a run that can be read."""
        return self.entry is not None and not self.entry.problem

    @property
    def has_events(self) -> bool:
        """Whether there are events to be looked at."""
        return self.run is not None and self.run.event_count > 0

    @property
    def why_no_events(self) -> str:
        """The reason, in the window's words; only without events."""
        if self.run is not None and not _has_events(self.run):
            return self.tr("Measured inside the target: its log tells the values, not the wires.")
        return self.tr("Events are shown when a run has ended.")

    def show(self, entry: RunEntry | None, otherwise: str) -> None:
        """Show another run, or the same one changed; None: none, with the words `otherwise`."""
        before, self.entry = self.entry, entry
        if entry is None:
            self.close()
            self._report.show_message(otherwise)
        elif entry == before:
            return
        elif entry.problem:
            self.close()
            self._report.show_message(entry.problem)
        elif entry.is_running and not entry.verdict:
            self._follow(same=before is not None and before.path == entry.path)
        else:
            self._open(entry)

    def put_events_in_front(self, in_front: bool) -> None:
        """Read events once they are in front."""
        self._events_in_front = in_front
        self._show_events()

    def close(self) -> None:
        """Let go of the file; may be called twice."""
        run, self.run = self.run, None
        self._events.clear()
        if run is not None:
            run.close()

    def release(self) -> None:
        """Let go of the file and of the thread."""
        self._live.stop()
        self._computer.stop()
        self.close()

    def _open(self, entry: RunEntry) -> None:
        self.close()
        try:
            vetted = entry.vetted and stamp_of(entry.path) == entry.stamp
            self.run = OpenedRun(entry.path, vetted=vetted)
        except (InputError, OSError) as error:
            self._report.show_message(str(error))
            return
        stored, computed = self.run.result, self._computed_before(entry)
        if stored is None:
            self._report.show_message(self.tr("Computing figures: none are stored..."))
        else:
            self._report.show_result(computed or stored)
        if computed is None and not self.run.is_whole:
            self._computer.submit(entry.path)
        self._show_events()

    def _show_events(self) -> None:
        if not self._events_in_front or (self.run and self._events.run is self.run):
            return
        if self.run is None or not _has_events(self.run):
            self._events.clear(self.why_no_events)
        else:
            self._events.show_run(self.run)

    def _follow(self, *, same: bool) -> None:
        """Follow a run without an end: its figures are computed now and then from what is there."""
        if not same:
            self.close()
            self._report.show_message(self.tr("Computing figures of what has been recorded..."))
            self._look_at_live()
            self._show_events()
        elif not self._live.isActive():
            self._live.start()

    def _look_at_live(self) -> None:
        if self.entry is not None and self.entry.is_running:
            self._computer.submit(self.entry.path)

    def _computed_before(self, entry: RunEntry) -> Result | None:
        """Return the result that was computed of this file as it is now."""
        stamp, result = self._whole.get(entry.path, (None, None))
        return result if stamp == entry.stamp else None

    def _keep(self, entry: RunEntry, result: Result) -> None:
        self._whole.pop(entry.path, None)
        self._whole[entry.path] = entry.stamp, result
        while len(self._whole) > WHOLE_MAX:
            self._whole.pop(next(iter(self._whole)))

    def _computed(self, result: Result) -> None:
        """Show a computed result; what is stored, if anything is, has been shown."""
        entry, run = self.entry, self.run
        if entry is None or result.path != entry.path or (run is not None and run.is_whole):
            return
        if run is not None and run.result is not None:
            self._keep(entry, result)
            self._report.show_result(result)
            return
        words = self.tr("Provisional: the run goes on, or has no stored figures yet.")
        self._report.show_result(result, words)

    def _not_computed(self, path: Path, text: str) -> None:
        run = self.run
        if path != self.path or (run is not None and run.is_whole):
            return
        if run is not None and run.result is not None:
            words = self.tr("As stored in the file; the whole report: rig report {0}").format(
                quoted(path)
            )
            self._report.show_result(run.result, words)
        else:
            self._report.show_message(text)


def _has_events(run: OpenedRun) -> bool:
    """Return whether single events are on the run's wires."""
    return measurement_of(run.settings.measurement).has_events
