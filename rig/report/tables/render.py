# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as text: for a terminal, the browser, spreadsheets, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from rig.document import ReportDocument, TextTable, section
from rig.printable import printable
from rig.report.console import SafeConsole
from rig.report.page import page_of
from rig.report.terminal import aligned

_LATEX: Final = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}  # fmt: skip


def _notes_once(tables: Sequence[TextTable]) -> list[TextTable]:
    """Return tables with a note of several only below the last. LaTeX's float, and keep theirs."""
    last = {note: place for place, table in enumerate(tables) for note in table.notes}
    return [
        replace(table, notes=tuple(note for note in table.notes if last[note] == place))
        for place, table in enumerate(tables)
    ]


def _plain(table: TextTable) -> TextTable:
    """Return the table with every text in one line without control characters."""

    def line(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(printable, texts))

    return replace(
        table,
        title=printable(table.title),
        head=line(table.head),
        rows=tuple(map(line, table.rows)),
        notes=line(table.notes),
    )


def rendered(tables: Sequence[TextTable], form: str) -> str:
    """Return all tables as one text; `form` is one of FORMATS."""
    return FORMATS[form](list(map(_plain, tables)))


def terminal(tables: Sequence[TextTable]) -> str:
    """Return plain text, each table as wide as it must be."""
    stream = io.StringIO()
    console = SafeConsole(file=stream, width=10_000)
    for table in _notes_once(tables):
        console.print(table.title)
        for line in aligned([table.head, *table.rows], table.numbers):
            stream.write("  ".join(line) + "\n")
        for note in table.notes:
            console.print(note, soft_wrap=True)
        console.print()
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def page(tables: Sequence[TextTable]) -> str:
    """Return one HTML page that needs nothing else."""
    sections = (section("table", table.title, table, table.plot) for table in _notes_once(tables))
    return page_of([ReportDocument("Tables", "", tuple(chain(*sections)))])


def comma_separated(tables: Sequence[TextTable]) -> str:
    """Return all tables below each other, each with its head; the table's title is column 1.

    Cells that a spreadsheet would take for a formula begin with an apostrophe.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for table in tables:
        writer.writerow(["table", *table.head])
        for row in table.rows:
            writer.writerow([table.title, *map(_no_formula, row)])
    return stream.getvalue()


def _no_formula(text: str) -> str:
    if text == "-":
        return ""
    risky = text[:1] in ("=", "+", "@") or (text[:1] == "-" and not text[1:2].isdigit())
    return f"'{text}" if risky else text


def latex(tables: Sequence[TextTable]) -> str:
    """Return a table environment for each, of LaTeX's own commands only."""
    return "\n".join(map(_latex, tables))


def _latex(table: TextTable) -> str:
    columns = "".join("r" if c in table.numbers else "l" for c in range(len(table.head)))
    rows = [" & ".join(map(_escaped, row)) + r" \\" for row in table.rows]
    notes = [rf"\par\footnotesize {_escaped(note)}" for note in table.notes]
    return "\n".join([
        r"\begin{table}", r"\centering", rf"\caption{{{_escaped(table.title)}}}",
        rf"\begin{{tabular}}{{{columns}}}", r"\hline",
        " & ".join(map(_escaped, table.head)) + r" \\", r"\hline", *rows, r"\hline",
        r"\end{tabular}", *notes, r"\end{table}", "",
    ])  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def markdown(tables: Sequence[TextTable]) -> str:
    """Return tables as GitHub and Pandoc read them."""
    return "\n".join(map(_markdown, _notes_once(tables)))


def _markdown(table: TextTable) -> str:
    rules = ["---:" if c in table.numbers else "---" for c in range(len(table.head))]
    lines = [[_piped(cell) for cell in row] for row in (table.head, *table.rows)]
    lines.insert(1, rules)
    body = [f"| {' | '.join(line)} |" for line in lines]
    notes = [text for note in table.notes for text in ("", _piped(note))]
    return "\n".join([f"## {_piped(table.title)}", "", *body, *notes, ""])


def _piped(text: str) -> str:
    for c in "\\|<`*_[":
        text = text.replace(c, f"\\{c}")
    return text


FORMATS: Final[Mapping[str, Callable[[Sequence[TextTable]], str]]] = {
    "terminal": terminal,
    "html": page,
    "csv": comma_separated,
    "latex": latex,
    "markdown": markdown,
}
