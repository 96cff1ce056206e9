# SPDX-License-Identifier: GPL-3.0-or-later
"""A page that has nothing to show yet, and says what does its work meanwhile."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gui.pages.page import Page
from gui.theme import GAP_XL
from gui.widgets.labels import centered


class EmptyPage(Page):
    """A sentence in the middle."""

    def __init__(self, title: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP_XL, GAP_XL, GAP_XL, GAP_XL)
        column.addWidget(centered(text), 1)
