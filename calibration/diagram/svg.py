# SPDX-License-Identifier: GPL-3.0-or-later
"""SVG elements as text. Numbers are rounded, so that the same picture is the same file."""

from __future__ import annotations

from collections.abc import Iterable

from rig.printable import html_text

Number = int | float
Point = tuple[Number, Number]


def element(name: str, *children: str, **attributes: str | Number) -> str:
    """One element; an underscore in an attribute's name is a hyphen, one at its end is dropped."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
    )
    inner = "".join(children)
    return f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>"


def text(x: Number, y: Number, words: str, **attributes: str | Number) -> str:
    """One line of text; x and y are the left end of its baseline, unless anchored otherwise."""
    return element("text", html_text(words, quote=False), x=x, y=y, **attributes)


def span(words: str, **attributes: str | Number) -> str:
    """A part of a line of text with a look of its own."""
    return element("tspan", html_text(words, quote=False), **attributes)


def rectangle(x: Number, y: Number, width: Number, height: Number, **more: str | Number) -> str:
    """A box with round corners."""
    return element("rect", x=x, y=y, width=width, height=height, rx=6, **more)


def polyline(points: Iterable[Point], **attributes: str | Number) -> str:
    """Straight lines from point to point."""
    pairs = " ".join(f"{_value(x)},{_value(y)}" for x, y in points)
    return element("polyline", points=pairs, fill="none", **attributes)


def document(width: Number, height: Number, title: str, *children: str) -> str:
    """The whole file."""
    body = "\n".join(children)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_value(width)} {_value(height)}" '
        f'width="{_value(width)}" height="{_value(height)}" role="img" '
        'font-family="Inter, Helvetica, Arial, sans-serif" font-size="13">\n'
        f"<title>{html_text(title, quote=False)}</title>\n{body}\n</svg>\n"
    )


def _value(value: str | Number) -> str:
    if isinstance(value, str):
        return html_text(value)
    rounded = round(value, 2)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)
