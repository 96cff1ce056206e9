# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every test."""

from hypothesis import settings

# No test judges by wall time, so a busy machine fails none. What hangs, pytest-timeout ends.
# The same tree draws the same examples: who changes nothing breaks nothing. New ones are drawn by
# `make explore`, whose finds become tests of their own.
settings.register_profile("latency-rig", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, derandomize=False)
settings.load_profile("latency-rig")
