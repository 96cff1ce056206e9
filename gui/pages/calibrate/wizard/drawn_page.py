# SPDX-License-Identifier: GPL-3.0-or-later
"""A page with wires to be changed: the drawing, what it is for, then look and measure."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QTabWidget

from calibration.wizard import StageReport, Wizard
from calibration.wizard.stages import Stage
from gui.pages.calibrate.wizard.drawing import Drawing
from gui.pages.calibrate.wizard.reading import UNLIMITED
from gui.pages.calibrate.wizard.stage_page import StagePage
from gui.pages.calibrate.worker import Worker
from gui.theme import GAP
from rig.errors import InputError

_DRAWING: Final = 0
_WORDS: Final = 1
_FOUND: Final = 2


class DrawnPage(StagePage):
    """A page whose drawing follows the answers; where there is none, the words are in front."""

    def __init__(self, wizard: Wizard, stage: Stage, worker: Worker) -> None:
        super().__init__(wizard, stage, worker)
        self.drawing = Drawing()
        for part in (self.reading, self.found):
            self.column.removeWidget(part)
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.drawing, self.tr("Drawing"))
        self.tabs.addTab(self.reading, self.tr("In words"))
        self.tabs.addTab(self.found, self.tr("Found"))
        body = self.text.parentWidget()
        layout = None if body is None else body.layout()
        if layout is not None:
            layout.setContentsMargins(GAP, GAP, GAP, 0)
        self.column.insertWidget(0, self.tabs, 300)
        self.column.insertWidget(1, self.form)

    def enter(self) -> None:
        """Draw the wires as they are to be."""
        super().enter()
        self._draw()

    def refresh(self) -> None:
        """Draw again, as what was answered may want other wires."""
        super().refresh()
        self.reading.most = UNLIMITED
        self.reading.fit()
        self.tabs.setTabVisible(_FOUND, self.has_work and not self.found.is_empty)
        self._draw()

    def reported(self, report: StageReport) -> None:
        """Bring the report to the front, from its beginning if nothing is wrong."""
        super().reported(report)
        self.tabs.setCurrentIndex(_FOUND)
        if report.passed:
            # Once it has the height that the tab gives it.
            QTimer.singleShot(0, self.found, self._show_beginning)

    def _show_beginning(self) -> None:
        self.found.moveCursor(QTextCursor.MoveOperation.Start)
        self.found.verticalScrollBar().setValue(0)

    def _draw(self) -> None:
        state, svg = self.wizard_state.state, self.stage.svg
        if svg is None or state.stage != self.stage.name:
            return
        try:
            text = svg(state)
        except InputError as error:
            self.set_message(str(error))
            text = ""
        if text:
            self.drawing.show_svg(text, " ".join(self.stage.lines(state)) or self.text.text())
        if bool(text) != self.tabs.isTabVisible(_DRAWING):
            self.tabs.setTabVisible(_DRAWING, bool(text))
            self.tabs.setCurrentIndex(_DRAWING if text else _WORDS)
