# SPDX-License-Identifier: GPL-3.0-or-later
"""The page on which one wire after the other is connected, each looked at meanwhile."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QHeaderView, QPushButton, QTreeWidget, QTreeWidgetItem

from calibration.findings import Finding
from calibration.wizard import StageReport, Wizard
from calibration.wizard.bench import wires_of
from calibration.wizard.report import summary
from calibration.wizard.stages import Stage
from gui.pages.calibrate.wizard.stage_page import StagePage
from gui.pages.calibrate.worker import Worker
from gui.theme import theme

AGAIN_MS: Final = 700
"""The time from one look at a wire that is not sound to the next."""


class ConnectPage(StagePage):
    """A page that checks the same wire again and again until it is sound, or is left as it is."""

    job = "wires"
    reading_most = 130
    found_waits = True

    def __init__(self, wizard: Wizard, stage: Stage, worker: Worker) -> None:
        super().__init__(wizard, stage, worker)
        self.start.setText(self.tr("Look at the wires"))
        self.skip = QPushButton(self.tr("Leave this wire as it is"))
        self.skip.clicked.connect(self.leave_wire)
        self.wires = QTreeWidget()
        self.wires.setRootIsDecorated(False)
        self.wires.setHeaderLabels([self.tr("Wire"), self.tr("Connect"), self.tr("Found")])
        header = self.wires.header()
        header.setStretchLastSection(False)
        for column, mode in enumerate((QHeaderView.ResizeMode.ResizeToContents,
                                       QHeaderView.ResizeMode.Stretch,
                                       QHeaderView.ResizeMode.ResizeToContents)):  # fmt: skip
            header.setSectionResizeMode(column, mode)
        self.wires.setStyleSheet("QTreeView::item { padding: 3px; }")
        self.column.insertWidget(1, self.wires, 200)
        self.row.insertWidget(2, self.skip)
        self.current = ""
        """Signal of the wire that is looked at."""
        self._last: tuple[Finding, ...] = ()
        self._left: dict[str, tuple[str, ...]] = {}
        """Faults of wires that were left as they are."""
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(self._look)

    @property
    def has_work(self) -> bool:
        """Whether there is work: always, as the wires are to be looked at."""
        return True

    def enter(self) -> None:
        """Show all wires, sound or not."""
        super().enter()
        if self.wizard_state.state.stage == self.stage.name:
            self._show_wires()

    def opened(self) -> None:
        """Begin with the first wire, as the bench is open."""
        self._next()

    def wire(self, signal: str, findings: tuple[Finding, ...]) -> None:
        """Show the findings of a wire, or go to the next one if it is sound."""
        if signal != self.current:
            return
        if summary(findings):
            if findings != self._last:
                self.found.clear_all()
                self.found.show_report(StageReport((), findings))
            self._last = findings
            self._show_wires()
            self._again.start()
            return
        self.wizard_state.wire_is_sound(signal)
        self._left.pop(signal, None)
        self.found.clear_all()
        self._next()

    def leave_wire(self) -> None:
        """Leave a wire as it is: the user knows better, or mends it later."""
        if self.current:
            self._left[self.current] = summary(self._last) or (f"{self.current}: not looked at",)
            self._again.stop()
            self._next()

    def begin(self) -> None:
        """Begin at the first wire that is not known to be sound."""
        self._left, self.current = {}, ""
        super().begin()

    def leave(self) -> None:
        """Stop looking at wires, as the page is left."""
        self._again.stop()
        self.current = ""
        super().leave()

    def ended(self, why: str) -> None:
        """Stop looking at wires, as the bench is closed, asked or not."""
        self._again.stop()
        self.current = ""
        super().ended(why)
        self._show_wires()

    def refresh(self) -> None:
        """Offer to leave a wire while one is looked at."""
        super().refresh()
        self.skip.setVisible(bool(self.current))

    def recolor(self) -> None:
        """Show the wires in the colors in force."""
        super().recolor()
        if self.wires.topLevelItemCount():
            self._show_wires()

    def _next(self) -> None:
        left = [s for s in self.wizard_state.wires_left() if s not in self._left]
        self._last = ()
        self.current = left[0] if left else ""
        if self.current:
            self._look()
        else:
            faults = tuple(text for texts in self._left.values() for text in texts)
            self.wizard_state.connected(faults)
            self.worker.ask_stop()
        self._show_wires()
        self.refresh()

    def _look(self) -> None:
        if self.current:
            self.worker.look_at(self.current)

    def _show_wires(self) -> None:
        colors = theme().palette
        left = self.wizard_state.wires_left()
        self.wires.clear()
        for ends in wires_of(self.wizard_state.state):
            text, tone = "", colors.dim
            if ends.signal not in left:
                text, tone = self.tr("sound"), colors.good
            elif ends.signal == self.current:
                text, tone = self.tr("looking …"), colors.accent
                if self._last:
                    text, tone = next(f.kind for f in self._last if f.fault), colors.bad
            elif ends.signal in self._left:
                text, tone = self.tr("left as it is"), colors.warn
            item = QTreeWidgetItem([ends.signal, ends.text, text])
            item.setForeground(2, QBrush(QColor(tone)))
            self.wires.addTopLevelItem(item)
            if ends.signal == self.current:
                self.wires.setCurrentItem(item)
