# SPDX-License-Identifier: GPL-3.0-or-later
"""The strip at the left: one button a page."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics
from PySide6.QtWidgets import QFrame, QToolButton, QVBoxLayout, QWidget

from gui.theme import GAP, GAP_S, theme
from gui.theme.icons import two_state_icon
from gui.theme.theme import figures_font


class Navigation(QFrame):
    """A column of buttons of checkable actions, of which one is on."""

    def __init__(self, actions: Iterable[tuple[str, QAction]], parent: QWidget | None = None):
        """Make the buttons; `actions`: strokes of the icon, and action, of each page."""
        super().__init__(parent)
        self.setObjectName("navigation")
        self._actions = tuple(actions)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, GAP, GAP, GAP)
        column.setSpacing(GAP_S)
        for _, action in self._actions:
            button = QToolButton()
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setIconSize(QSize(24, 24))
            column.addWidget(button)
        column.addStretch(1)
        self.setFixedWidth(self._widest() + 2 * GAP)
        theme().changed.connect(self._recolor)
        self._recolor()

    def _widest(self) -> int:
        """Return the width of the widest name of a page in bold, as the page in front has it.

        So all buttons stand still when another page comes to the front, and no name is cut short.
        """
        font = figures_font(self.font().pointSizeF(), bold=True)
        texts = (action.iconText() for _, action in self._actions)
        return max(QFontMetrics(font).horizontalAdvance(text) for text in texts) + 2 * GAP

    def _recolor(self) -> None:
        for strokes, action in self._actions:
            action.setIcon(two_state_icon(strokes, theme().palette))
