# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that calibrate a bench: `rig calibrate`, `rig calibration` and `rig boards`."""
