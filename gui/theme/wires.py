# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires in the colors they have on the bench."""

from __future__ import annotations

from typing import Final

from gui.theme.palette import Palette

_COLORS: Final = {
    # name: on light ground, on dark ground; black and white stay visible on either
    "black": ("#1c2430", "#8b94a1"),
    "brown": ("#7a4a22", "#b9825a"),
    "red": ("#c62828", "#f2605a"),
    "orange": ("#d9730d", "#f29a3f"),
    "yellow": ("#b89500", "#ecd04a"),
    "green": ("#2e7d32", "#62bd6a"),
    "blue": ("#1e5fb4", "#5d9df0"),
    "violet": ("#7b3fb0", "#b58ae6"),
    "purple": ("#7b3fb0", "#b58ae6"),
    "gray": ("#68717d", "#a5aeba"),
    "grey": ("#68717d", "#a5aeba"),
    "white": ("#9aa3ae", "#f0f2f5"),
}
_BY_CHANNEL: Final = (
    # Ribbon cables and analyzers' leads use the resistor code; D0 is often black.
    "brown", "red", "orange", "yellow", "green", "blue", "violet", "gray",
)  # fmt: skip


def wire_color(color: str, channel: int, palette: Palette) -> str:
    """#rrggbb of a wire: its own color if the fixture names one we know, else by its channel."""
    name = color.strip().lower()
    if name not in _COLORS:
        name = _BY_CHANNEL[channel % len(_BY_CHANNEL)]
    return _COLORS[name][palette.dark]
