# SPDX-License-Identifier: GPL-3.0-or-later
"""Colors of the diagrams, on their own light ground."""

from typing import Final

PAPER: Final = "#ffffff"
BOX: Final = "#f4f5f7"
LINE: Final = "#aab2bd"
INK: Final = "#1c2430"
DIM: Final = "#5b6675"
WARN: Final = "#8a5a00"
BAD: Final = "#b3261e"
