# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of an HTML page and of a rich text, as rows of cells of plain text."""

from __future__ import annotations

from html.parser import HTMLParser

from PySide6.QtGui import QTextTable


class Tables(HTMLParser):
    """The tables of a page: rows of cells of plain text."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag, _attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = []
        elif tag == "br" and self._cell is not None:
            self._cell.append(" ")

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1][-1].append(plain("".join(self._cell)))
            self._cell = None

    def handle_data(self, data):
        if self._cell is not None:
            self._cell.append(data)


def plain(text: str) -> str:
    return " ".join(text.split())


def shown_tables(document) -> list[list[list[str]]]:
    """Those of a QTextDocument, likewise."""
    found = [f for f in document.rootFrame().childFrames() if isinstance(f, QTextTable)]
    return [
        [[cell_text(t, r, c) for c in range(t.columns())] for r in range(t.rows())] for t in found
    ]


def cell_text(table, row, column) -> str:
    cell = table.cellAt(row, column)
    cursor = cell.firstCursorPosition()
    cursor.setPosition(cell.lastCursorPosition().position(), cursor.MoveMode.KeepAnchor)
    return plain(cursor.selectedText().replace("\u2028", " ").replace("\u2029", " "))


def even(tables):
    """Rows as long as the longest of their table, as a grid has them."""
    widths = [max(map(len, table)) for table in tables]
    return [
        [row + [""] * (width - len(row)) for row in table]
        for table, width in zip(tables, widths, strict=True)
    ]


def folded(tables):
    """As the window's narrow column has them: a single row of many figures as two halves."""
    return [_halves(t) if len(t) == 2 and len(t[0]) > 7 else t for t in tables]


def _halves(table):
    half = -(-len(table[0]) // 2)
    return [row[part] for part in (slice(half), slice(half, None)) for row in table]
