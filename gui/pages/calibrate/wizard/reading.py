# SPDX-License-Identifier: GPL-3.0-or-later
"""The text to be read and filled in: as high as it needs, up to a limit, then it scrolls."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

UNLIMITED: Final = 1 << 20


class TextPane(QScrollArea):
    """A pane that follows the height of its content."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.most = UNLIMITED
        """Height in device-independent pixels."""
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidget(content)
        content.installEventFilter(self)

    def fit(self) -> None:
        """Fit the height to the content as it is now."""
        content = self.widget()
        if self.most == UNLIMITED or content is None:
            self.setMinimumHeight(0)
            self.setMaximumHeight(UNLIMITED)
            return
        wanted = content.heightForWidth(self.viewport().width())
        self.setFixedHeight(min(self.most, max(wanted, content.minimumSizeHint().height())))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Fit the height, as texts and fields come and go."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Fit the height, as narrower lines are more lines."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()
