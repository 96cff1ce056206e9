# SPDX-License-Identifier: GPL-3.0-or-later
"""A page of the wizard: a stage's explanation and questions, a button for its work, its report."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QHBoxLayout,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
    QWizardPage,
)

from calibration.wizard import StageReport, Wizard
from calibration.wizard.stages import Stage
from gui.pages.calibrate.findings_view import FindingsView
from gui.pages.calibrate.wizard.form import Form
from gui.pages.calibrate.wizard.reading import UNLIMITED, TextPane
from gui.pages.calibrate.worker import Worker
from gui.theme import GAP, theme
from gui.widgets.labels import PlainLabel, dim
from rig.errors import InputError


class StagePage(QWizardPage):
    """A page of the stage that the wizard is at whenever the page is in front."""

    def __init__(self, wizard: Wizard, stage: Stage, worker: Worker) -> None:
        super().__init__()
        self.stage = stage
        self.wizard_state, self.worker = wizard, worker
        self._tone = "bad"
        self.setTitle(stage.title)
        self.text = PlainLabel(wordWrap=True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.form = Form(wizard)
        self.error_message = PlainLabel(wordWrap=True)
        self.error_message.setTextFormat(Qt.TextFormat.PlainText)
        self.error_message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.found = FindingsView()
        self.start = QPushButton(stage.does or self.tr("Begin"))
        self.start.setProperty("primary", True)
        self.stop = QPushButton(self.tr("Stop"))
        self.telling = dim()
        self.busy = QProgressBar(maximum=0, textVisible=False)
        body = QWidget()
        self.reading = TextPane(body)
        self.row = QHBoxLayout()
        self.column = QVBoxLayout(self)
        self.column.setSpacing(GAP)
        self._lay_out(body)
        self._connect()

    # --- what QWizard asks ----------------------------------------------------------------------

    def initializePage(self) -> None:  # noqa: N802 - Qt's name
        """Enter the page, by Next or at the wizard's start."""
        self.enter()

    def enter(self) -> None:
        """Show the wizard's explanation and questions as they are now."""
        state = self.wizard_state
        if state.state.stage != self.stage.name:
            return  # on the way to the stage where it was left
        self.text.setText("\n\n".join(self.stage.explain(state.state)))
        self.form.show_questions()
        self.set_message("")
        faults = state.state.done.get(self.stage.name)
        if faults is not None and not self.found.toPlainText():
            self.found.show_progress(self.tr("Done before. {0}").format("; ".join(faults)).strip())
        self.refresh()

    def isComplete(self) -> bool:  # noqa: N802 - Qt's name
        """Return whether the work, if there is any, has been done, and none goes on."""
        if self.worker.is_running:
            return False
        return not self.has_work or self.stage.name in self.wizard_state.state.done

    def validatePage(self) -> bool:  # noqa: N802 - Qt's name
        """Keep the answers on Next; return whether they go together."""
        wizard = self.wizard_state
        if wizard.state.stage != self.stage.name:
            return True
        if not self.form.keep():
            return False
        try:
            wizard.forward()
        except InputError as error:
            self.set_message(str(error))
            return False
        return True

    def cleanupPage(self) -> None:  # noqa: N802 - Qt's name
        """Leave the page on Back; nothing that was answered is lost."""
        self.leave()

    def leave(self) -> None:
        """Give up work under way, as something else comes to the front."""
        if self.worker.is_running:
            self.worker.give_up()

    # --- its work -------------------------------------------------------------------------------

    @property
    def has_work(self) -> bool:
        """Whether there is a button to press before it goes on."""
        state = self.wizard_state.state
        return self.stage.work is not None and self.stage.wants_work(state)

    def begin(self) -> None:
        """Start the work, with the answers as they stand."""
        if self.worker.is_running or not self.form.keep():
            return
        try:
            self.wizard_state.check()
        except InputError as error:
            self.set_message(str(error))
            return
        self.set_message("")
        self.found.clear_all()
        self.worker.start({"do": self.job, "state": str(self.wizard_state.place.state.absolute())})
        self.refresh()

    reading_most = 290
    """The height of text and questions if there are findings below them."""
    found_waits = False
    """Whether findings have their room before there are any."""
    job = "stage"
    """The job for the worker."""

    def reported(self, report: StageReport) -> None:
        """Show and record the report of work that is done."""
        self.found.show_report(report)
        try:
            self.wizard_state.record(report)
        except InputError as error:
            self.set_message(str(error))
        self.refresh()

    def ended(self, why: str) -> None:
        """Show that no work goes on, and `why` if something went wrong."""
        self.set_message(why)
        self.telling.setText("")
        self.refresh()

    def show_progress(self, text: str) -> None:
        """Show what is being done."""
        self.telling.setText(text)

    def set_message(self, text: str, tone: str = "bad") -> None:
        """Show what is wrong, or to beware of; "" if nothing is."""
        self._tone = tone
        self.error_message.setText(text)
        self.error_message.setVisible(bool(text))
        self.recolor()

    def recolor(self) -> None:
        """Show the message in the colors in force."""
        self.error_message.setStyleSheet(f"color: {getattr(theme().palette, self._tone)}")

    def refresh(self) -> None:
        """Show the buttons of what can be done."""
        running = self.worker.is_running
        self.start.setVisible(self.has_work)
        shown = self.has_work and (self.found_waits or running or not self.found.is_empty)
        self.found.setVisible(shown)
        self.reading.most = self.reading_most if shown else UNLIMITED
        self.reading.fit()
        self.start.setEnabled(not running)
        self.stop.setVisible(self.has_work and running)
        self.busy.setVisible(running)
        self.form.setEnabled(not running)
        self.completeChanged.emit()

    # --- set up ---------------------------------------------------------------------------------

    def _lay_out(self, body: QWidget) -> None:
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, GAP, 0)
        column.setSpacing(GAP)
        column.addWidget(self.text)
        column.addSpacing(GAP)
        column.addWidget(self.form)
        column.addStretch(1)
        self.column.addWidget(self.reading, 200)
        self.column.addWidget(self.error_message)
        self.row.addWidget(self.start)
        self.row.addWidget(self.stop)
        self.row.addWidget(self.telling, 1)
        self.column.addLayout(self.row)
        self.column.addWidget(self.busy)
        self.column.addWidget(self.found, 200)
        self.column.addStretch(1)

    def _connect(self) -> None:
        self.start.clicked.connect(self.begin)
        self.stop.clicked.connect(self.worker.ask_stop)
        self.form.error_message.connect(self.set_message)
        # Fields of a form that was built anew are known to the layout one turn later.
        self.form.changed.connect(lambda: QTimer.singleShot(0, self, self.refresh))
