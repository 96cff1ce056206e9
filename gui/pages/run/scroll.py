# SPDX-License-Identifier: GPL-3.0-or-later
"""What is as high as its content where there is room, and is scrolled where there is none."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

HEIGHT_MIN = 120


class FittingScroll(QScrollArea):
    """Holds one widget; `updateGeometry` after its content has become higher."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """That of the content."""
        content = self.widget()
        return super().sizeHint() if content is None else content.sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Some lines of it."""
        return QSize(0, HEIGHT_MIN)
