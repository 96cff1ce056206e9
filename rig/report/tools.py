# SPDX-License-Identifier: GPL-3.0-or-later
"""What the target's own tools said, beside what the pins show."""

from __future__ import annotations

from dataclasses import dataclass

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.period import PeriodFigures
from rig.analysis.measurements.toggle_gap_figures import SpinFigures
from rig.session.results import Result
from rig.tools.hwlat import HwlatFigures, hwlat_figures
from rig.tools.tool_runs import HWLAT, TOOLS, ToolRun
from rig.tools.wakeup import ToolFigures, wakeup_figures

COLUMNS = ("", "n", "min", "average", "max", "max - min")
"""Times in microseconds."""
PIN = (
    "from the time that a wake-up is due to the pin's edge, by the analyzer; due times are fitted "
    "to the earliest edges, so that the least is 0: compare max - min"
)


@dataclass(frozen=True)
class Tools:
    """A table with COLUMNS, and below it what each line measures or why it is empty."""

    title: str
    rows: list[list[str]]
    facts: list[tuple[str, str]]


def tools(result: Result) -> Tools | None:
    """None for a run without any."""
    if not result.tools:
        return None
    rows, facts = _pins(result.evaluation)
    for run in result.tools:
        title = TOOLS[run.tool].title
        try:
            more_rows, more_facts = ([], [(title, run.reason)]) if run.reason else _told(run)
        except ValueError as error:
            more_rows, more_facts = [], [(title, f"not understood: {error}")]
        rows += more_rows or [[title, *("-" for _ in COLUMNS[1:])]]
        facts += more_facts
    return Tools("the target's own tools beside the pin, in microseconds", rows, facts)


def _pins(evaluation: Evaluation) -> tuple[list[list[str]], list[tuple[str, str]]]:
    if isinstance(evaluation.details, SpinFigures):
        spin = evaluation.details
        longest = evaluation.figures.max_ns
        row = ["pin", str(spin.gaps), "-", "-", _micro(longest), "-"]
        words = f"gaps above {spin.threshold_ns / 1e3:g} us between two edges of a spinning task"
        return [row], [("pin", words)]
    if not isinstance(evaluation.details, PeriodFigures):
        return [], []
    found = evaluation.details.pins.latency
    times = (found.min_ns, found.average_ns, found.max_ns, found.gap_ns)
    return [["pin", str(found.n), *(_micro(each) for each in times)]], [("pin", PIN)]


def _told(run: ToolRun) -> tuple[list[list[str]], list[tuple[str, str]]]:
    if run.tool == HWLAT.name:
        return _hwlat(hwlat_figures(run), run)
    found = wakeup_figures(run)
    return [_row(each) for each in found], [(each.title, each.what) for each in found]


def _row(found: ToolFigures) -> list[str]:
    gap = None if found.max_ns is None or found.min_ns is None else found.max_ns - found.min_ns
    times = (found.min_ns, found.average_ns, found.max_ns, gap)
    return [found.title, str(found.n), *(_micro(each) for each in times)]


def _hwlat(found: HwlatFigures, run: ToolRun) -> tuple[list[list[str]], list[tuple[str, str]]]:
    title = HWLAT.title
    longest = f"{found.longest_us:.3f}" if found.gaps else "-"
    words = (
        f"gaps between two of its readings of the clock, with interrupts off: {found.gaps:,} in "
        f"{found.samples:,} windows; longest inner {found.inner_max_us:,} us, outer "
        f"{found.outer_max_us:,} us; {run.words}"
    )
    return [[title, str(found.gaps), "-", "-", longest, "-"]], [(title, words)]


def _micro(value_ns: float | None) -> str:
    return "-" if value_ns is None else f"{value_ns / 1e3:.3f}"
