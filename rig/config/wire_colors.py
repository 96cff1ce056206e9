# SPDX-License-Identifier: GPL-3.0-or-later
"""The colors that wires have on the bench, for pictures."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

WIRE_HUES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
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
)
"""#rrggbb."""
CHANNEL_COLORS: Final = (
    # Ribbon cables and analyzers' leads use the resistor code; D0 is often black.
    "brown", "red", "orange", "yellow", "green", "blue", "violet", "gray",
)  # fmt: skip
"""Color of a wire on each channel, if nobody says otherwise."""


def wire_hue(color: str, channel: int, *, dark: bool = False) -> str:
    """#rrggbb of a wire: its own color if it is one we know, else by its analyzer channel."""
    name = color.strip().lower()
    if name not in WIRE_HUES:
        name = CHANNEL_COLORS[channel % len(CHANNEL_COLORS)]
    return WIRE_HUES[name][dark]
