# SPDX-License-Identifier: GPL-3.0-or-later
"""The page that shows the wiring: the drawing, and what to beware of."""

from __future__ import annotations

from PySide6.QtWidgets import QTabWidget

from calibration.wizard import Wizard
from calibration.wizard.stages import Stage
from calibration.wizard.stages.wires import drawing, pins, warnings
from gui.pages.calibrate.wizard.drawing import Drawing
from gui.pages.calibrate.wizard.stage_page import StagePage
from gui.pages.calibrate.worker import Worker


class WiresPage(StagePage):
    """Drawing and text, side by side by tabs."""

    def __init__(self, wizard: Wizard, stage: Stage, worker: Worker) -> None:
        super().__init__(wizard, stage, worker)
        self.drawing = Drawing()
        self.column.removeWidget(self.reading)
        self.tabs = QTabWidget(documentMode=True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.addTab(self.drawing, self.tr("Drawing"))
        self.tabs.addTab(self.reading, self.tr("Pins and pitfalls"))
        self.column.insertWidget(0, self.tabs, 200)

    def enter(self) -> None:
        """Draw the boards as they were chosen."""
        super().enter()
        state = self.wizard_state.state
        if state.stage == self.stage.name:
            self.drawing.show_svg(drawing(state), "; ".join(pins(state)))
            self.set_message("\n".join(warnings(state)), "warn")
