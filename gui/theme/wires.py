# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires in the colors they have on the bench."""

from __future__ import annotations

from gui.theme.palette import Palette
from rig.config.wire_colors import wire_hue


def wire_color(color: str, channel: int, palette: Palette) -> str:
    """#rrggbb of a wire: its own color if the fixture names one we know, else by its channel."""
    return wire_hue(color, channel, dark=palette.dark)
