# SPDX-License-Identifier: GPL-3.0-or-later
"""The wizard for a new board as a QWizard. Left at any page, it goes on there the next time."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QWidget, QWizard

from calibration.findings import Finding
from calibration.wizard import StageReport, Wizard
from calibration.wizard.stages import STAGES, Stage
from calibration.wizard.stages.save import file_of
from gui.pages.calibrate.wizard.connect_page import ConnectPage
from gui.pages.calibrate.wizard.drawn_page import DrawnPage
from gui.pages.calibrate.wizard.stage_page import StagePage
from gui.pages.calibrate.wizard.wires_page import WiresPage
from gui.pages.calibrate.worker import Worker
from gui.theme import GAP_L, theme
from gui.widgets.labels import RichLabel
from rig.printable import html_text

SIZE: Final = QSize(1040, 660)
_PAGES: Final[dict[str, type[StagePage]]] = {"wires": WiresPage, "connect": ConnectPage}
"""The pages of stages that have their own; others have one by what they show."""


def _page_of(stage: Stage) -> type[StagePage]:
    return _PAGES.get(stage.name, StagePage if stage.svg is None else DrawnPage)


class WizardDialog(QWizard):
    """A dialog with one page for each stage."""

    saved = Signal(Path)
    """The path of the fixture's file."""

    def __init__(
        self, wizard: Wizard, worker: Worker, folder: Path, parent: QWidget | None = None
    ) -> None:
        """Make the pages; `folder` is where run files go."""
        super().__init__(parent)
        self.wizard_state, self.worker = wizard, worker
        self._saved: Path | None = None
        self._returning = True
        """Whether the dialog is on the way to the page where it was left."""
        self._give_defaults(folder)
        self.setWindowTitle(self.tr("New bench: {0}").format(wizard.state.name))
        self.setWizardStyle(QWizard.WizardStyle.ClassicStyle)
        self.setOption(QWizard.WizardOption.NoBackButtonOnStartPage)
        self.setButtonText(QWizard.WizardButton.CancelButton, self.tr("Leave, go on later"))
        self.setButtonText(QWizard.WizardButton.FinishButton, self.tr("Finish"))
        self.setButtonText(QWizard.WizardButton.NextButton, self.tr("Next"))
        self.setButtonText(QWizard.WizardButton.BackButton, self.tr("Back"))
        for which in (QWizard.WizardButton.NextButton, QWizard.WizardButton.FinishButton):
            self.button(which).setProperty("primary", True)
        self.resize(SIZE)
        self.stages = tuple(_page_of(stage)(wizard, stage, worker) for stage in STAGES.values())
        for page in self.stages:
            self.addPage(page)
        self._side = RichLabel()
        self._side.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._side.setContentsMargins(GAP_L, GAP_L, GAP_L, GAP_L)
        self.setSideWidget(self._side)
        self.currentIdChanged.connect(self._entered)
        self._connect()
        self._go_where_it_was_left()

    @property
    def page_in_front(self) -> StagePage:
        """The page of the stage that the wizard is at."""
        return self.stages[max(0, self.currentId())]

    def back(self) -> None:
        """Go to the stage before; what was answered here is kept."""
        self.page_in_front.form.keep()
        super().back()

    def done(self, result: int) -> None:
        """Keep the answers and close, on any path."""
        page = self.page_in_front
        if not self._saved:
            page.form.keep()
        page.leave()
        self.worker.give_up()
        super().done(result)
        if self._saved is not None:
            self.saved.emit(self._saved)

    # --- pages ----------------------------------------------------------------------------------

    def _go_where_it_was_left(self) -> None:
        """Go there over all pages before it, so that Back leads to them."""
        wanted = self.wizard_state.number - 1
        self.restart()
        for _ in range(wanted):
            self.next()
        self._returning = False
        self.page_in_front.enter()

    def _entered(self, number: int) -> None:
        if number < 0:
            return
        page, wizard = self.stages[number], self.wizard_state
        at = wizard.number - 1
        if number == at - 1 and not self._returning:
            wizard.back()
            page.enter()
        self._show_side(number)

    def _show_side(self, number: int) -> None:
        colors, parts = theme().palette, []
        for at, stage in enumerate(STAGES.values()):
            tone = colors.accent if at == number else colors.dim if at > number else colors.ink
            weight = "600" if at == number else "400"
            parts.append(f'<p style="color:{tone};font-weight:{weight}">'
                         f"{at + 1}&nbsp; {html_text(stage.title)}</p>")  # fmt: skip
        self._side.setText("".join(parts))

    # --- the worker -----------------------------------------------------------------------------

    def _connect(self) -> None:
        worker = self.worker
        worker.progress.connect(self._told)
        worker.reported.connect(self._reported)
        worker.opened.connect(self._opened)
        worker.wire.connect(self._wire)
        worker.ended.connect(self._ended)
        theme().changed.connect(self._recolor)

    def _told(self, text: str) -> None:
        self.page_in_front.show_progress(text)

    def _reported(self, report: StageReport) -> None:
        page = self.page_in_front
        if page is self.stages[-1] and report.passed:
            self._saved = file_of(self.wizard_state.state)
        page.reported(report)

    def _opened(self) -> None:
        page = self.page_in_front
        if isinstance(page, ConnectPage):
            page.opened()

    def _wire(self, signal: str, findings: tuple[Finding, ...]) -> None:
        page = self.page_in_front
        if isinstance(page, ConnectPage):
            page.wire(signal, findings)

    def _ended(self, why: str) -> None:
        self.page_in_front.ended(why)
        if self._saved is not None:
            self.page_in_front.form.setEnabled(False)
            self.page_in_front.start.setEnabled(False)
            self.button(QWizard.WizardButton.BackButton).setEnabled(False)
            self.button(QWizard.WizardButton.CancelButton).setEnabled(False)

    def _recolor(self) -> None:
        self._show_side(self.currentId())
        for page in self.stages:
            page.recolor()

    def _give_defaults(self, folder: Path) -> None:
        """Give the answers that depend on where the window's runs are."""
        wizard = self.wizard_state
        name = wizard.state.name
        folder = folder.absolute()
        for key, text in (("runs", folder), ("file", folder.parent / f"{name}.toml")):
            if key not in wizard.state.answers:
                wizard.give(key, str(text))
