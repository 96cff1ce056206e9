# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures, the histogram and the tail."""

from __future__ import annotations

from rig.report.measured import quantity_of
from rig.report.page_data import PageData
from rig.report.plots.histogram import histogram_svg
from rig.report.plots.tail import Estimate, tail_svg
from rig.report.sections.html import figure, section, table
from rig.report.words import figure_rows


def limit_us(data: PageData) -> float | None:
    """The plan's limit of the maximum."""
    limit_ns = data.result.settings.limits.max_ns
    return None if limit_ns is None else limit_ns / 1e3


def figures(data: PageData) -> str:
    """The classic figures in one row."""
    rows = figure_rows(data.result.evaluation)
    head, values = zip(*rows, strict=True)
    return section("Figures in microseconds", table(head, [values], range(len(rows))))


def distribution(data: PageData) -> str:
    """Histogram and complementary distribution."""
    evaluation, unit_ns = data.result.evaluation, 1e9 / data.unit_hz
    found = evaluation.histogram
    average_ns = evaluation.figures.average_ns
    bars = histogram_svg(
        found.values,
        found.counts,
        unit_ns,
        average_us=None if average_ns is None else average_ns / 1e3,
        limit_us=limit_us(data),
        quantity=quantity_of(evaluation),
    )
    tail = tail_svg(
        found.values,
        found.counts,
        unit_ns,
        limit_us=limit_us(data),
        estimate=_estimate(data),
        quantity=quantity_of(evaluation),
    )
    return section(
        "Distribution",
        figure(bars, f"All {found.n:,} values; none is left out. The count is logarithmic."),
        figure(
            tail,
            "Exact binomial interval of each share, for independent events. Beyond the observed "
            f"maximum nothing was seen in {found.n:,} events: it is not a bound."
            + _told(_estimate(data)),
        ),
    )


def _estimate(data: PageData) -> Estimate | None:
    """The tail's, unless it was refused."""
    inference = data.result.evaluation.primary.inference
    tail = None if inference is None else inference.tail
    if tail is None or tail.level is None or tail.interval is None:
        return None
    low, high = tail.interval.low, tail.interval.high
    if low is None or high is None:
        return None
    level, low, high = (value / 1e3 for value in (tail.level, low, high))
    return Estimate(tail.probability, level, low, high)


def _told(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    return (
        f" The diamond is the level that an event in {1 / estimate.share:,.0f} exceeds, estimated "
        "with its 95 % interval; no guarantee."
    )
