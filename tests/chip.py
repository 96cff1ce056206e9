# SPDX-License-Identifier: GPL-3.0-or-later
"""The stimulus microcontroller of the tests."""

from __future__ import annotations

from rig.stimulus.chip import chip_named

CHIP = chip_named("atmega328p")
CLOCK_HZ = CHIP.clock_hz
