# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances in device-independent pixels: multiples of one unit, so that edges line up."""

from typing import Final

GAP_S: Final = 4
GAP: Final = 8
GAP_L: Final = 16
GAP_XL: Final = 24
