# SPDX-License-Identifier: GPL-3.0-or-later
"""What the target's own tools said in a run, as records beside those of the pins."""

from __future__ import annotations

from rig.report.tables.record import Figures, Record, Word
from rig.tools.hwlat import hwlat_figures
from rig.tools.tool_runs import HWLAT, ToolRun
from rig.tools.wakeup import ToolFigures, wakeup_figures

WAKEUP, GAPS = "wakeup", "smi"


def tool_records(
    runs: tuple[ToolRun, ...], fixture: str, variant: str, scenario: str
) -> list[Record]:
    """A record for each figure of each tool; one with a remark for a tool that has none.

    `variant`: the period, as the pins' records have it.
    """
    return [record for run in runs for record in _of(run, fixture, variant, scenario)]


def _of(run: ToolRun, fixture: str, variant: str, scenario: str) -> list[Record]:
    def record(name: str, figures: Figures, remark: str = "") -> Record:
        return Record(fixture, name, variant, scenario, figures, remark, witness=Word.NONE)

    windowed = run.tool == HWLAT.name
    name = f"{GAPS if windowed else WAKEUP} by {run.tool}"
    if run.reason:
        return [record(name, Figures(), run.reason)]
    try:
        if windowed:
            found = hwlat_figures(run)
            longest_ns = found.longest_us * 1000.0 if found.gaps else None
            return [record(name, Figures(n=found.gaps, max_ns=longest_ns))]
        return [record(f"{WAKEUP} by {each.title}", _figures(each)) for each in wakeup_figures(run)]
    except ValueError as error:
        return [record(name, Figures(), f"not understood: {error}")]


def _figures(found: ToolFigures) -> Figures:
    gap_ns = None
    if found.max_ns is not None and found.min_ns is not None:
        gap_ns = found.max_ns - found.min_ns
    return Figures(found.n, found.average_ns, found.min_ns, found.max_ns, gap_ns)
