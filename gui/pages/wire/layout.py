# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of the Wire page stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from gui.pages.wire.labels import tr
from gui.theme import GAP, GAP_L, GAP_S
from gui.widgets.labels import caption

SIZES: Final = (680, 480)
SIZES_LEFT: Final = (400, 200)


@dataclass(frozen=True)
class WireWidgets:
    """The parts of the page."""

    benches: QWidget
    heading: QWidget
    picture: QWidget
    instruments: QWidget
    editor: QWidget
    message: QWidget
    """Below the editor: what is wrong in the text, or that nothing is."""


def layout(parts: WireWidgets, buttons: Sequence[QPushButton]) -> QLayout:
    """Bench and buttons above; picture and instruments left, text right."""
    left = _splitter(Qt.Orientation.Vertical, (_card(parts.picture), parts.instruments), SIZES_LEFT)
    left.setStretchFactor(0, 1)
    right = QWidget()
    column = QVBoxLayout(right)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(GAP)
    column.addWidget(parts.editor, 1)
    column.addWidget(parts.message)
    body = _splitter(Qt.Orientation.Horizontal, (left, right), SIZES)
    for at, size in enumerate(SIZES):
        body.setStretchFactor(at, size)
    whole = QVBoxLayout()
    whole.setContentsMargins(GAP_L, GAP, GAP_L, GAP)
    whole.setSpacing(GAP)
    whole.addLayout(_bar(parts, buttons))
    whole.addWidget(body, 1)
    return whole


def _bar(parts: WireWidgets, buttons: Sequence[QPushButton]) -> QHBoxLayout:
    name = caption(tr("Bench"))
    name.setBuddy(parts.benches)
    choice = QVBoxLayout()
    choice.setSpacing(GAP_S // 2)
    choice.addWidget(name)
    choice.addWidget(parts.benches)
    bar = QHBoxLayout()
    bar.setSpacing(GAP)
    bar.addLayout(choice)
    bar.addSpacing(GAP)
    bar.addWidget(parts.heading, 1, Qt.AlignmentFlag.AlignBottom)
    for button in buttons:
        bar.addWidget(button, 0, Qt.AlignmentFlag.AlignBottom)
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
