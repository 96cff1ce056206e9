# SPDX-License-Identifier: GPL-3.0-or-later
"""Wiring of a bench, drawn as SVG from the descriptions of its boards."""

from calibration.diagram.wiring import wiring_svg

__all__ = ["wiring_svg"]
