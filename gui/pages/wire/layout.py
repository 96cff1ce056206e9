# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of the Wire page stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from gui.pages.wire.words import tr
from gui.theme import GAP, GAP_L, GAP_S
from gui.widgets.labels import caption

if TYPE_CHECKING:
    from gui.pages.wire.page import WirePage

SIZES: Final = (680, 480)
SIZES_LEFT: Final = (400, 200)


def lay_out(page: WirePage) -> None:
    """Bench and buttons above; picture and instruments left, text right."""
    left = _splitter(Qt.Orientation.Vertical, (_card(page.picture), page.instruments), SIZES_LEFT)
    left.setStretchFactor(0, 1)
    right = QWidget()
    column = QVBoxLayout(right)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(GAP)
    column.addWidget(page.editor, 1)
    column.addWidget(page.message)
    body = _splitter(Qt.Orientation.Horizontal, (left, right), SIZES)
    for at, size in enumerate(SIZES):
        body.setStretchFactor(at, size)
    whole = QVBoxLayout(page)
    whole.setContentsMargins(GAP_L, GAP, GAP_L, GAP)
    whole.setSpacing(GAP)
    whole.addLayout(_bar(page))
    whole.addWidget(body, 1)


def _bar(page: WirePage) -> QHBoxLayout:
    name = caption(tr("Bench"))
    name.setBuddy(page.benches)
    choice = QVBoxLayout()
    choice.setSpacing(GAP_S // 2)
    choice.addWidget(name)
    choice.addWidget(page.benches)
    bar = QHBoxLayout()
    bar.setSpacing(GAP)
    bar.addLayout(choice)
    bar.addSpacing(GAP)
    bar.addWidget(page.heading, 1, Qt.AlignmentFlag.AlignBottom)
    menu = page.menu
    for action in (menu.listen, menu.open, menu.save, menu.use):
        bar.addWidget(_button(action), 0, Qt.AlignmentFlag.AlignBottom)
    return bar


def _splitter(along: Qt.Orientation, parts: Sequence[QWidget], sizes: Sequence[int]) -> QSplitter:
    splitter = QSplitter(along)
    for part in parts:
        splitter.addWidget(part)
    splitter.setSizes(list(sizes))
    splitter.setHandleWidth(GAP)
    splitter.setChildrenCollapsible(False)
    return splitter


def _card(widget: QWidget) -> QFrame:
    card = QFrame()
    card.setObjectName("card")
    column = QVBoxLayout(card)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(widget)
    return card


def _button(action: QAction) -> QPushButton:
    """A button that does what the action does, and can be pressed when it can."""
    button = QPushButton(action.text().replace("&", ""))
    button.setToolTip(action.toolTip())
    button.clicked.connect(lambda _checked=False: action.trigger())
    action.enabledChanged.connect(button.setEnabled)
    action.changed.connect(lambda: button.setText(action.text().replace("&", "")))
    return button
