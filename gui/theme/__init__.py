# SPDX-License-Identifier: GPL-3.0-or-later
"""How the window looks: colors, spacing, icons. Pages ask here and name no color themselves."""

from gui.theme.palette import DARK, LIGHT, Palette
from gui.theme.spacing import GAP, GAP_L, GAP_S, GAP_XL
from gui.theme.theme import Theme, theme

__all__ = ["DARK", "GAP", "GAP_L", "GAP_S", "GAP_XL", "LIGHT", "Palette", "Theme", "theme"]
