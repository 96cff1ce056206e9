# SPDX-License-Identifier: GPL-3.0-or-later
"""Inferences from a run beyond its classic figures, gathered while events are paired."""
