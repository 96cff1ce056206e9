# SPDX-License-Identifier: GPL-3.0-or-later
"""A result as rich text: the sections of the report page, as a QTextBrowser can show them."""

from __future__ import annotations

import re
from collections.abc import Callable
from string import Template
from typing import Final

from gui.theme.palette import Palette
from rig.printable import html_text
from rig.session.results import Result

_SHEET: Final = Template(
    """
.h1 { font-size: 16px; font-weight: 600; margin: 0 0 2px 0; }
.h2 { font-size: 13px; font-weight: 600; margin: 18px 0 4px 0; }
.h3 { font-size: 13px; font-weight: 500; color: $dim; margin: 10px 0 2px 0; }
p { margin: 4px 0 4px 0; }
th { font-weight: normal; color: $dim; }
.sub, .note { color: $dim; }
.badge { font-weight: 600; }
.card b { font-weight: 600; }
.card span { color: $dim; }
.pass { color: $good; }
.inconclusive { color: $warn; }
.fail, .inconsistent, .incomplete, .no { color: $bad; }
"""
)
Change = str | Callable[[re.Match[str]], str]
_WIDE: Final = re.compile(
    r"<thead><tr>((?:<th[^>]*>[^<]*</th>){8,})</tr></thead>"
    r"<tbody><tr>((?:<td[^>]*>[^<]*</td>)+)</tr></tbody>"
)
"""A table of a single row that is wider than the window's column."""
_CELL: Final = re.compile(r"<t[hd][^>]*>[^<]*</t[hd]>")


def _folded(found: re.Match[str]) -> str:
    """Its left half above its right half."""
    rows = [_CELL.findall(part) for part in found.groups()]
    half = -(-len(rows[0]) // 2)
    parts = [row[part] for part in (slice(half), slice(half, None)) for row in rows]
    return "<tbody>" + "".join(f"<tr>{''.join(part)}</tr>" for part in parts) + "</tbody>"


_CHANGES: Final[tuple[tuple[re.Pattern[str], Change], ...]] = (
    (_WIDE, _folded),
    # Pictures have a place of their own in the window.
    (re.compile(r"<figure>.*?</figure>", re.DOTALL), ""),
    # The style sheets of rich text know neither the alignment of cells nor the width of tables.
    (re.compile(r'<(t[hd])((?: [a-z]+="[^"]*")*) class="?number"?>'), r'<\1\2 align="right">'),
    (re.compile(r"<th>"), '<th align="left">'),
    (re.compile(r"<table>"), '<table width="100%" cellpadding="2" cellspacing="0">'),
    (re.compile(r'<table class="[a-z]+">'), '<table cellpadding="3" cellspacing="0">'),
    # A bar is an empty box with a width, a card one that stands beside others.
    (re.compile(r'<span class="bar"[^>]*></span> ?'), ""),
    (re.compile(r"</b><span>"), "</b>&nbsp;&nbsp;<span>"),
    (re.compile(r"</?header>"), ""),
    # Headings have sizes of their own there, whatever a style sheet says.
    (re.compile(r"<(h[123])>(.*?)</\1>"), r'<p class="\1">\2</p>'),
)


def report_html(result: Result, colors: Palette, note: str = "") -> str:
    """All of it; `note` is what must be said of it first. Raises InputError for a damaged file."""
    from rig.report.page import words  # takes long to load, and the window has opened by then

    text = words(result)
    for pattern, replacement in _CHANGES:
        text = pattern.sub(replacement, text)
    sheet = _SHEET.substitute(
        {name: getattr(colors, name) for name in ("dim", "good", "warn", "bad")}
    )
    said = f'<p style="color:{colors.warn}">{html_text(note)}</p>' if note else ""
    return f"<html><head><style>{sheet}</style></head><body>{said}{text}</body></html>"
