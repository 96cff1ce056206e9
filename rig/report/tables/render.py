# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as text: for a terminal, the browser, spreadsheets, LaTeX and Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Final

from rich.cells import cell_len

from rig.printable import html_text, printable
from rig.report.console import SafeConsole
from rig.report.page_style import STYLE
from rig.report.sections import html
from rig.report.tables.shapes import Grid

_LATEX: Final = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}  # fmt: skip


def is_number(grid: Grid, column: int) -> bool:
    """Whether a column is aligned to the right."""
    return grid.names <= column < len(grid.head) - grid.remarks


def _notes_once(grids: Sequence[Grid]) -> list[Grid]:
    """A note of several tables stands below the last of them. LaTeX's float, and keep theirs."""
    last = {note: place for place, grid in enumerate(grids) for note in grid.notes}
    return [
        replace(grid, notes=tuple(note for note in grid.notes if last[note] == place))
        for place, grid in enumerate(grids)
    ]


def _plain(grid: Grid) -> Grid:
    """The same with every text in one line without control characters."""

    def line(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(printable, texts))

    return replace(
        grid,
        title=printable(grid.title),
        head=line(grid.head),
        rows=tuple(map(line, grid.rows)),
        notes=line(grid.notes),
    )


def rendered(grids: Sequence[Grid], form: str) -> str:
    """All tables as one text; `form` is one of FORMATS."""
    return FORMATS[form](list(map(_plain, grids)))


def terminal(grids: Sequence[Grid]) -> str:
    """Plain text, each table as wide as it must be."""
    stream = io.StringIO()
    console = SafeConsole(file=stream, width=10_000)
    for grid in _notes_once(grids):
        console.print(grid.title)
        stream.write(_aligned(grid))
        for note in grid.notes:
            console.print(note, soft_wrap=True)
        console.print()
    return "".join(f"{line.rstrip()}\n" for line in stream.getvalue().splitlines())


def _aligned(grid: Grid) -> str:
    """Head and rows, two spaces between columns; a table of rich takes a second for 1,000 rows."""
    lines = [grid.head, *grid.rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]

    def cell(column: int, text: str) -> str:
        space = " " * (widths[column] - cell_len(text))
        return space + text if is_number(grid, column) else text + space

    return "".join("  ".join(map(cell, count(), line)) + "\n" for line in lines)


def page(grids: Sequence[Grid]) -> str:
    """One HTML page that needs nothing else."""
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Tables</title><style>{STYLE}</style></head><body><h1>Tables</h1>",
    ]
    for grid in _notes_once(grids):
        numbers = [c for c in range(len(grid.head)) if is_number(grid, c)]
        parts += [f"<h2>{html_text(grid.title)}</h2>", html.table(grid.head, grid.rows, numbers)]
        parts += map(html.note, grid.notes)
    return "\n".join([*parts, "</body></html>\n"])


def comma_separated(grids: Sequence[Grid]) -> str:
    """All tables below each other, each with its head; the first column is the table's title.

    Cells that a spreadsheet would take for a formula begin with an apostrophe.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    for grid in grids:
        writer.writerow(["table", *grid.head])
        for row in grid.rows:
            writer.writerow([grid.title, *map(_no_formula, row)])
    return stream.getvalue()


def _no_formula(text: str) -> str:
    if text == "-":
        return ""
    risky = text[:1] in ("=", "+", "@") or (text[:1] == "-" and not text[1:2].isdigit())
    return f"'{text}" if risky else text


def latex(grids: Sequence[Grid]) -> str:
    """A table environment each, of LaTeX's own commands only."""
    return "\n".join(map(_latex, grids))


def _latex(grid: Grid) -> str:
    columns = "".join("r" if is_number(grid, c) else "l" for c in range(len(grid.head)))
    rows = [" & ".join(map(_escaped, row)) + r" \\" for row in grid.rows]
    notes = [rf"\par\footnotesize {_escaped(note)}" for note in grid.notes]
    return "\n".join([
        r"\begin{table}", r"\centering", rf"\caption{{{_escaped(grid.title)}}}",
        rf"\begin{{tabular}}{{{columns}}}", r"\hline",
        " & ".join(map(_escaped, grid.head)) + r" \\", r"\hline", *rows, r"\hline",
        r"\end{tabular}", *notes, r"\end{table}", "",
    ])  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def markdown(grids: Sequence[Grid]) -> str:
    """Tables as GitHub and Pandoc read them."""
    return "\n".join(map(_markdown, _notes_once(grids)))


def _markdown(grid: Grid) -> str:
    rules = ["---:" if is_number(grid, c) else "---" for c in range(len(grid.head))]
    lines = [[_piped(cell) for cell in row] for row in (grid.head, *grid.rows)]
    lines.insert(1, rules)
    body = [f"| {' | '.join(line)} |" for line in lines]
    notes = [text for note in grid.notes for text in ("", _piped(note))]
    return "\n".join([f"## {_piped(grid.title)}", "", *body, *notes, ""])


def _piped(text: str) -> str:
    for c in "\\|<`*_[":
        text = text.replace(c, f"\\{c}")
    return text


FORMATS: Final[Mapping[str, Callable[[Sequence[Grid]], str]]] = {
    "terminal": terminal,
    "html": page,
    "csv": comma_separated,
    "latex": latex,
    "markdown": markdown,
}
