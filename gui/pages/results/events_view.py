# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's events: all of them as an overview, one of them as a waveform."""

from __future__ import annotations

from PySide6.QtCore import QSettings, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.models.runs.opened import OpenedRun
from gui.models.runs.outliers import event_of_latency, next_outlier, worst_event
from gui.models.summary.rows import EVENTS
from gui.models.summary.service import Summary
from gui.pages.results.state import stored_state
from gui.pages.results.strip.strip import EventStrip
from gui.plots.waveform.view import WaveformView
from gui.theme import GAP, GAP_S
from gui.widgets.labels import PlainLabel
from rig.analysis.statistics.outliers import Threshold, threshold_of
from rig.errors import InputError
from rig.measurements.registry import measurement_of
from rig.services.event_search import worst_interval
from rig.toml.units import TIME

_KEY = "results/events_splitter"
PERIODS_MAX = 1 << 22
"""Of more the worst interval is not looked for: an hour at 1 kHz."""


class EventsView(QWidget):
    """Overview above, waveform below."""

    status_message = Signal(str)
    """A line for the status bar."""

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._run: OpenedRun | None = None
        self._summary: Summary | None = None
        self._threshold: Threshold | None = None
        self.strip = EventStrip(self)
        self.waveform = WaveformView(self)
        self.place = QLineEdit(self)
        self.place.setPlaceholderText(self.tr("event 1234, or time 1.25 s"))
        self.place.setFixedWidth(210)
        self.place.returnPressed.connect(lambda: self.go_to_text(self.place.text()))
        self.legend = PlainLabel(parent=self)
        self.legend.setObjectName("dim")
        self.legend.setWordWrap(True)
        self._bar = QHBoxLayout()
        self._bar.setSpacing(GAP_S)
        self._lay_out()
        self.strip.picked.connect(self.go_to)
        self.strip.failed.connect(self.status_message)
        self.waveform.event_changed.connect(self.strip.mark)

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(GAP)
        bar.addLayout(self._bar)
        bar.addWidget(self.place)
        bar.addWidget(self.legend, 1)
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.addWidget(self.strip)
        self._splitter.addWidget(self.waveform)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 3)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.restoreState(stored_state(self._settings, _KEY))
        self._splitter.splitterMoved.connect(self._keep)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_S)
        layout.addLayout(bar)
        layout.addWidget(self._splitter, 1)

    def add_buttons(self, actions: list[QAction]) -> None:
        """Actions of the page that belong here."""
        for action in actions:
            button = QToolButton(self)
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
            self._bar.addWidget(button)

    def show_run(self, run: OpenedRun) -> None:
        """A run with events; the slowest one first."""
        self.clear()
        self._run = run
        histogram = None if run.result is None else run.result.evaluation.histogram
        self._threshold = threshold_of(run.settings, histogram)
        self._summary = Summary(run.file, EVENTS, parent=self)
        self._summary.grown.connect(self._grown)
        self._summary.failed.connect(self.status_message)
        self.strip.show_run(run, self._summary.levels, self._threshold_us)
        self.legend.setText(self._legend())
        self.waveform.set_run(run)
        if not run.event_count:
            text = self.tr("This run holds no events yet: its figures are not stored.")
            self.waveform.headline.setText(text)
            return
        self.go_to(self._worst() or 0)

    def clear(self, text: str = "") -> None:
        """No run."""
        if self._summary is not None:
            self._summary.close()
        self._summary = self._run = self._threshold = None
        self.strip.show_run(None, None)
        self.waveform.clear(text)
        self.legend.clear()

    @property
    def run(self) -> OpenedRun | None:
        """What is looked at."""
        return self._run

    @property
    def summaries_complete(self) -> bool:
        """All of the run can be seen at any zoom."""
        events = self._summary is None or self._summary.levels.complete
        return events and self.waveform.is_complete

    @property
    def event_number(self) -> int | None:
        """The event that is shown."""
        event = self.waveform.shown_event
        return None if event is None else event.number

    def go_to(self, event: int) -> None:
        """Show an event."""
        self.waveform.go_to(event)

    def go_to_text(self, text: str) -> None:
        """Show the event of a number, or the one before a time such as `1.25 s`."""
        run = self._run
        if run is None or not text.strip():
            return
        digits = text.replace(",", "").replace(" ", "")
        try:
            if digits.isdecimal():
                self.go_to(int(digits))
                return
            sample = TIME.parse(text.strip()) * run.settings.sample_rate_hz // 10**12
            self.go_to(run.event_at(sample))
        except ValueError as error:
            self.status_message.emit(self.tr("{}: neither event nor time ({})").format(text, error))
        except InputError as error:
            self.status_message.emit(str(error))

    def go_to_outlier(self, step: int) -> None:
        """The next one (1) or the one before (-1)."""
        if self._run is None or self._summary is None:
            return
        at = self.event_number if self.event_number is not None else -1
        try:
            found = next_outlier(self._run, self._summary.levels, at, self._threshold, step)
        except InputError as error:
            self.status_message.emit(str(error))
            return
        if found is None:
            self.status_message.emit(
                self.tr("no further outlier") if self._summary.levels.complete
                else self.tr("no further outlier in what has been read so far")
            )  # fmt: skip
            return
        self.status_message.emit("")
        self.go_to(found)

    def go_to_worst(self) -> None:
        """The slowest answer; of periods the one after the interval that is off most."""
        worst = self._worst()
        if worst is not None:
            self.go_to(worst)

    def go_to_latency(self, latency_samples: int) -> None:
        """The first event that took so long."""
        if self._run is None or self._summary is None:
            return
        try:
            found = event_of_latency(self._run, self._summary.levels, latency_samples)
        except InputError as error:
            self.status_message.emit(str(error))
            return
        if found is not None:
            self.go_to(found)
        elif not self._summary.levels.complete:
            self.status_message.emit(self.tr("not in what has been read so far"))

    def step(self, by: int) -> None:
        """The neighbor."""
        if self._run is not None and self.event_number is not None:
            last = self._run.event_count - 1
            self.go_to(min(max(self.event_number + by, 0), last))

    def _worst(self) -> int | None:
        run, summary = self._run, self._summary
        if run is None or summary is None:
            return None
        measurement = measurement_of(run.settings.measurement)
        if not measurement.judges_intervals or run.event_count > PERIODS_MAX:
            return worst_event(run, summary.levels)
        event = worst_interval(run.file, run.settings)
        return None if event is None else event.event

    @property
    def _threshold_us(self) -> float | None:
        if self._run is None or self._threshold is None:
            return None
        return self._threshold.samples * self._run.sample_ns / 1e3

    def _legend(self) -> str:
        above = self._threshold_us
        if above is None or self._threshold is None:
            return self.tr("outliers: late, missed, merged")
        which = self.tr("the plan's limit") if self._threshold.is_limit else self.tr("the slowest")
        return self.tr("outliers: late, missed, merged, above {} µs ({})").format(
            f"{above:.3f}", which
        )

    def _grown(self) -> None:
        self.strip.update()
        if self._summary is not None and self._summary.levels.complete:
            self.status_message.emit("")

    def _keep(self) -> None:
        self._settings.setValue(_KEY, self._splitter.saveState())
