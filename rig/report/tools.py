# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of the target's own tools, beside those of the pins."""

from __future__ import annotations

from functools import partial
from typing import Final

from rig.document import Fact, Plot, Section, TextTable, facts, section
from rig.formatting import ABSENT, microseconds
from rig.measurements.registry import measurement_of
from rig.plots.histogram import binned
from rig.plots.histograms import HistogramSeries, histograms_svg
from rig.report.distribution import quantity_of
from rig.session.results import Result
from rig.tools.figures import ToolFigures
from rig.tools.hwlat import hwlat_figures
from rig.tools.readers import tool_figures
from rig.tools.tool_runs import HWLAT, TOOLS, ToolRun

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
        facts({fact: None for _, fact in lines}),
        *_plot(result),
    )


def _plot(result: Result) -> tuple[Plot, ...]:
    """Return the histograms that tools have kept, beside that of the run."""
    series = [
        HistogramSeries.of_bins(
            each.name, kept.first_ns, kept.counts, kept.width_ns, each.max_ns / 1e3
        )
        for run in result.tools
        for each in _figures_of(run)
        if (kept := each.histogram) is not None and each.max_ns is not None and kept.counts
    ]
    own = result.evaluation.histogram
    if not series:
        return ()
    if own.n:
        sample_ns = 1e9 / result.unit_hz
        edges_us, heights = binned(own.values, own.counts, sample_ns)
        worst_us = float(own.values[-1]) * sample_ns / 1e3
        series.insert(
            0, HistogramSeries(f"this run, {quantity_of(result)}", edges_us, heights, worst_us)
        )
    caption = (
        "Histograms as the tools counted them, in bins of 1 us, and this run's own. They begin and "
        "end at other points: see above. The count is logarithmic."
    )
    return (Plot(caption, partial(histograms_svg, series)),)


def _figures_of(run: ToolRun) -> tuple[ToolFigures, ...]:
    """Return none for a tool that did not run, or whose output is not understood."""
    try:
        return () if run.reason or run.tool == HWLAT.name else tool_figures(run)
    except ValueError:
        return ()


def _line(
    title: str,
    n: int | None,
    min_ns: float | None = None,
    average_ns: float | None = None,
    max_ns: float | None = None,
    *,
    text: str,
    of: str = "",
) -> _Line:
    """Make a line. `of`: the name of what `text` is of, if not the title."""
    gap_ns = None if max_ns is None or min_ns is None else max_ns - min_ns
    times = map(microseconds, (min_ns, average_ns, max_ns, gap_ns))
    return (title, ABSENT if n is None else str(n), *times), Fact(of or title, text)


def _of_run(run: ToolRun) -> list[_Line]:
    title = TOOLS[run.tool].title
    if run.reason:
        return [_line(title, None, text=run.reason)]
    try:
        if run.tool == HWLAT.name:
            return [_hwlat(run)]
        return [
            _line(
                each.name, each.n, each.min_ns, each.average_ns, each.max_ns,
                text=_what(each), of=each.title,
            )
            for each in tool_figures(run)
        ]  # fmt: skip
    except ValueError as error:
        return [_line(title, None, text=f"not understood: {error}")]


def _what(found: ToolFigures) -> str:
    kept = found.histogram
    if kept is None or not kept.beyond:
        return found.what
    return f"{found.what}; {kept.beyond:,} values are beyond its histogram"


def _hwlat(run: ToolRun) -> _Line:
    found = hwlat_figures(run)
    text = (
        f"gaps between two of its readings of the clock, with interrupts off: {found.gaps:,} in "
        f"{found.samples:,} windows, of each of which the longest is told; longest inner "
        f"{found.inner_max_us:,} us, outer {found.outer_max_us:,} us; {run.words}"
    )
    if found.least_us is None or found.average_us is None:
        return _line(HWLAT.title, found.gaps, text=text)
    if found.average_interval_s is not None:
        text += f"; a window with a gap every {found.average_interval_s:,.3g} s on average"
    times_us = found.least_us, found.average_us, found.longest_us
    return _line(HWLAT.title, found.gaps, *(each * 1e3 for each in times_us), text=text)
