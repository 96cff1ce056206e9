# SPDX-License-Identifier: GPL-3.0-or-later
"""The calibration of a fixture as a tree: a step, below it what it found, and whether it holds."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFont
from PySide6.QtWidgets import QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from calibration.formatting import name_of, value_text
from calibration.steps import STEPS
from gui.theme import theme
from gui.theme.theme import figures_font
from gui.tool_tips import tool_tip
from rig.config.calibration.bench_identity import present_of_fixture
from rig.config.calibration.file import load_calibration
from rig.config.calibration.paths import calibration_path, require_fixture
from rig.config.calibration.record import Calibration
from rig.config.calibration.validity import RecordStatus, Validity, judge
from rig.config.fixture import Fixture
from rig.errors import InputError

_STEP: Final = Qt.ItemDataRole.UserRole
_TONES: Final = {Validity.VALID: "good", Validity.ABSENT: "dim"}


def judged_of(fixture: Fixture, file: Path | None = None) -> tuple[RecordStatus, ...]:
    """Judge the newest record of every step. Raises InputError for a file that is of no use.

    `file`: another calibration than the fixture's own.
    """
    path = file or calibration_path(fixture)
    calibration = Calibration(fixture.name)
    if path.exists():
        calibration = load_calibration(path)
        require_fixture(calibration, fixture, str(path))
    today = dt.datetime.now(dt.UTC).date()
    return judge(calibration, present_of_fixture(fixture), today, STEPS)


class RecordsTree(QTreeWidget):
    """A tree in which one step is always chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setHeaderLabels([self.tr("Step"), self.tr("Value, U with k = 2"), self.tr("n"),
                              self.tr("Date"), self.tr("Holds")])  # fmt: skip
        self.setStyleSheet("QTreeView::item { padding: 3px; }")
        header = self.header()
        header.setStretchLastSection(True)
        for column in range(4):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self.setAccessibleName(self.tr("Calibration"))
        self._shown: tuple[RecordStatus, ...] = ()
        theme().changed.connect(self._recolor)

    @property
    def step(self) -> str:
        """The name of the chosen step; "" if none."""
        item = self.currentItem()
        return "" if item is None else str(item.data(0, _STEP))

    def show_fixture(self, fixture: Fixture | None, file: Path | None = None) -> str:
        """Show its calibration, or that in a file; return "", or why that is of no use."""
        why = ""
        try:
            self._shown = () if fixture is None else judged_of(fixture, file)
        except InputError as error:
            self._shown = judge(None, {}, dt.datetime.now(dt.UTC).date(), STEPS)
            why = str(error)
        self._fill()
        return why

    def choose(self, step: str) -> None:
        """Choose this step."""
        for item in self._steps():
            if item.data(0, _STEP) == step:
                self.setCurrentItem(item)

    def judged(self, step: str) -> RecordStatus | None:
        """Return what is shown of a step."""
        return next((each for each in self._shown if each.step == step), None)

    def _steps(self) -> list[QTreeWidgetItem]:
        items = (self.topLevelItem(at) for at in range(self.topLevelItemCount()))
        return [item for item in items if item is not None]

    def _fill(self) -> None:
        chosen = self.step
        opened = {item.data(0, _STEP) for item in self._steps() if item.isExpanded()}
        self.clear()
        for each in self._shown:
            item = self._item(each)
            self.addTopLevelItem(item)
            item.setExpanded(each.step in opened)
        if self._shown:
            names = [each.step for each in self._shown]
            self.choose(chosen if chosen in names else names[0])

    def _item(self, each: RecordStatus) -> QTreeWidgetItem:
        record, known = each.record, STEPS.get(each.step)
        title = known.title if known else each.step
        quantities = () if record is None else record.quantities
        first = value_text(quantities[0]) if len(quantities) == 1 else ""
        if len(quantities) > 1:
            first = self.tr("{0} values").format(len(quantities))
        date = "" if record is None else record.date.date().isoformat()
        item = QTreeWidgetItem([title, first, "", date, self._holds(each)])
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        item.setFont(0, bold)
        item.setForeground(4, QBrush(QColor(self._tone(each))))
        item.setToolTip(4, tool_tip(each.why))
        for quantity in quantities:
            row = QTreeWidgetItem([name_of(quantity), value_text(quantity), f"{quantity.n:,}"])
            item.addChild(self._dressed(row, each.step))
        if record is not None and not quantities:
            for text in record.findings:
                item.addChild(self._dressed(QTreeWidgetItem([text]), each.step))
        return self._dressed(item, each.step)

    def _dressed(self, item: QTreeWidgetItem, step: str) -> QTreeWidgetItem:
        """Set figures in digits of equal width, at the right."""
        item.setData(0, _STEP, step)
        for column in (1, 2, 3):
            item.setFont(column, figures_font(self.font().pointSizeF()))
        for column in (1, 2):
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            item.setTextAlignment(column, right)
        return item

    def _holds(self, each: RecordStatus) -> str:
        if each.validity is Validity.ABSENT:
            return self.tr("never calibrated")
        until = None if each.record is None else each.record.valid_until
        if each.validity is Validity.VALID:
            return f"valid until {until.isoformat()}" if until else str(each.validity)
        return f"{each.validity}: {each.why}"

    def _tone(self, each: RecordStatus) -> str:
        return str(getattr(theme().palette, _TONES.get(each.validity, "warn")))

    def _recolor(self) -> None:
        for item, each in zip(self._steps(), self._shown, strict=True):
            item.setForeground(4, QBrush(QColor(self._tone(each))))
