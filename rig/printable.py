# SPDX-License-Identifier: GPL-3.0-or-later
r"""Text from outside, shown so that it cannot act: on a terminal, in a page, in a window.

Files, serial replies, agents, environments and names of files may hold anything. Control characters
move a terminal's cursor or change what it showed before; bidirectional and other format characters
make a text look like another one; surrogates, which stand for bytes that are not UTF-8 in names of
files, cannot be written at all. Each is shown as the escape that Python has for it: `\x1b`.
"""

from __future__ import annotations

import html
import json
import math
import re
import unicodedata
from typing import Any

_LINE_BREAKS = "\n\t"
_NOT_XML = re.compile("[^\t\n\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str, keep: str = "") -> str:
    """One line in which every control, format, surrogate or private character is escaped.

    Spaces of every width stay as they are, and so does every character in `keep`.
    """
    rest = text
    for character in keep:
        rest = rest.replace(character, "")
    if rest.isprintable():
        return text
    return "".join(c if _is_plain(c) or c in keep else ascii(c)[1:-1] for c in text)


def printable_lines(text: str) -> str:
    """Escape a text of several lines: line breaks and tabs stay."""
    return printable(text, _LINE_BREAKS)


def xml_text(text: str) -> str:
    """Escape a text for an XML 1.0 document, which cannot hold every other character either."""
    return _NOT_XML.sub("\ufffd", printable_lines(text))


def html_text(text: str, *, quote: bool = True) -> str:
    """Escape a text for HTML and SVG, without markup; `quote`: for an attribute's value too."""
    return html.escape(xml_text(text), quote)  # noqa: TID251 - the one place


def json_text(value: object, **layout: Any) -> str:
    """A JSON document in ASCII without control characters; numbers that are not finite are null.

    `layout`: `indent` and `sort_keys`, as of json.dumps.
    """
    try:
        text = json.dumps(value, allow_nan=False, **layout)
    except ValueError:
        text = json.dumps(_finite(value), allow_nan=False, **layout)
    return text.replace("\x7f", "\\u007f")


def _is_plain(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


def _finite(value: object) -> object:
    """JSON (RFC 8259) has no word for infinity and for what is no number."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
