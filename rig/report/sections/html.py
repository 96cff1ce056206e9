# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces of HTML that the sections share. All text from outside is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rig.printable import html_text


def section(title: str, *parts: str) -> str:
    """A heading and what is below it; "" if there is nothing."""
    body = "\n".join(part for part in parts if part)
    return f"<h2>{html_text(title)}</h2>\n{body}" if body else ""


def note(text: str) -> str:
    """A paragraph in small type."""
    return f'<p class="note">{html_text(text)}</p>' if text else ""


def figure(svg: str, caption: str = "") -> str:
    """A plot with its caption; "" without a plot."""
    if not svg:
        return ""
    below = f"<figcaption>{html_text(caption)}</figcaption>" if caption else ""
    return f"<figure>{svg}{below}</figure>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Rows of text; columns in `numbers` are aligned to the right."""

    def cells(row: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}{' class=number' if place in numbers else ''}>{html_text(text)}</{tag}>"
            for place, text in enumerate(row)
        )

    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    top = f"<thead><tr>{cells(head, 'th')}</tr></thead>" if head else ""
    return f'<div class="scroll"><table>{top}<tbody>{body}</tbody></table></div>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values; "" for none."""
    body = "".join(f"<tr><th>{html_text(n)}</th><td>{html_text(v)}</td></tr>" for n, v in rows)
    return f'<table class="facts">{body}</table>' if body else ""


def bullets(items: Iterable[str]) -> str:
    """A list; "" for none."""
    body = "".join(f"<li>{html_text(item)}</li>" for item in items)
    return f"<ul>{body}</ul>" if body else ""
