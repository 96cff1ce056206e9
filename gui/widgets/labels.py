# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels of the kinds that the style sheet has."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel  # noqa: TID251 - the one place

from rig.printable import printable_lines


class PlainLabel(QLabel):
    """A label of a text as it is: markup stays text, control characters are escaped."""

    def __init__(self, text: str = "", **properties: Any) -> None:
        super().__init__(**properties)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802 - Qt's name
        """Show one or more lines."""
        super().setText(printable_lines(text))


class RichLabel(QLabel):
    """A label of markup, in which text from outside went through `rig.printable.html_text`."""


def caption(text: str = "") -> PlainLabel:
    """Return the label above a figure, a field or a plot."""
    return _named(PlainLabel(text), "caption")


def dim(text: str = "") -> PlainLabel:
    """Return the label of what is there but not to be looked at first."""
    return _named(PlainLabel(text), "dim")


def centered(text: str = "") -> PlainLabel:
    """Return the label in place of something that is not there, to be read and copied."""
    label = dim(text)
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _named(label: PlainLabel, name: str) -> PlainLabel:
    label.setObjectName(name)
    return label
