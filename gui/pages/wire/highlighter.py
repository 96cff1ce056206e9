# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors of a fixture's text: tables stand out, comments step back."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression
from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat, QTextDocument

from gui.theme import theme

_TABLE = QRegularExpression(r"^\s*\[.*")
_KEY = QRegularExpression(r"^\s*[A-Za-z0-9_.-]+(?=\s*=)")
_COMMENT = QRegularExpression(r"""^(?:[^"'#]|"(?:[^"\\]|\\.)*"|'[^']*')*(#.*)$""")


class TomlHighlighter(QSyntaxHighlighter):
    """Line by line: no value of a fixture needs two."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        theme().changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:  # noqa: N802 - Qt's name
        colors = theme().palette
        for pattern, group, color, weight in (
            (_KEY, 0, colors.ink, QFont.Weight.Normal),
            (_TABLE, 0, colors.accent, QFont.Weight.DemiBold),
            (_COMMENT, 1, colors.dim, QFont.Weight.Normal),
        ):
            found = pattern.match(text)
            if found.hasMatch():
                form = QTextCharFormat()
                form.setForeground(QColor(color))
                form.setFontWeight(weight)
                at, end = found.capturedStart(group), found.capturedEnd(group)
                self.setFormat(at, end - at, form)
