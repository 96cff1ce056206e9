# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of the target's own tools in a run, as records beside those of the pins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rig.measurements.reported import CLOCK
from rig.report.tables.record import RunRecord, Word
from rig.tools.figures import ToolFigures
from rig.tools.hwlat import hwlat_figures
from rig.tools.readers import tool_figures
from rig.tools.tool_runs import CYCLICTEST, HWLAT, TOOLS, ToolRun

WAKEUP: Final = CYCLICTEST.subject
GAPS: Final = HWLAT.subject


def tool_records(
    runs: tuple[ToolRun, ...], fixture: str, variant: str, scenario: str
) -> list[RunRecord]:
    """Return a record for each figure of each tool; one with a remark for a tool that has none.

    `variant`: the period, as the pins' records have it.
    """
    return [record for run in runs for record in _of(run, fixture, variant, scenario)]


def _of(run: ToolRun, fixture: str, variant: str, scenario: str) -> list[RunRecord]:
    tool = TOOLS[run.tool]

    def record(
        name: str,
        n: int | None = None,
        figures: Mapping[str, float | None] | None = None,
        remark: str = "",
    ) -> RunRecord:
        return RunRecord(
            fixture, name, variant, scenario, figures or {}, n, remark=remark, witness=Word.NONE,
            by=CLOCK, how=tool.how,
        )  # fmt: skip

    windowed = run.tool == HWLAT.name
    name = f"{tool.subject} by {run.tool}"
    if run.reason:
        return [record(name, remark=run.reason)]
    try:
        if windowed:
            found = hwlat_figures(run)
            times_us = {
                "min_ns": found.least_us,
                "average_ns": found.average_us,
                "max_ns": found.longest_us if found.gaps else None,
                "deviation_ns": found.deviation_us,
            }
            times_ns = {key: None if us is None else us * 1e3 for key, us in times_us.items()}
            return [record(name, found.gaps, times_ns)]
        return [
            record(f"{tool.subject} by {each.name}", each.n, _figures(each))
            for each in tool_figures(run)
        ]
    except ValueError as error:
        return [record(name, remark=f"not understood: {error}")]


def _figures(found: ToolFigures) -> dict[str, float | None]:
    gap_ns = None
    if found.max_ns is not None and found.min_ns is not None:
        gap_ns = found.max_ns - found.min_ns
    times = {"average_ns": found.average_ns, "min_ns": found.min_ns, "max_ns": found.max_ns}
    return {**times, "gap_ns": gap_ns}
