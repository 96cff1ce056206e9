# SPDX-License-Identifier: GPL-3.0-or-later
"""The bar at the top: bench, plan, number of stimuli, how long it takes, and the Run button."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSettings, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from gui.pages.run.calibration_combo import CalibrationCombo, why_unfit
from gui.pages.run.choice import FIRST_FIXTURE, FIRST_PLAN, RunSelection, choose, shown_name
from gui.pages.run.series_card import SeriesCard
from gui.plots.number_texts import count, duration
from gui.theme import GAP, GAP_L, GAP_S, theme
from gui.theme.icons import icon
from gui.theme.theme import figures_font
from gui.tool_tips import tool_tip
from gui.widgets.labels import PlainLabel, caption, dim
from rig.resources import fixture_names, plan_names

RECENT_MAX: Final = 8
FIELD_HEIGHT: Final = 32
COMBO_MIN: Final = 150
COUNT_MAX: Final = 2**31 - 1
"""The most that a QSpinBox can hold."""


class Chooser(QWidget):
    """A bar of fields that remembers what was chosen last."""

    changed = Signal()

    def __init__(self, settings: QSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._choice = choose(FIRST_PLAN, FIRST_FIXTURE)
        self._choices: tuple[RunSelection, ...] = (self._choice,)
        self.series = SeriesCard(settings)
        self.several = QPushButton()
        self.several.setCheckable(True)
        self.several.setFixedHeight(FIELD_HEIGHT)
        self.several.setChecked(settings.value("run/several", False, bool) is True)
        self.fixtures = self._combo("fixtures", FIRST_FIXTURE, fixture_names())
        self.plans = self._combo("plans", FIRST_PLAN, plan_names())
        self.calibrations = CalibrationCombo()
        self.calibrations.setFixedHeight(FIELD_HEIGHT)
        self.count = QSpinBox(minimum=0, maximum=COUNT_MAX)
        self.count.setGroupSeparatorShown(True)
        self.count.setFixedSize(120, FIELD_HEIGHT)
        self.count.lineEdit().setTextMargins(GAP, 0, 0, 0)
        self.duration = dim()
        self.duration.setFont(figures_font(self.font().pointSizeF()))
        self.run = QPushButton()
        self.run.setMinimumSize(QSize(168, 52))
        self.run.setFont(figures_font(self.font().pointSizeF() * 1.25, bold=True))
        self.run.setIconSize(QSize(20, 20))
        self.run.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._captions: list[PlainLabel] = []
        self._problem = PlainLabel(wordWrap=True)
        self._problem.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._problem.hide()
        self._lay_out()
        self.fixtures.currentIndexChanged.connect(self._other_bench)
        self.calibrations.chosen.connect(self._chosen)
        self.plans.currentIndexChanged.connect(self._chosen)
        self.count.valueChanged.connect(self._chosen)
        self.several.toggled.connect(self._chosen)
        self.series.changed.connect(self._chosen)
        theme().changed.connect(self._recolor)
        self.retranslate()
        self._chosen()

    @property
    def choice(self) -> RunSelection:
        """The selection now; of several plans the first, or the one that cannot be measured."""
        return self._choice

    @property
    def choices(self) -> tuple[RunSelection, ...]:
        """The selections to be measured, one after the other."""
        return self._choices

    def retranslate(self) -> None:
        """Set texts in the language in force."""
        texts = (self.tr("Bench"), self.tr("Calibration"), self.tr("Plan"), self.tr("Stimuli"))
        for label, text in zip(self._captions, texts, strict=True):
            label.setText(text)
        self.fixtures.setAccessibleName(texts[0])
        self.plans.setAccessibleName(texts[2])
        self.count.setAccessibleName(texts[3])
        self.count.setSpecialValueText(self.tr("as planned"))
        self.several.setText(self.tr("Several"))
        self.several.setToolTip(self.tr("Measure several plans, one after the other"))
        self.series.retranslate()

    def offer(self, combo: QComboBox, path: Path) -> None:
        """Choose a file, and remember it."""
        name = str(path if path.is_absolute() else path.absolute())
        if (at := combo.findData(name)) < 0:
            combo.addItem(shown_name(name), name)
            at = combo.count() - 1
            combo.setItemData(at, tool_tip(name), Qt.ItemDataRole.ToolTipRole)
        combo.setCurrentIndex(at)
        if combo.currentIndex() == at:
            self._chosen()  # read again: the file may have been edited

    def again(self) -> None:
        """Read both files again: they may have been edited meanwhile."""
        self._chosen()

    def lock(self, *, locked: bool) -> None:
        """Let nothing be chosen while a run goes on."""
        for widget in (self.fixtures, self.calibrations, self.count, self.several):
            widget.setDisabled(locked)
        self.plans.setDisabled(locked or self.several.isChecked())
        self.series.lock(locked=locked)

    def show_run_button(self, state: str, text: str) -> None:
        """Show the button; `state` is idle, running or stopping."""
        self.run.setText(text)
        self.run.setEnabled(state == "running" or (state == "idle" and not self._choice.error))
        self.run.setProperty("primary", state == "idle")
        colors = theme().palette
        ink = colors.accent_ink if state == "idle" and self.run.isEnabled() else colors.ink
        self.run.setIcon(icon("start" if state == "idle" else "stop", ink))
        self.run.style().unpolish(self.run)
        self.run.style().polish(self.run)

    # --- within ---------------------------------------------------------------------------------

    def _combo(self, kind: str, first: str, built_in: tuple[str, ...]) -> QComboBox:
        combo = QComboBox()
        combo.setObjectName(kind)
        combo.setMinimumWidth(COMBO_MIN)
        combo.setFixedHeight(FIELD_HEIGHT)
        combo.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for name in built_in:
            combo.addItem(name, name)
        for name in self._recent(kind):
            if combo.findData(name) < 0 and Path(name).is_file():
                combo.addItem(shown_name(name), name)
                combo.setItemData(combo.count() - 1, tool_tip(name), Qt.ItemDataRole.ToolTipRole)
        last = str(self._settings.value(f"run/{kind}", first))
        at = combo.findData(last)
        combo.setCurrentIndex(at if at >= 0 else max(0, combo.findData(first)))
        return combo

    def _recent(self, kind: str) -> list[str]:
        stored = self._settings.value(f"run/recent_{kind}", [])
        if isinstance(stored, str):  # QSettings gives a list of one as a string
            return [stored]
        return [str(name) for name in stored] if isinstance(stored, list) else []

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(GAP_L)
        for widget in (self.fixtures, self.calibrations, self.plans, self.count):
            name = caption()
            name.setBuddy(widget)
            self._captions.append(name)
            column = QVBoxLayout()
            column.setSpacing(GAP_S // 2)
            column.addWidget(name)
            column.addWidget(widget)
            row.addLayout(column)
            if widget is self.plans:
                row.addWidget(self.several, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.duration, 1, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.run, 0, Qt.AlignmentFlag.AlignBottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP_S)
        column.addLayout(row)
        column.addWidget(self.series)
        column.addWidget(self._problem)

    def _other_bench(self) -> None:
        """Use the own calibration of another bench."""
        self.calibrations.use_own()
        self._chosen()

    def _chosen(self) -> None:
        plan, fixture = str(self.plans.currentData()), str(self.fixtures.currentData())
        count_, several = self.count.value() or None, self.several.isChecked()
        self.series.setVisible(several)
        self.plans.setDisabled(several)
        if several:
            self.series.offer([str(self.plans.itemData(n)) for n in range(self.plans.count())])
            bench = choose(plan, fixture).fixture
            self.series.scenarios.offer({} if bench is None else bench.scenarios)
            loads = self.series.scenarios.ticked or [""]
            self._choices = tuple(
                choose(name, fixture, count_, load) for name in self.series.ticked for load in loads
            )
            self.series.scenarios.show_skipped([c.skip for c in self._choices if c.skip])
        else:
            self._choices = (choose(plan, fixture, count_),)
        self._choices = self._with_calibration(self._choices)
        none = RunSelection("", fixture, count_, error=self.tr("Tick the plans to be measured."))
        wrong = [choice for choice in self._choices if choice.error]
        made = [choice for choice in self._choices if not choice.skip]
        skipped = [replace(choice, error=choice.skip) for choice in self._choices]
        self._choice = (*wrong, *made, *skipped, none)[0]
        self._settings.setValue("run/several", several)
        self._remember("plans", plan)
        self._remember("fixtures", fixture)
        self._tell()
        self.changed.emit()

    def _with_calibration(self, choices: tuple[RunSelection, ...]) -> tuple[RunSelection, ...]:
        """Return the choices, each with an error if the calibration is another bench's."""
        fixture = choices[0].fixture if choices else None
        unfit = why_unfit(self.calibrations.asked, fixture)
        return tuple(each if each.error or not unfit else replace(each, error=unfit)
                     for each in choices)  # fmt: skip

    def _remember(self, kind: str, name: str) -> None:
        self._settings.setValue(f"run/{kind}", name)
        if "/" in name:
            recent = [name, *(other for other in self._recent(kind) if other != name)]
            self._settings.setValue(f"run/recent_{kind}", recent[:RECENT_MAX])

    def _tell(self) -> None:
        choice = self._choice
        self._problem.setText(choice.error)
        self._problem.setVisible(bool(choice.error))
        self._recolor()
        several = self.several.isChecked()
        made = [each for each in self._choices if not each.skip]
        takes_s = [each.whole_s if several else each.expected_s for each in made]
        known_s = [time_s for time_s in takes_s if time_s is not None]
        if choice.plan is None or not made or len(known_s) < len(takes_s):
            self.duration.setText("")
            return
        plans = [each.plan for each in made if each.plan is not None]
        events = count(sum(plan.count for plan in plans))
        text = self.tr("{0} events in about {1}")
        if any(plan.own_events is not None for plan in plans):
            text = self.tr("at most {0} events in {1}")
        text = text.format(events, duration(sum(known_s)))
        title = choice.plan.title
        if several:
            title = self._extent(len(made))
        self.duration.setText(f"{title}\n{text}" if title else text)

    def _extent(self, made: int) -> str:
        """Return how many runs there are, of how many plans and scenarios."""
        plans, loads = len(self.series.ticked), len(self.series.scenarios.ticked)
        if not loads:
            return self.tr("{0} plans").format(plans)
        words = self.tr("{0} runs: {1} plans, {2} scenarios").format(made, plans, loads)
        skipped = len(self._choices) - made
        return words + self.tr(", {0} skipped").format(skipped) if skipped else words

    def _recolor(self) -> None:
        colors = theme().palette
        self._problem.setStyleSheet(f"color: {colors.bad}")
        chosen = f"border-color: {colors.accent}; color: {colors.accent};"
        self.several.setStyleSheet(f"QPushButton:checked {{ {chosen} }}")
