# SPDX-License-Identifier: GPL-3.0-or-later
"""The Results page: the runs of a folder above, what is chosen of them below."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSettings, Qt
from PySide6.QtWidgets import QFileDialog, QSplitter, QTabWidget, QVBoxLayout

from gui.models.runs.entry import RunEntry
from gui.models.runs.notes import RunNote
from gui.pages.page import Page
from gui.pages.results.actions import ACTIONS, CHECKABLE, CONTEXT, OF_A_RUN, OF_EVENTS
from gui.pages.results.compare import CompareView, stored_results
from gui.pages.results.current_run import ChosenRun
from gui.pages.results.events_view import EventsView
from gui.pages.results.exports import Exports
from gui.pages.results.files import Picture
from gui.pages.results.folder import RunsFolder
from gui.pages.results.page_style import page_sheet
from gui.pages.results.pictures import charts_picture, waveform_picture
from gui.pages.results.report import ReportView
from gui.pages.results.runs_table import RunsTable
from gui.pages.results.state import stored_state
from gui.theme import GAP, GAP_L, theme
from gui.widgets.actions import add_actions
from gui.widgets.labels import PlainLabel

_SPLITTER_KEY = "results/splitter"
REPORT, EVENTS, COMPARE = range(3)


class ResultsPage(Page):
    """A page of all runs of a folder, and of reports, events and differences of those chosen."""

    def __init__(self, folder: Path, settings: QSettings) -> None:
        """Make the page; it looks at the folder from the first time it is entered."""
        super().__init__()
        self.title = self.tr("Results")
        self._settings = settings
        self._wanted: Path | None = None
        self.folder = RunsFolder(folder, self)
        self.table = RunsTable(self.folder.model, settings, self)
        self.report = ReportView(settings, self)
        self.events = EventsView(settings, self)
        self.compare = CompareView(self)
        self.exports = Exports(self, settings)
        self.error_message = PlainLabel(parent=self)
        self.error_message.setObjectName("dim")
        self.error_message.setWordWrap(True)
        self.error_message.hide()
        self._chosen_run = ChosenRun(self.report, self.events, self)
        self.menu = add_actions(self, CONTEXT, ACTIONS, self._calls(), CHECKABLE)
        self._lay_out()
        self._connect()
        self._enable()
        self._dress()

    # What others use.

    def show_run(self, path: Path) -> None:
        """Show a run file, of this folder or of another, on top of everything."""
        path = path.absolute()
        if path.parent != self.folder.path:
            self.folder.look_at(path.parent)
        self._wanted = path
        self.tabs.setCurrentIndex(REPORT)
        self.entered()
        self._choose_wanted()

    def entered(self) -> None:
        """Begin to look at the folder."""
        self.folder.start()

    def release(self) -> None:
        """Let go of all files, threads and processes."""
        self.report.notes.commit()
        self.folder.stop()
        self.exports.commands.stop()
        self._chosen_run.release()

    @property
    def shown_run(self) -> Path | None:
        """The run whose report is shown."""
        return self._chosen_run.path

    # Set up.

    def _calls(self) -> dict[str, Callable[[], object]]:
        events, canvas = self.events, self.events.waveform.canvas
        return {
            "open_folder": self._ask_folder,
            "open_file": self._ask_file,
            "search": self.table.search.setFocus,
            "tags": self._edit_tags,
            "report": lambda: self.tabs.setCurrentIndex(REPORT),
            "events": lambda: self.tabs.setCurrentIndex(EVENTS),
            "compare": lambda: self.tabs.setCurrentIndex(COMPARE),
            "previous_outlier": lambda: self._on_events(lambda: events.go_to_outlier(-1)),
            "next_outlier": lambda: self._on_events(lambda: events.go_to_outlier(1)),
            "worst": lambda: self._on_events(events.go_to_worst),
            "previous_event": lambda: self._on_events(lambda: events.step(-1)),
            "next_event": lambda: self._on_events(lambda: events.step(1)),
            "go_to": lambda: self._on_events(events.place.setFocus),
            "cursors": lambda: canvas.set_cursors(self.menu["cursors"].isChecked()),
            "zoom_in": lambda: canvas.zoom(0.5),
            "zoom_out": lambda: canvas.zoom(2.0),
            "whole_event": events.waveform.whole_event,
            "all_events": events.strip.show_all,
            "export_picture": self._export_picture,
            "export_table": lambda: self.exports.table(self.table.visible_runs),
            "export_event": lambda: self._export_capture(events.event_number),
            "export_capture": lambda: self._export_capture(None),
            "export_report": self._export_report,
        }

    def _lay_out(self) -> None:
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        for view, words in (
            (self.report, self.tr("Report")),
            (self.events, self.tr("Events")),
            (self.compare, self.tr("Compare")),
        ):
            self.tabs.addTab(view, words)
        self.events.add_buttons(
            [self.menu[n] for n in ("previous_outlier", "next_outlier", "worst", "cursors")]
        )
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.addWidget(self.table)
        self._splitter.addWidget(self.tabs)
        self._splitter.setStretchFactor(0, 2)
        self._splitter.setStretchFactor(1, 5)
        self._splitter.setChildrenCollapsible(False)
        if not self._splitter.restoreState(stored_state(self._settings, _SPLITTER_KEY)):
            self._splitter.setSizes([170, 490])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP_L, GAP_L, GAP_L, GAP)
        layout.setSpacing(GAP)
        layout.addWidget(self.error_message)
        layout.addWidget(self._splitter, 1)
        self.setFocusProxy(self.table.view)

    def _dress(self) -> None:
        self.setStyleSheet(page_sheet(theme().palette))

    def _connect(self) -> None:
        theme().changed.connect(self._dress)
        self.table.chosen.connect(self._chosen)
        self.tabs.currentChanged.connect(self._tab_changed)
        canvas = self.events.waveform.canvas
        canvas.cursors_changed.connect(
            lambda: self.menu["cursors"].setChecked(bool(canvas.scene.cursors))
        )
        self.folder.changed.connect(self._entry_changed)
        self.folder.settled.connect(self._settled)
        self.folder.error_message.connect(self._show_error)
        self.folder.moved.connect(self._chosen)
        self.folder.model.dataChanged.connect(self._show_note)
        self.report.notes.changed.connect(self.folder.write_note)
        self.report.picked.connect(self._latency_picked)
        self.events.status_message.connect(self.status)
        self.exports.status_message.connect(self.status)
        self._splitter.splitterMoved.connect(
            lambda *_: self._settings.setValue(_SPLITTER_KEY, self._splitter.saveState())
        )
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.release)

    # What is chosen.

    def _chosen(self) -> None:
        selected = self.table.selected
        entry = selected[0] if selected else None
        self._chosen_run.show(entry, self._nothing())
        if self.tabs.currentIndex() == COMPARE:
            self._compare()
        self._show_note()
        self._enable()

    def _entry_changed(self, entry: RunEntry) -> None:
        if self._wanted == entry.path:
            self._choose_wanted()
        elif entry.path == self.shown_run:
            self._chosen_run.show(entry, "")
            self._enable()

    def _settled(self) -> None:
        if self._wanted is None:
            self.table.select_first()

    def _choose_wanted(self) -> None:
        if self._wanted is not None and self.table.select(self._wanted):
            self._wanted = None

    def _nothing(self) -> str:
        return self.tr("Choose a run. Those in {} are listed above.").format(self.folder.path)

    def _tab_changed(self) -> None:
        self._chosen_run.put_events_in_front(self.tabs.currentIndex() == EVENTS)
        if self.tabs.currentIndex() == COMPARE:
            self._compare()
        self._enable()

    def _compare(self) -> None:
        self.compare.show_results(stored_results(self.table.selected))

    def _show_note(self) -> None:
        path = self.shown_run
        note = RunNote() if path is None else self.folder.note(path)
        self.report.notes.show_note(path, note)

    def _show_error(self, text: str) -> None:
        self.error_message.setText(text)
        self.error_message.setVisible(bool(text))

    def _enable(self) -> None:
        for name in OF_A_RUN:
            self.menu[name].setEnabled(self._chosen_run.is_readable)
        for name in OF_EVENTS:
            self.menu[name].setEnabled(self._chosen_run.has_events)

    def _latency_picked(self, latency_samples: int) -> None:
        """Show an event that took as long as was clicked in a plot of the report."""
        if self._chosen_run.has_events:
            self._on_events(lambda: self.events.go_to_latency(latency_samples))
        else:
            self.status.emit(self._chosen_run.why_no_events)

    def _on_events(self, act: Callable[[], object]) -> None:
        """Do something with the events, with their view in front."""
        self.tabs.setCurrentIndex(EVENTS)
        act()

    # What is asked for.

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(
            self, self.tr("Folder of runs"), str(self.folder.path)
        )
        if chosen:
            self.folder.look_at(Path(chosen))

    def _ask_file(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(
            self, self.tr("Run file"), str(self.folder.path), self.tr("Run files (*.h5)")
        )
        if chosen:
            self.show_run(Path(chosen))

    def _edit_tags(self) -> None:
        self.tabs.setCurrentIndex(REPORT)
        self.report.notes.tags.setFocus()

    def _export_picture(self) -> None:
        """Export the picture of what is in front."""
        picture = (self._report_picture, self._events_picture, self._compare_picture)[
            self.tabs.currentIndex()
        ]()
        name = "runs" if self.shown_run is None else self.shown_run.stem
        self.exports.picture(picture, name)

    def _report_picture(self) -> Picture:
        return charts_picture((self.report.histogram, self.report.tail))

    def _compare_picture(self) -> Picture:
        return charts_picture((self.compare.histogram, self.compare.tail))

    def _events_picture(self) -> Picture:
        return waveform_picture(self.events.waveform)

    def _export_capture(self, event: int | None) -> None:
        if self.shown_run is not None:
            self.exports.capture(self.shown_run, event)

    def _export_report(self) -> None:
        """Export the report of all runs that are chosen."""
        runs = [entry.path for entry in self.table.selected if not entry.problem]
        if runs:
            self.exports.report(runs)
