# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a target's log: their content, and whether they make sense by themselves."""
