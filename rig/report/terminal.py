# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports in the terminal: each block as text in color."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from rig.document import (
    Block,
    Checks,
    Conclusion,
    Fact,
    Facts,
    Folded,
    Heading,
    Items,
    Note,
    Plot,
    ReportDocument,
    TextTable,
    Tone,
    Values,
    tone_of,
)
from rig.printable import printable
from rig.report.console import SafeConsole

REASON_LIMIT: Final = 12
_RUN: Final = "run"
_LAST: Final = ("limits", "witnesses")
"""Sections that are at another place than on a page: what is judged is nearest to the prompt."""
_COLUMNS: Final = 6
"""Number of values beside each other: with `_VALUE` letters each, 80 columns suffice."""
_VALUE: Final = 10
_STYLES: Final = {
    Tone.PLAIN: "",
    Tone.GOOD: "green",
    Tone.WARN: "bold yellow",
    Tone.BAD: "bold red",
}
_NAME: Final = 12
_WIDE: Final = 130
"""Width of a table in what is no terminal."""
_TEXT_MIN: Final = 24
"""Least width in which a text is broken into lines beside what is before it."""


def print_report(console: SafeConsole, document: ReportDocument) -> None:
    """Print the sections without details and plots, and the verdict last."""
    console.print(Text(document.title, style="bold"))
    if document.subtitle and document.section(_RUN) is None:
        _line(console, Text("  "), document.subtitle)
    sections = sorted(
        (each for each in document.sections if not each.is_detail),
        key=lambda each: (each.name in _LAST) - (each.name == _RUN),
    )
    for section in sections:
        blocks = _printed(section.blocks)
        if not blocks:
            continue
        if section.name != _RUN:
            console.print(Text(section.title, style="bold"), soft_wrap=True)
        for number, block in enumerate(blocks):
            if number and isinstance(block, Heading | TextTable):
                console.print()
            _print(console, block)
        console.print()
    if document.conclusion is not None:
        _print_conclusion(console, document.conclusion)
    if document.source is not None:
        console.print(f"{document.source.name}: {document.source.text}", soft_wrap=True)


def _printed(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks that are text, without headings that nothing of it is below."""
    text = [block for block in blocks if not isinstance(block, Plot | Folded)]
    return [
        block
        for block, below in zip_longest(text, text[1:])
        if not isinstance(block, Heading) or not isinstance(below, Heading | None)
    ]


def _print(console: SafeConsole, block: Block) -> None:
    match block:
        case Heading(text=text):
            console.print(Text(text, style="italic"), soft_wrap=True)
        case Note(text=text):
            _line(console, Text("  "), text)
        case Items(lines=lines):
            for line in lines:
                _line(console, Text("  - "), line)
        case Facts(rows=facts):
            _print_facts(console, facts)
        case Checks(rows=rows):
            _print_checks(console, rows)
        case Values(rows=values):
            (_print_inline if block.inline else _print_values)(console, values)
        case TextTable():
            _print_table(console, block)


def _line(console: SafeConsole, start: Text, text: str, width: int | None = None) -> None:
    """Print a text after the start of its first line, broken between words where a terminal ends.

    `width`: in which to break it. Without one, what is no terminal gets one line, for searches.
    """
    if width is None and console.is_terminal:
        width = console.width
    lead = cell_len(start.plain)
    room = (width or 0) - lead
    lines = [text]
    if room >= _TEXT_MIN:
        lines = [line.plain.rstrip() for line in Text(printable(text)).wrap(console, room)]
    for number, line in enumerate(lines or [""]):
        shown = start.copy() if not number else Text(" " * lead)
        shown.append(line, style="default").rstrip()
        console.print(shown, soft_wrap=True)


def _print_facts(console: SafeConsole, rows: Sequence[Fact]) -> None:
    longest = max(len(row.name) for row in rows)
    width = _NAME if longest < _NAME else longest + 2
    before = None
    for row in rows:
        name = "" if row.name == before else row.name
        _line(console, Text(f"  {name:<{width}}", style="default"), row.text)
        before = row.name


def _print_checks(console: SafeConsole, rows: Sequence[tuple[str, str, str]]) -> None:
    for mark, title, text in rows:
        start = Text(f"  {mark:<{_NAME}}", style=_STYLES[tone_of(mark)])
        _line(console, start, f"{title}: {text}")


def _print_inline(console: SafeConsole, rows: Sequence[Fact]) -> None:
    """Print names before their values; what should not have occurred has its color."""
    parts = (Text(f"{row.name} {row.text}", style=_STYLES[tone_of(row.text)]) for row in rows)
    console.print(Text("  ").append_text(Text("  ").join(parts)), soft_wrap=True)


def _print_values(console: SafeConsole, rows: Sequence[Fact]) -> None:
    """Print names above their values."""
    for first in range(0, len(rows), _COLUMNS):
        part = rows[first : first + _COLUMNS]
        names = tuple(f"{row.name:>{_VALUE}}" for row in part)
        values = tuple(row.text for row in part)
        _print_table(console, TextTable(names, (values,), range(len(part))))


def _print_table(console: SafeConsole, table: TextTable) -> None:
    some = table.rows if table.few is None else [table.rows[at] for at in table.few]
    rows = [row for row in (table.head, *some) if row]
    for row, cells in zip(rows, aligned(rows, table.numbers), strict=True):
        start, last = Text("  "), len(cells) - 1
        for column, (text, cell) in enumerate(zip(cells, row, strict=True)):
            if column < last or column in table.numbers:
                start.append(text, style=_STYLES[tone_of(cell)]).append("  ")
        width = console.width if console.is_terminal else _WIDE
        _line(console, start, "" if last in table.numbers else cells[last], width)


def _print_conclusion(console: SafeConsole, found: Conclusion) -> None:
    style = "bold " + _STYLES[found.tone].removeprefix("bold ")
    _line(console, Text(f"{found.word.upper()}  ", style=style), found.meaning)
    for reason in found.reasons[:REASON_LIMIT]:
        _line(console, Text("  - "), reason)
    more = len(found.reasons) - REASON_LIMIT
    if more > 0:
        console.print(f"  - and {more} more, in the run file")


def aligned(rows: Sequence[Sequence[str]], numbers: range) -> Iterator[list[str]]:
    """Yield cells as wide as their columns; a table of rich takes a second for 1,000 rows."""
    cells = [[*map(printable, row)] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        spaces = [" " * (width - cell_len(text)) for width, text in zip(widths, line, strict=True)]
        yield [
            space + text if column in numbers else text + space
            for column, (space, text) in enumerate(zip(spaces, line, strict=True))
        ]
