# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots. They get summaries of bounded size, never raw events."""
