# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of the window's own: start, messages and end, whatever they do."""
