# SPDX-License-Identifier: GPL-3.0-or-later
"""A drawing in SVG, as large as there is room for it."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget


class Drawing(QWidget):
    """Keeps the drawing's proportions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.renderer = QSvgRenderer(self)
        self.renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(QSize(320, 240))

    def show_svg(self, text: str, words: str) -> None:
        """`words` say the same to whoever does not see it."""
        self.renderer.load(QByteArray(text.encode()))
        self.renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
        self.setAccessibleName(words)
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The drawing's own size."""
        return self.renderer.defaultSize()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw it."""
        painter = QPainter(self)
        self.renderer.render(painter, QRectF(self.rect()))
        painter.end()
