# SPDX-License-Identifier: GPL-3.0-or-later
"""Summaries of long runs, so that a plot never reads what it cannot show."""
