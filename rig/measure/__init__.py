# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements inside the target, one file each: words for the agent, and what its log means."""
