# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures in rows: a name at the left, its value at the right, in digits of equal width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from gui.theme import GAP, GAP_S, theme
from gui.theme.theme import figures_font
from gui.tool_tips import tool_tip
from gui.widgets.labels import PlainLabel, caption, dim

TONES: Final = ("", "good", "warn", "bad", "dim")
"""Fields of a palette; "" is ordinary ink."""


@dataclass(frozen=True)
class Row:
    """One figure."""

    name: str
    value: str
    tone: str = ""
    """One of TONES."""
    hint: str = ""
    """What it means, when the pointer rests on it."""


class FigureRows(QWidget):
    """A titled list of figures. Labels are kept and only their texts change."""

    def __init__(self, title: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(GAP_S // 2)
        self._grid.setColumnStretch(1, 1)
        self._title = caption(title)
        self._grid.addWidget(self._title, 0, 0, 1, 2)
        self._title.setVisible(bool(title))
        self._labels: list[tuple[PlainLabel, PlainLabel]] = []
        self._rows: tuple[Row, ...] = ()
        theme().changed.connect(self._recolor)

    def set_title(self, title: str) -> None:
        """Above the rows; none if empty."""
        self._title.setText(title)
        self._title.setVisible(bool(title))

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show these."""
        old, self._rows = self._rows, tuple(rows)
        while len(self._labels) < len(rows):
            self._add_row()
        for number, (name, value) in enumerate(self._labels):
            row = rows[number] if number < len(rows) else None
            before = old[number] if number < len(old) else None
            if row == before:
                continue
            for label in (name, value):
                label.setVisible(row is not None)
            if row is not None:
                self._fill(name, value, row, None if before is None else before.tone)

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is shown."""
        return self._rows

    def value(self, name: str) -> str:
        """The text beside a name. Raises KeyError if there is no such row."""
        return {row.name: row.value for row in self._rows}[name]

    def _fill(self, name: PlainLabel, value: PlainLabel, row: Row, tone_before: str | None) -> None:
        name.setText(row.name)
        value.setText(row.value)
        name.setToolTip(tool_tip(row.hint))
        value.setToolTip(tool_tip(row.hint))
        value.setAccessibleName(f"{row.name} {row.value}")
        if row.tone != tone_before:
            _color(value, row.tone)

    def _add_row(self) -> None:
        at = len(self._labels) + 1
        name = dim()
        value = PlainLabel(alignment=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        value.setFont(figures_font(self.font().pointSizeF()))
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._grid.addWidget(name, at, 0)
        self._grid.addWidget(value, at, 1)
        self._labels.append((name, value))

    def _recolor(self) -> None:
        for (_, value), row in zip(self._labels, self._rows, strict=False):
            _color(value, row.tone)


def _color(label: PlainLabel, tone: str) -> None:
    label.setStyleSheet(f"color: {getattr(theme().palette, tone)}" if tone else "")
