# SPDX-License-Identifier: GPL-3.0-or-later
"""Tool tips of text from outside."""

from __future__ import annotations

from rig.printable import html_text, printable_lines


def tool_tip(text: str) -> str:
    """The text as a tool tip shows it: Qt takes for markup what looks like it."""
    if "<" not in text:
        return printable_lines(text)
    return f'<p style="white-space:pre-wrap">{html_text(text)}</p>'
