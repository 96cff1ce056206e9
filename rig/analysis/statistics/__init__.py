# SPDX-License-Identifier: GPL-3.0-or-later
"""Inferences that n values allow: figures, intervals, dependence, the maximum and the tail.

Pure functions on arrays and on the exact histogram. Values are whole samples; whoever shows them
scales them. docs/explanation/statistics.md defines each figure and says when it is refused.
"""
