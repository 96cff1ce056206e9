# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the parts of the Run page stand."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gui.theme import GAP, GAP_L

SIDE_WIDTH: Final = 248


def lay_out(page: QWidget, above: list[QWidget], side: list[QWidget]) -> QVBoxLayout:
    """`above` over the whole width, `side` at the right, the last of it with what height is left.

    Returns the place of the plots.
    """
    plots = QVBoxLayout()
    right = QVBoxLayout()
    right.setSpacing(GAP)
    right.setContentsMargins(0, 0, 0, 0)
    for number, widget in enumerate(side, 1):
        right.addWidget(widget, int(number == len(side)))
    side_widget = QWidget()
    side_widget.setFixedWidth(SIDE_WIDTH)
    side_widget.setLayout(right)
    body = QHBoxLayout()
    body.setSpacing(GAP)
    body.addLayout(plots, 1)
    body.addWidget(side_widget)
    column = QVBoxLayout(page)
    column.setContentsMargins(GAP_L, GAP, GAP_L, GAP)
    column.setSpacing(GAP)
    for widget in above:
        column.addWidget(widget)
    column.addLayout(body, 1)
    return plots
