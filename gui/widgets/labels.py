# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of the kinds that the style sheet knows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel


def caption(text: str = "") -> QLabel:
    """What stands above a figure, a field or a plot."""
    return _named(QLabel(text), "caption")


def dim(text: str = "") -> QLabel:
    """What is there but not to be looked at first."""
    return _named(QLabel(text), "dim")


def centered(text: str = "") -> QLabel:
    """What stands in place of something that is not there, to be read and copied."""
    label = dim(text)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _named(label: QLabel, name: str) -> QLabel:
    label.setObjectName(name)
    return label
