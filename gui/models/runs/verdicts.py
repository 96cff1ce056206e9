# SPDX-License-Identifier: GPL-3.0-or-later
"""Verdicts in the colors of the window."""

from __future__ import annotations

from gui.models.runs.entry import RunEntry
from gui.theme.palette import Palette
from rig.analysis.measurements.verdict import Verdict


def verdict_color(verdict: Verdict, colors: Palette) -> str:
    """Good, doubtful or bad, as #rrggbb."""
    if verdict is Verdict.PASS:
        return colors.good
    return colors.warn if verdict is Verdict.INCONCLUSIVE else colors.bad


def entry_color(entry: RunEntry, colors: Palette) -> str:
    """Of what stands for a run's verdict in a table."""
    if entry.problem:
        return colors.bad
    if entry.verdict in set(Verdict):
        return verdict_color(Verdict(entry.verdict), colors)
    return colors.accent if entry.is_running else colors.dim
