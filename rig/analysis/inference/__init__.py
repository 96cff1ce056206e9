# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a run beyond its classic figures, gathered while events are paired."""
