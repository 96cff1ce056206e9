# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of the target's own tools, beside those of the pins."""

from __future__ import annotations

from typing import Final

from rig.document import Fact, Section, TextTable, facts, section
from rig.formatting import ABSENT, microseconds
from rig.measurements.registry import measurement_of
from rig.session.results import Result
from rig.tools.hwlat import hwlat_figures
from rig.tools.tool_runs import HWLAT, TOOLS, ToolRun
from rig.tools.wakeup import wakeup_figures

_HEAD: Final = ("", "n", "min", "average", "max", "max - min")
_Line = tuple[tuple[str, ...], Fact]
"""A row of the table, and the fact of what it measures."""


def tools(result: Result) -> tuple[Section, ...]:
    """Return a table with a row for each tool, and what each measures, or why it is empty."""
    if not result.tools:
        return ()
    pins = measurement_of(result.settings.measurement).beside_tools(result.evaluation)
    lines = [line for run in result.tools for line in _of_run(run)]
    if pins is not None:
        times = pins.min_ns, pins.average_ns, pins.max_ns
        lines.insert(0, _line("pin", pins.n, *times, text=pins.text))
    return section(
        "tools",
        "The target's own tools beside the pin, in microseconds",
        TextTable(_HEAD, tuple(row for row, _ in lines), range(1, len(_HEAD))),
        facts(fact for _, fact in lines),
    )


def _line(
    title: str,
    n: int | None,
    min_ns: float | None = None,
    average_ns: float | None = None,
    max_ns: float | None = None,
    *,
    text: str,
) -> _Line:
    gap_ns = None if max_ns is None or min_ns is None else max_ns - min_ns
    times = map(microseconds, (min_ns, average_ns, max_ns, gap_ns))
    return (title, ABSENT if n is None else str(n), *times), Fact(title, text)


def _of_run(run: ToolRun) -> list[_Line]:
    title = TOOLS[run.tool].title
    if run.reason:
        return [_line(title, None, text=run.reason)]
    try:
        if run.tool == HWLAT.name:
            return [_hwlat(run)]
        return [
            _line(each.title, each.n, each.min_ns, each.average_ns, each.max_ns, text=each.what)
            for each in wakeup_figures(run)
        ]
    except ValueError as error:
        return [_line(title, None, text=f"not understood: {error}")]


def _hwlat(run: ToolRun) -> _Line:
    found = hwlat_figures(run)
    text = (
        f"gaps between two of its readings of the clock, with interrupts off: {found.gaps:,} in "
        f"{found.samples:,} windows; longest inner {found.inner_max_us:,} us, outer "
        f"{found.outer_max_us:,} us; {run.words}"
    )
    longest_ns = found.longest_us * 1e3 if found.gaps else None
    return _line(HWLAT.title, found.gaps, max_ns=longest_ns, text=text)
