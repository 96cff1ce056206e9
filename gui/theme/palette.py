# SPDX-License-Identifier: GPL-3.0-or-later
"""The colors, light and dark. One accent; the other hues say something or are wires."""

from __future__ import annotations

from dataclasses import dataclass

from rig.config.wire_colors import wire_hue


@dataclass(frozen=True)
class Palette:
    """Colors as #rrggbb."""

    dark: bool
    window: str
    """Behind everything."""
    panel: str
    """Plots, tables, fields."""
    raised: str
    """Buttons and what is chosen."""
    line: str
    """Hairlines and borders."""
    grid: str
    """Within plots: fainter than a line."""
    ink: str
    """Text."""
    dim: str
    """Captions, axes; 4.5:1 against `window` and `panel`."""
    accent: str
    """What can be pressed, and the measured curve."""
    accent_ink: str
    """Text on accent."""
    good: str
    warn: str
    """Late, merged, a doubt."""
    bad: str
    """Missed, lost, over a limit."""


LIGHT = Palette(
    dark=False,
    window="#f4f5f7",
    panel="#ffffff",
    raised="#e8ebef",
    line="#d3d8df",
    grid="#eceff3",
    ink="#1c2430",
    dim="#5b6675",
    accent="#1f66b0",
    accent_ink="#ffffff",
    good="#1a7f4b",
    warn="#8a5a00",
    bad="#b3261e",
)

DARK = Palette(
    dark=True,
    window="#14181e",
    panel="#1b2027",
    raised="#2a313b",
    line="#343c47",
    grid="#262d36",
    ink="#e6eaf0",
    dim="#9aa5b4",
    accent="#63a4ea",
    accent_ink="#0d1116",
    good="#4cc38a",
    warn="#e3b341",
    bad="#ff7b72",
)


def wire_color(color: str, channel: int, palette: Palette) -> str:
    """#rrggbb of a wire: its own color if the fixture names one we know, else by its channel."""
    return wire_hue(color, channel, dark=palette.dark)
