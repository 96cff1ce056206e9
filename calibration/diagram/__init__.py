# SPDX-License-Identifier: GPL-3.0-or-later
"""Wiring of a bench, drawn as SVG from the descriptions of its boards."""

from calibration.diagram.rewired import rewired_svg
from calibration.diagram.rewired_text import rewired_text
from calibration.diagram.wiring import wiring_svg

__all__ = ["rewired_svg", "rewired_text", "wiring_svg"]
