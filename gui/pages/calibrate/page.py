# SPDX-License-Identifier: GPL-3.0-or-later
"""The Calibrate page: a bench's calibration, its steps, and the wizard for a new bench."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSettings
from PySide6.QtWidgets import QFileDialog, QSpinBox, QWidget

from calibration.settings import SECONDS_MAX, SECONDS_MIN, CalibrationSettings
from calibration.steps import STEPS
from calibration.wizard import StageReport, Wizard
from gui.pages.calibrate.actions import ACTIONS, CONTEXT
from gui.pages.calibrate.findings_view import FindingsView
from gui.pages.calibrate.layout import CalibrateWidgets, layout
from gui.pages.calibrate.records import RecordsTree
from gui.pages.calibrate.wizard.bench_choice import BeginDialog
from gui.pages.calibrate.wizard.dialog import WizardDialog
from gui.pages.calibrate.worker import Worker
from gui.pages.page import Page
from gui.pages.wire.benches import FIRST, BenchCombo, chosen_bench
from gui.theme import GAP
from gui.widgets.actions import action_button, add_actions
from gui.widgets.banner import Banner
from gui.widgets.elided import ElidedLabel
from gui.widgets.labels import dim
from rig.config.calibration.file import load_calibration
from rig.config.calibration.paths import calibration_path, require_fixture
from rig.config.fixture import Fixture, load_fixture
from rig.errors import InputError


class CalibratePage(Page):
    """The page of one fixture at a time, by default the Run page's."""

    def __init__(self, folder: Path, settings: QSettings, parent: QWidget | None = None) -> None:
        """Make the page; `folder` is where run files go."""
        super().__init__(parent)
        self.title = self.tr("Calibrate")
        self._folder, self._settings = folder, settings
        self._followed = ""
        self.fixture: Fixture | None = None
        self.file: Path | None = None
        """The calibration that is shown and added to, if it is not the bench's own."""
        self.wizard: WizardDialog | None = None
        self.begin: BeginDialog | None = None
        self._uses_bench = False
        self._passed = True
        self.worker = Worker(self)
        self.benches = BenchCombo(settings)
        self.heading = ElidedLabel()
        self.heading.setObjectName("dim")
        self.banner = Banner()
        self.records = RecordsTree()
        self.text = dim()
        self.found = FindingsView()
        self.seconds = seconds_box()
        self.menu = add_actions(self, CONTEXT, ACTIONS, self._calls())
        parts = CalibrateWidgets(
            benches=self.benches,
            heading=self.heading,
            seconds=self.seconds,
            banner=self.banner,
            records=self.records,
            text=self.text,
            found=self.found,
        )
        buttons = [
            action_button(self.menu[name], primary=name == "step")
            for name in ("stop", "new", "all", "step")
        ]
        self.setLayout(layout(parts, buttons))
        self._connect()

    # --- what the window asks -------------------------------------------------------------------

    def entered(self) -> None:
        """Show the Run page's bench, unless another one was opened here since it was chosen."""
        chosen = chosen_bench(self._settings)
        if chosen != self._followed and not self.worker.is_running:
            self._followed = chosen
            self.open(chosen)
        else:
            self._refresh()

    def uses_bench(self) -> bool:
        """Return whether instruments are open."""
        return self.worker.has_instruments

    def may_close(self) -> bool:
        """Give up a step under way and close; every record that was finished is kept."""
        self.release()
        return True

    def release(self) -> None:
        """Let go of all processes."""
        for dialog in (self.wizard, self.begin):
            if dialog is not None:
                dialog.reject()
        self.worker.close()

    # --- what the menu asks ---------------------------------------------------------------------

    def open(self, name: str) -> None:
        """Open a built-in fixture, or a file."""
        try:
            self.fixture = load_fixture(name)
        except InputError as error:
            self._complain(str(error))
            if self.fixture is None and name != FIRST:
                self.open(FIRST)
            return
        self.banner.hide()
        self.found.clear_all()
        self.file = None
        self.benches.show_bench(name)
        self._refresh()

    def choose_file(self) -> None:
        """Ask for a fixture's file."""
        file, _ = QFileDialog.getOpenFileName(self, self.tr("Open fixture"), "", "*.toml")
        if file:
            self.open(file)

    def choose_calibration(self) -> None:
        """Ask for a calibration to be shown and added to, in place of the bench's own."""
        file, _ = QFileDialog.getOpenFileName(self, self.tr("Open calibration"), "", "*.toml")
        if file:
            self.use_calibration(Path(file))

    def use_calibration(self, file: Path) -> None:
        """Show and add to this calibration, unless it is unusable or of another bench."""
        fixture = self.fixture
        if fixture is None:
            return
        try:
            require_fixture(load_calibration(file), fixture, str(file))
        except InputError as error:
            self._complain(str(error))
            return
        self.banner.hide()
        self.file = file
        self._refresh()

    def use_own_calibration(self) -> None:
        """Show and add to the bench's own calibration again."""
        self.file = None
        self.banner.hide()
        self._refresh()

    def take_step(self) -> None:
        """Take the chosen step."""
        if self.records.step in STEPS:
            self._take([self.records.step])

    def take_all(self) -> None:
        """Take all steps that the connections of a measurement serve."""
        self._take([])

    def new_bench(self) -> None:
        """Open the wizard for a new bench."""
        if self._may_begin():
            self.begin = BeginDialog(self)
            self.begin.begun.connect(self.open_wizard)
            self.begin.open()

    def open_wizard(self, wizard: Wizard) -> None:
        """Open the wizard at the page where it was left."""
        try:
            self.wizard = WizardDialog(wizard, self.worker, self._folder, self)
        except InputError as error:
            self._complain(str(error))
            return
        self.wizard.saved.connect(self._saved)
        self.wizard.finished.connect(self._wizard_closed)
        self.wizard.open()

    # --- steps ----------------------------------------------------------------------------------

    def _take(self, steps: list[str]) -> None:
        fixture = self.fixture
        if fixture is None or not self._may_begin():
            return
        self.banner.hide()
        self.found.clear_all()
        self._passed = True
        self.worker.start({"do": "steps", "fixture": fixture.source, "steps": steps,
                           "seconds": self.seconds.value(),
                           "file": "" if self.file is None else str(self.file)})  # fmt: skip
        self._refresh()

    def _may_begin(self) -> bool:
        if self.is_bench_free():
            return True
        self._complain(self.tr("A measurement is going on and has the instruments; wait for it."))
        return False

    def _reported(self, report: StageReport) -> None:
        if self.wizard is None:
            self.found.show_report(report)
            self._passed = self._passed and report.passed
            self._refresh()

    def _told(self, text: str) -> None:
        if self.wizard is None:
            self.found.show_progress(text)
            self.status.emit(text)

    def _ended(self, why: str) -> None:
        if self.wizard is not None:
            return
        self.status.emit("")
        self._refresh()
        if why:
            self._complain(why)
        elif self._passed:
            self.banner.set_message("good", self.tr("Kept"), self.tr("nothing to mend"), [], [])
        else:
            self.banner.set_message("warn", self.tr("Faults found"),
                             self.tr("what to do is said below"), [], [])  # fmt: skip

    def _complain(self, text: str) -> None:
        self.status.emit(text)
        self.banner.set_message("bad", self.tr("Not calibrated"), text, [], [])

    # --- the wizard -----------------------------------------------------------------------------

    def _saved(self, path: Path) -> None:
        self.open(str(path))
        self.bench_wanted.emit(str(path))

    def _wizard_closed(self) -> None:
        wizard, self.wizard = self.wizard, None
        if wizard is not None:
            wizard.deleteLater()
        self._refresh()

    # --- set up ---------------------------------------------------------------------------------

    def _calls(self) -> dict[str, Callable[[], object]]:
        return {
            "new": self.new_bench,
            "open": self.choose_file,
            "file": self.choose_calibration,
            "own": self.use_own_calibration,
            "step": self.take_step,
            "all": self.take_all,
            "stop": self.worker.ask_stop,
        }

    def _connect(self) -> None:
        self.benches.wanted.connect(self.open)
        self.records.currentItemChanged.connect(self._chosen)
        worker = self.worker
        worker.progress.connect(self._told)
        worker.reported.connect(self._reported)
        worker.ended.connect(self._ended)
        worker.running_changed.connect(self._running_changed)

    def _running_changed(self) -> None:
        if self.worker.has_instruments != self._uses_bench:
            self._uses_bench = self.worker.has_instruments
            self.bench_used.emit(self._uses_bench)
        self._refresh_buttons()

    def _chosen(self) -> None:
        step = STEPS.get(self.records.step)
        text = ""
        if step is not None:
            text = f"{step.does}\n{self.tr('Connect:')} {step.connect}"
        self.text.setText(text)
        self._refresh_buttons()

    def _refresh(self) -> None:
        """Read the calibration again, and show its state."""
        why = self.records.show_fixture(self.fixture, self.file)
        if self.fixture is not None:
            path = self.file or calibration_path(self.fixture)
            self.heading.setText(f"{self.fixture.title}\n{path}")
        if why:
            self._complain(why)
        self._refresh_buttons()

    def _refresh_buttons(self) -> None:
        menu, running = self.menu, self.worker.is_running
        ready = self.fixture is not None and not running
        menu["step"].setEnabled(ready and self.records.step in STEPS)
        menu["all"].setEnabled(ready)
        menu["new"].setEnabled(not running)
        menu["open"].setEnabled(not running)
        menu["file"].setEnabled(ready)
        menu["own"].setEnabled(ready and self.file is not None)
        self.benches.setEnabled(not running)
        menu["stop"].setEnabled(running)


def seconds_box() -> QSpinBox:
    """Return a field for the seconds."""
    box = QSpinBox(minimum=SECONDS_MIN, maximum=SECONDS_MAX, value=CalibrationSettings().seconds)
    box.setSuffix(" s")
    box.setMinimumWidth(90)
    box.setFixedHeight(32)
    box.lineEdit().setTextMargins(GAP, 0, 0, 0)
    box.setAccessibleName(QCoreApplication.translate("seconds", "Clocks watched for"))
    return box
