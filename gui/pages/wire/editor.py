# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixture's text, with numbers of lines and a mark at the line of an error."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from gui.pages.wire.highlighter import TomlHighlighter
from gui.theme import GAP, theme

POINTS_LESS: Final = 0.5
"""The points that the fixed font is smaller: it looks larger than others of its size."""
BAR: Final = 3


class FixtureEditor(QPlainTextEdit):
    """An editor of plain text; Tab goes to the next part of the page."""

    line_entered = Signal(int)
    """The line that the cursor came to, from 1."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPointSizeF(self.font().pointSizeF() - POINTS_LESS)
        self.setFont(font)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setCornerWidget(QWidget())  # else a white square
        self.setAccessibleName(self.tr("Text of the fixture"))
        self._highlighter = TomlHighlighter(self.document())
        self._numbers = _Numbers(self)
        self._error_line: int | None = None
        self._line = 1
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_numbers)
        self.cursorPositionChanged.connect(self._moved)
        theme().changed.connect(self._mark)
        self._make_room()

    @property
    def text(self) -> str:
        """The text as it would be stored, with "\\n" at the ends of lines."""
        # toPlainText() would make plain spaces of those that do not break.
        return self.document().toRawText().replace("\u2029", "\n")

    @property
    def error_line(self) -> int | None:
        """The line that is marked, from 1."""
        return self._error_line

    def load(self, text: str) -> None:
        """Load another text; nothing of the one before can be brought back by undo."""
        self.setPlainText(text)
        self.document().setModified(False)
        # What an editor of paragraphs cannot hold must not be lost by saving.
        self.setReadOnly(self.text != text)

    def replace(self, text: str) -> None:
        """Take the text after a change from outside, which undo takes back; stay near the line."""
        cursor = self.textCursor()
        line = self._line
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.go_to(line)

    def go_to(self, line: int) -> None:
        """Put the cursor at the beginning of this line, from 1, and show it."""
        block = self.document().findBlockByNumber(max(0, line - 1))
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()

    def mark_error(self, line: int | None) -> None:
        """Mark this line, from 1; None for no line."""
        self._error_line = line
        self._mark()

    def _mark(self) -> None:
        marks: list[QTextEdit.ExtraSelection] = []
        if self._error_line is not None:
            block = self.document().findBlockByNumber(self._error_line - 1)
            if block.isValid():
                mark = QTextEdit.ExtraSelection()
                ground = QColor(theme().palette.bad)
                ground.setAlpha(42)
                mark.format.setBackground(ground)
                full = QTextFormat.Property.FullWidthSelection
                mark.format.setProperty(full, True)
                mark.cursor = QTextCursor(block)
                marks.append(mark)
        self.setExtraSelections(marks)
        self._numbers.update()

    def _moved(self) -> None:
        line = self.textCursor().blockNumber() + 1
        if line != self._line:
            self._line = line
            self._numbers.update()
            self.line_entered.emit(line)

    # --- numbers of lines -----------------------------------------------------------------------

    def numbers_width(self) -> int:
        """Return the width of the strip at the left, for the digits of the last line."""
        digits = max(3, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9") * digits + 2 * GAP

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._place_numbers()

    def _make_room(self) -> None:
        self.setViewportMargins(self.numbers_width(), 0, 0, 0)
        self._place_numbers()

    def _place_numbers(self) -> None:
        view = self.viewport().geometry()
        width = self.numbers_width()
        self._numbers.setGeometry(QRect(view.left() - width, view.top(), width, view.height()))

    def _scroll_numbers(self, _area: QRect, moved: int) -> None:
        if moved:
            self._numbers.scroll(0, moved)
        else:
            self._numbers.update()

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        """Paint the numbers of the lines that are seen; called by the strip."""
        colors = theme().palette
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        while block.isValid():
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if place.top() > area.bottom():
                return
            number = block.blockNumber() + 1
            is_error = number == self._error_line
            tone = colors.bad if is_error else colors.ink if number == self._line else colors.dim
            painter.setPen(QColor(tone))
            right = self._numbers.width() - GAP
            box = QRectF(0, place.top(), right, self.fontMetrics().height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight, str(number))
            if is_error:
                painter.fillRect(QRectF(0, place.top(), BAR, place.height()), QColor(colors.bad))
            block = block.next()


class _Numbers(QWidget):
    """The strip at the left of the text."""

    def __init__(self, editor: FixtureEditor) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(self._editor.numbers_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        self._editor.paint_numbers(painter, event.rect())
