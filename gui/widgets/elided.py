# SPDX-License-Identifier: GPL-3.0-or-later
"""A label whose lines are shortened in the middle where there is no room for all of them."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.tool_tips import tool_tip
from gui.widgets.labels import PlainLabel
from rig.printable import printable_lines

LEAST_WIDTH: Final = 60


class ElidedLabel(PlainLabel):
    """A label of the width that is left; the tool tip has all of its text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(LEAST_WIDTH)

    @property
    def whole(self) -> str:
        """The text without cuts."""
        return self._whole

    def setText(self, text: str) -> None:  # noqa: N802 - Qt's name
        """Show one or more lines."""
        self._whole = printable_lines(text)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Return the size of a line cut as short as can be."""
        return QSize(LEAST_WIDTH, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Cut the lines anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        room, metrics = self.contentsRect().width(), self.fontMetrics()
        shown = "\n".join(
            metrics.elidedText(line, Qt.TextElideMode.ElideMiddle, room)
            for line in self._whole.split("\n")
        )
        self.setToolTip(tool_tip(self._whole) if shown != self._whole else "")
        if shown != self.text():
            super().setText(shown)
