# SPDX-License-Identifier: GPL-3.0-or-later
"""The layout of the parts of the Run page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

from gui.theme import GAP, GAP_L

SIDE_WIDTH: Final = 248


@dataclass(frozen=True)
class RunWidgets:
    """The parts of the page."""

    above: Sequence[QWidget]
    """The widgets over the whole width."""
    plots: QLayout
    """The place of the plots, which are loaded later."""
    side: Sequence[QWidget]
    """The widgets at the right, the last of them with what height is left."""


def layout(parts: RunWidgets) -> QLayout:
    """Return the layout: choice and outcome above; plots left, figures and events right."""
    right = QVBoxLayout()
    right.setSpacing(GAP)
    right.setContentsMargins(0, 0, 0, 0)
    for number, widget in enumerate(parts.side, 1):
        right.addWidget(widget, int(number == len(parts.side)))
    side = QWidget()
    side.setFixedWidth(SIDE_WIDTH)
    side.setLayout(right)
    body = QHBoxLayout()
    body.setSpacing(GAP)
    body.addLayout(parts.plots, 1)
    body.addWidget(side)
    column = QVBoxLayout()
    column.setContentsMargins(GAP_L, GAP, GAP_L, GAP)
    column.setSpacing(GAP)
    for widget in parts.above:
        column.addWidget(widget)
    column.addLayout(body, 1)
    return column
