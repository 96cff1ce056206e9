# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's waveform by events: what happened, with a line of words."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.models.runs.opened import Event, OpenedRun
from gui.models.summary.rows import EDGES
from gui.models.summary.service import Summary
from gui.plots.waveform.axis import time_text
from gui.plots.waveform.canvas import WaveformCanvas
from gui.plots.waveform.edges import RunEdges
from gui.plots.waveform.marks import marks_of
from gui.plots.waveform.scene import Span
from gui.theme import GAP_S
from gui.widgets.labels import PlainLabel
from rig.analysis.model.events import EventClass
from rig.errors import InputError
from rig.formatting import microseconds
from rig.measurements.registry import measurement_of
from rig.services.event_search import find_live_event

ROOM = 0.6
"""The part of an event's latency that is shown on either side."""
LEAST_NS = 4000.0
"""The least that is shown on either side."""


class WaveformView(QWidget):
    """A view of the stretch around one event, and from there any other."""

    event_changed = Signal(int)
    """The number of the event that is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run: OpenedRun | None = None
        self._owned: OpenedRun | None = None
        self._summary: Summary | None = None
        self.headline = PlainLabel(parent=self)
        self.headline.setTextFormat(Qt.TextFormat.PlainText)
        self.headline.setWordWrap(True)
        self.readings = PlainLabel(parent=self)
        self.readings.setObjectName("dim")
        self.canvas = WaveformCanvas(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP_S)
        layout.addWidget(self.headline)
        layout.addWidget(self.canvas, 1)
        layout.addWidget(self.readings)
        self.canvas.cursors_changed.connect(self._tell_cursors)
        self.canvas.failed.connect(self.headline.setText)
        self.readings.hide()
        app = QCoreApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.release)

    @property
    def run(self) -> OpenedRun | None:
        """The run that is looked at."""
        return self._run

    @property
    def is_complete(self) -> bool:
        """Whether the run can be shown at any zoom."""
        return self._summary is None or self._summary.levels.complete

    @property
    def shown_event(self) -> Event | None:
        """The event that is shown."""
        return self.canvas.scene.event

    def show_event(
        self, run: Path, event: int, stimulus_sample: int = -1, response_sample: int = -1
    ) -> None:
        """Show an event of a run file, which is opened again if it has changed.

        The samples are for a run that still goes on: its file holds no events yet. Without them
        they are looked for. What cannot be shown is said in the headline.
        """
        try:
            opened = OpenedRun(run)
        except InputError as error:
            self.clear(str(error))
            return
        try:
            if not opened.event_count and stimulus_sample < 0:
                stimulus_sample, response_sample = find_live_event(
                    opened.file, opened.settings, event
                )
        except InputError as error:
            opened.close()
            self.clear(str(error))
            return
        self.set_run(opened)
        self._owned = opened
        if opened.event_count:
            self.go_to(event)
        else:
            kind = EventClass.ANSWERED if response_sample >= 0 else EventClass.MISSED
            self._show(Event(event, kind, stimulus_sample, response_sample, -1, -1))

    def set_run(self, run: OpenedRun) -> None:
        """Look at an opened run, which whoever opened it closes."""
        self._release()
        self._run = run
        self._summary = Summary(run.file, EDGES, parent=self)
        self._summary.grown.connect(self.canvas.refresh)
        edges = RunEdges(run, self._summary.levels)
        names = {"log": self.tr("target log"), "capture": self.tr("input capture")}
        self.canvas.show_run(edges, run.lines, names)

    def clear(self, text: str = "") -> None:
        """Show nothing but a line of text."""
        self._release()
        self.canvas.show_run(None, (), {})
        self.headline.setText(text)

    def go_to(self, number: int) -> bool:
        """Show an event by its number; False, and why in the headline, if there is none."""
        if self._run is None:
            return False
        try:
            event = self._run.event(number)
            self._show(event)
        except InputError as error:
            self.headline.setText(str(error))
            return False
        self.event_changed.emit(number)
        return True

    def whole_event(self) -> None:
        """Go back to the event from anywhere."""
        if self.shown_event is not None and self._run is not None:
            self.canvas.set_span(span_around(self._run, self.shown_event))

    def release(self) -> None:
        """Let go of the run file; shown again by the next `set_run` or `show_event`."""
        self.clear()

    def _show(self, event: Event) -> None:
        assert self._run is not None  # noqa: S101 - asked only with a run
        marks = marks_of(self._run, event)
        self.canvas.show_event(event, marks, span_around(self._run, event))
        self.headline.setText(event_text(self._run, event))

    def _tell_cursors(self) -> None:
        cursors, span = self.canvas.scene.cursors, self.canvas.span
        self.readings.setVisible(bool(cursors))
        if len(cursors) == 2:
            a, b = ((c.sample - span.origin) * span.sample_ns for c in cursors)
            texts = [time_text(t, span.sample_ns) for t in (a, b, b - a)]
            self.readings.setText(self.tr("A {}   B {}   B \N{MINUS SIGN} A {}").format(*texts))

    def _release(self) -> None:
        if self._summary is not None:
            self._summary.close()
            self._summary = None
        if self._owned is not None:
            self._owned.close()
        self._run = self._owned = None


def span_around(run: OpenedRun, event: Event) -> Span:
    """Return an event's span with room on either side; of periods the answer may come early."""
    latency = event.latency_samples
    low, high = min(latency or 0, 0), max(latency or 0, 1)
    if latency is None:
        high = int(50_000 / run.sample_ns)
    room = max((high - low) * ROOM, LEAST_NS / run.sample_ns)
    return Span(event.stimulus_sample, low - room, high + room, run.sample_ns)


def event_text(run: OpenedRun, event: Event) -> str:
    """Return an event in one line."""

    def tr(text: str) -> str:
        return QCoreApplication.translate("WaveformView", text)

    at_s = event.stimulus_sample / run.settings.sample_rate_hz
    parts = [tr("Event {}").format(f"{event.number:,}"), event.kind.name.lower()]
    if event.latency_samples is not None:
        parts.append(time_text(event.latency_samples * run.sample_ns, run.sample_ns))
    off_ns = _interval_error_ns(run, event)
    if off_ns is not None:
        parts.append(tr("interval off by {} µs").format(microseconds(off_ns, sign=True)))
    parts.append(tr("at {} s").format(f"{at_s:.6f}"))
    return "   ".join(parts)


def _interval_error_ns(run: OpenedRun, event: Event) -> float | None:
    """Return the time from the answer before to this one, less the period; None without periods.

    Raises InputError.
    """
    interval_ns = measurement_of(run.settings.measurement).nominal_interval_ns(run.settings)
    if interval_ns is None or event.response_sample < 0 or not 0 < event.number < run.event_count:
        return None
    (before,) = run.events(event.number - 1, event.number, ("response_sample",)).values()
    if before[0] < 0:
        return None
    return float(event.response_sample - before[0]) * run.sample_ns - interval_ns
