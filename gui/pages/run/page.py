# SPDX-License-Identifier: GPL-3.0-or-later
"""The Run page: what is chosen, the run that goes on, how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from gui.engine.client import RunEngine
from gui.engine.outcome import Failure, RunResult
from gui.engine.request import RunRequest
from gui.engine.snapshot import Snapshot
from gui.pages.page import Page
from gui.pages.run.actions import ACTIONS, CHECKABLE, CONTEXT
from gui.pages.run.choice import RunSelection
from gui.pages.run.chooser import Chooser
from gui.pages.run.event_selection import EventSelection
from gui.pages.run.events import EventList
from gui.pages.run.figures import FiguresPanel
from gui.pages.run.layout import RunWidgets, layout
from gui.pages.run.phase import phase_words
from gui.pages.run.questions import ask_file, ask_to_stop
from gui.pages.run.result_banner import ResultBanner
from gui.pages.run.scroll import FittingScroll
from gui.theme import theme
from gui.widgets.actions import OwnSpace, add_actions
from gui.widgets.banner import Banner
from rig.services.series import RunOutcome, RunSeries

if TYPE_CHECKING:
    from gui.pages.run.live import LivePlots

EVENTS_HEIGHT_MIN = 96


class RunPage(Page):
    """One run at a time, in an engine of its own."""

    def __init__(self, folder: Path, settings: QSettings, parent: QWidget | None = None) -> None:
        """Run files go to `folder`."""
        super().__init__(parent)
        self.title = self.tr("Run")
        self.folder, self._settings = folder, settings
        self.engine = RunEngine(self)
        self.chooser = Chooser(settings)
        self.progress = QProgressBar(textVisible=False)
        self.progress.setRange(0, 1)
        self.banner = Banner()
        self.figures = FiguresPanel()
        self._figures_place = FittingScroll(self.figures)
        self.events = EventList()
        self.events.setMinimumHeight(EVENTS_HEIGHT_MIN)
        self.plots: LivePlots | None = None
        self.outcome: RunResult | None = None
        self.failure: Failure | None = None
        """How the last run ended: one of both, neither while one goes on."""
        self.series: RunSeries[RunSelection] = RunSeries()
        """What is or was measured: one run, or several one after the other."""
        self.snapshot = Snapshot()
        """What is drawn."""
        self.event_selection = EventSelection(lambda: self.engine.path, self)
        self._space = OwnSpace(self)
        self._space.keep_for(self.chooser.run)
        self.result_banner = ResultBanner(
            self.banner, self._space, self.run_wanted.emit, self.status.emit
        )
        self._closing = False
        self._plots_place = QVBoxLayout()
        self.setLayout(
            layout(
                RunWidgets(
                    above=(self.chooser, self.progress, self.banner),
                    plots=self._plots_place,
                    side=(self._figures_place, self.events),
                )
            )
        )
        self.menu = add_actions(self, CONTEXT, ACTIONS, self._calls(), CHECKABLE)
        self._connect()
        self._refresh()

    # --- what the window asks -------------------------------------------------------------------

    def entered(self) -> None:
        """Load what draws and what measures: both while the window can already be used."""
        QTimer.singleShot(0, self.load)

    def load(self) -> None:
        """The plots and the engine; does nothing the second time."""
        if self.plots is None:
            from gui.pages.run.live import LivePlots

            self.plots = LivePlots()
            self._plots_place.addWidget(self.plots)
            self.event_selection.use(self.plots)
            self._refresh()
            self.engine.prepare()

    def may_close(self) -> bool:
        """Asks if a run goes on; if it shall be stopped, `closable` comes when it has ended."""
        if not self.engine.is_running:
            self.event_selection.stop()
            self.engine.close()
            return True
        ask_to_stop(self, self._stop_and_close)
        return False

    def _stop_and_close(self) -> None:
        self._closing = True
        self.stop()
        if not self.engine.is_running:  # it ended while the question was open
            self.closable.emit()

    def choose_fixture(self, path: Path) -> None:
        """Use this fixture file."""
        self.chooser.offer(self.chooser.fixtures, path)

    def uses_bench(self) -> bool:
        """A run goes on."""
        return self.engine.is_running

    def use_bench(self, name: str) -> None:
        """Use this fixture, a built-in name or a path; a run that goes on keeps its own."""
        if self.engine.is_running:
            self.status.emit(self.tr("A run is going on; choose the bench after it."))
        elif "/" in name:
            self.choose_fixture(Path(name))
        else:
            self.chooser.fixtures.setCurrentIndex(self.chooser.fixtures.findData(name))
            self.chooser.again()

    def choose_plan(self, path: Path) -> None:
        """Use this plan file."""
        self.chooser.offer(self.chooser.plans, path)

    # --- run ------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Run, or stop."""
        if self.engine.is_running:
            self.stop()
        else:
            self.start()

    def start(self) -> None:
        """Begin what is chosen; of several plans the first, and then one after the other."""
        self.chooser.again()
        if self.engine.is_running or self.chooser.choice.error:
            return
        self.load()
        choices = self.chooser.choices
        self.series = RunSeries(((each, each.skip) for each in choices), ends_on_failure=True)
        self.chooser.lock(locked=True)
        self.bench_used.emit(True)
        self._start_next()

    def _start_next(self) -> None:
        part = self.series.start_next()
        if part is None:
            return
        choice = part.item
        self.result_banner.start(choice.plan)
        self.outcome = self.failure = None
        self._figures_place.updateGeometry()
        self.chooser.series.show_parts(self.series.parts)
        if self.plots is not None:
            self.plots.set_limit_us(choice.limit_us)
            self.plots.show_curve(None)
        self.event_selection.start()
        self.show_snapshot(Snapshot(planned=0 if choice.plan is None else choice.plan.count))
        self.status.emit(self.tr("Opening the bench …"))
        self.engine.start(
            RunRequest(
                choice.plan_name,
                choice.fixture_name,
                str(self.folder),
                choice.count,
                expected_s=choice.expected_s or 0.0,
                scenario=choice.scenario,
                calibration=self.chooser.calibrations.asked,
            )
        )

    def stop(self) -> None:
        """End it in order: what was measured is kept and evaluated; what waits is left out."""
        self.series.leave_rest()
        self.chooser.series.show_parts(self.series.parts)
        self.engine.stop()
        self._refresh()

    def _go_on(self) -> None:
        """A run has ended: begin the next one, or tell how all of them ended."""
        if not self.series.is_over:
            self._start_next()
            return
        self.chooser.series.show_parts(self.series.parts)
        if len(self.series.parts) > 1:
            self.result_banner.show_series(self.series)
        self.chooser.lock(locked=False)
        self._refresh()
        self.bench_used.emit(False)
        if self._closing:
            QTimer.singleShot(0, self.closable.emit)

    # --- what the engine says -------------------------------------------------------------------

    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Draw this moment."""
        self.snapshot = snapshot
        self.figures.show_snapshot(snapshot)
        self.events.show_events(snapshot.notable, snapshot.sample_rate_hz)
        if self.plots is not None:
            self.plots.show_snapshot(snapshot)
            self.event_selection.update(snapshot)
        self._show_progress(snapshot)
        if snapshot.phase != "opening" or snapshot.samples:
            self.status.emit(phase_words(snapshot))

    def _show_progress(self, snapshot: Snapshot) -> None:
        if snapshot.is_values and snapshot.phase == "measuring":  # only the target knows how far
            self.progress.setRange(0, 0)
            return
        self.progress.setRange(0, max(1, min(snapshot.planned, 2**31 - 1)))
        done = snapshot.planned if snapshot.is_values else snapshot.events
        self.progress.setValue(min(done, 2**31 - 1))

    def _done(self, outcome: RunResult) -> None:
        self.outcome = outcome
        if self.plots is not None and len(outcome.bins) and not outcome.is_periods:
            self.snapshot = replace(
                self.snapshot,
                is_values=outcome.is_inside,
                unit_hz=outcome.unit_hz,
                quantity=outcome.quantity if outcome.is_inside else "",
                bins=np.array(outcome.bins, np.int64),
                bin_counts=np.array(outcome.bin_counts, np.int64),
                worst_event=outcome.worst_event,
                worst_ns=outcome.document["measurands"][0]["statistics"]["max_ns"],
                **({} if outcome.timeline is None else outcome.timeline.arrays()),
            )
            self.plots.show_snapshot(self.snapshot)
        if self.plots is not None:
            self.plots.show_curve(outcome.curve)
        self.figures.show_outcome(outcome)
        self._figures_place.updateGeometry()
        self.result_banner.show_outcome(outcome)
        self.status.emit(self.tr("Run file: {0}").format(outcome.path))
        missed = outcome.document["counts"]["missed"]
        self.event_selection.finish(outcome.path, outcome.worst_event, missed)
        verdict, failure = outcome.verdict, outcome.failure or ""
        self.series.end(RunOutcome(verdict=verdict, path=outcome.path, failure=failure))
        self._go_on()

    def _failed(self, failure: Failure) -> None:
        self.failure = failure
        self.progress.setRange(0, max(1, self.progress.maximum()))
        self.event_selection.cancel()
        self.result_banner.show_failure(failure)
        self.status.emit(failure.message)
        self.series.end(
            RunOutcome(path=failure.kept, failure=failure.message, refused=failure.refused)
        )
        self._go_on()

    # --- how the last run ended -------------------------------------------------------------------

    def show_in_results(self) -> None:
        """The run that ended last."""
        if self.outcome is not None:
            self.run_wanted.emit(self.outcome.path)

    def show_report(self) -> None:
        """Its report."""
        if self.outcome is not None:
            self.result_banner.open_report(self.outcome.page)

    # --- what the menu asks ---------------------------------------------------------------------

    def _calls(self) -> dict[str, Callable[[], object]]:
        chooser = self.chooser
        return {
            "run": self.toggle,
            "open_fixture": lambda: self._ask(self.tr("Fixture"), self.choose_fixture),
            "open_plan": lambda: self._ask(self.tr("Plan"), self.choose_plan),
            "open_calibration": lambda: self._ask(
                self.tr("Calibration"), chooser.calibrations.use_file
            ),
            "several": self._choose_several,
            "again": chooser.again,
            "bulk": self._show_bulk,
            "whole": self._show_whole,
            "results": self.show_in_results,
            "report": self.show_report,
        }

    def _ask(self, what: str, use: Callable[[Path], None]) -> None:
        if not self.engine.is_running:
            ask_file(self, what, self.folder, use)

    def _choose_several(self) -> None:
        if not self.engine.is_running:
            self.chooser.several.toggle()
            if self.chooser.several.isChecked():
                self.chooser.series.list.setFocus()

    def _show_bulk(self) -> None:
        if self.plots is not None:
            self.plots.histogram.set_bulk_only(self.menu["bulk"].isChecked())

    def _show_whole(self) -> None:
        self.menu["bulk"].setChecked(False)
        self._show_bulk()

    # --- set up ---------------------------------------------------------------------------------

    def _connect(self) -> None:
        self.chooser.run.clicked.connect(self.toggle)
        self.chooser.changed.connect(self._refresh)
        self.engine.snapshot.connect(self.show_snapshot)
        self.engine.preparing.connect(self.status)
        self.engine.preparing.connect(self.result_banner.on_progress)
        self.engine.bench_failed.connect(self.result_banner.show_bench_failure)
        self.engine.done.connect(self._done)
        self.engine.failed.connect(self._failed)
        self.engine.running_changed.connect(lambda _running: self._refresh())
        self.chooser.series.run_wanted.connect(self.run_wanted)
        self.events.chosen.connect(self.event_selection.show)
        self.event_selection.status_message.connect(self.status)
        theme().changed.connect(self._refresh)

    def _refresh(self) -> None:
        """Button, menu and limit lines say what can be done now."""
        engine, choice = self.engine, self.chooser.choice
        state, text = "idle", self.tr("Run")
        if engine.is_running:
            state, text = "running", self.tr("Stop")
        if engine.is_stopping:
            state, text = "stopping", self.tr("Stopping …")
        self.chooser.show_run_button(state, text)
        self.menu["run"].setText(text)
        self.menu["run"].setEnabled(self.chooser.run.isEnabled())
        for name in ("results", "report"):
            self.menu[name].setEnabled(self.outcome is not None)
        if self.plots is not None and not engine.is_running and self.outcome is None:
            self.plots.set_limit_us(choice.limit_us)
