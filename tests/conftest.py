# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every test."""

from hypothesis import settings

# No test judges by wall time, so a busy machine fails none. What hangs, pytest-timeout ends.
settings.register_profile("latency-rig", deadline=None)
settings.load_profile("latency-rig")
