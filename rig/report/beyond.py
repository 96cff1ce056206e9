# SPDX-License-Identifier: GPL-3.0-or-later
"""What n values allow to be said, in words: the same lines in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator

from rig.analysis.inference.extended import Beyond
from rig.analysis.inference.internal_latency import InsideFigures
from rig.analysis.inference.run_budgets import Budgets
from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.statistics.descriptive import Statistics
from rig.analysis.statistics.interval import Interval
from rig.analysis.statistics.summary import Figures
from rig.analysis.statistics.tail import Tail
from rig.analysis.uncertainty.budget import Budget
from rig.report.sections.numbers import signed

SIGNIFICANT = 0.01
"""p-values below this are worth a word."""
_SMALLEST_P = 1e-16
_CHANGES = 3


def beyond_facts(evaluation: Evaluation, load: str) -> list[tuple[str, str]]:
    """Name and words; times in microseconds. Empty without latencies."""
    beyond = evaluation.beyond
    if beyond is None or beyond.figures is None:
        return []
    rows = [
        *_said(
            evaluation.figures, beyond.figures, beyond.sample_ns / 1e3, evaluation.duration_s, load
        ),
        ("overruns", _overruns(beyond)),
        ("inside", _inside(beyond.inside)),
        *_uncertainties(beyond.budgets),
    ]
    return [(name, text) for name, text in rows if text]


def further_facts(evaluation: Evaluation, load: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The same of all else that was measured, with the name of each."""
    found = []
    for each in evaluation.measurands[1:]:
        if each.figures is None:
            continue
        rows = [
            *_said(each.statistics, each.figures, each.unit_ns / 1e3, evaluation.duration_s, load),
            *_uncertainties(each.budgets),
        ]
        found.append((each.name.replace("_", " "), [row for row in rows if row[1]]))
    return found


def _said(
    classic: Statistics, figures: Figures, unit_us: float, duration_s: float, load: str
) -> list[tuple[str, str]]:
    return [
        ("average", _average(figures, unit_us, classic.average_ns)),
        ("percentiles", _percentiles(figures, unit_us)),
        ("maximum", _maximum(figures, unit_us, duration_s, load)),
        ("dependence", "; ".join(_dependence(figures, unit_us))),
        ("tail", _tail(figures.tail, unit_us)),
    ]


def _uncertainties(budgets: Budgets) -> list[tuple[str, str]]:
    return [("uncertainty", _budget(each)) for each in budgets.values()]


def _range(interval: Interval, sample_us: float) -> str:
    """ "4.1 to 4.5", or what n does not bound."""
    scaled = interval.scaled(sample_us)
    if scaled.low is None:
        return "not bounded below" if scaled.high is None else f"up to {scaled.high:.3f}"
    if scaled.high is None:
        return f"from {scaled.low:.3f} on, not bounded above"
    return f"{scaled.low:.3f} to {scaled.high:.3f}"


def _average(figures: Figures, sample_us: float, average_ns: float | None) -> str:
    found = figures.average
    if found is None or average_ns is None:
        return ""
    worth = ""
    if found.effective_n < 0.9 * figures.maximum.n:
        worth = f", widened: as much is known as from {found.effective_n:,.0f} independent events"
    return f"{average_ns / 1e3:.3f}, 95 % interval {_range(found.interval, sample_us)}{worth}"


def _percentiles(figures: Figures, sample_us: float) -> str:
    parts = [f"median {_range(figures.median, sample_us)}"]
    parts += [
        f"p{each.percent} {_range(each.interval, sample_us)}"
        for each in figures.percentiles
        if each.percent in {"99", "99.9", "99.99", "99.999"}
    ]
    return "95 % intervals: " + ", ".join(parts)


def _maximum(figures: Figures, sample_us: float, duration_s: float, load: str) -> str:
    found = figures.maximum
    return (
        f"observed maximum {found.value * sample_us:.3f} (n = {found.n:,}, {duration_s:,.1f} s, "
        f"load {load}); an event lies above it with p < {found.beyond:.2g} "
        f"({found.confidence:.0%} confidence)"
    )


def _p(value: float) -> str:
    """A p-value; the smallest ones are no numbers any more."""
    return f"p = {value:.1g}" if value > _SMALLEST_P else f"p < {_SMALLEST_P:g}"


def _dependence(figures: Figures, sample_us: float) -> Iterator[str]:
    p_value = figures.autocorrelation.p_value
    if p_value < SIGNIFICANT:
        yield f"events depend on their neighbors ({_p(p_value)})"
    trend = figures.trend
    if trend is not None and trend.p_value < SIGNIFICANT:
        yield (
            f"trend of {trend.change * sample_us:+.3f} us over the run "
            f"({_range(trend.interval, sample_us)}; {_p(trend.p_value)})"
        )
    for change in figures.changes[:_CHANGES]:
        yield (
            f"{change.kind} changes at event {change.event:,} from {change.before * sample_us:.3f} "
            f"to {change.after * sample_us:.3f} us"
        )
    if len(figures.changes) > _CHANGES:
        yield f"and {len(figures.changes) - _CHANGES} more changes"
    tick = figures.tick
    if tick.rate_hz is not None:
        yield (
            f"latency follows a tick of {tick.rate_hz:.3f} Hz, which explains "
            f"{tick.explained:.0%} of its variance"
        )
    elif tick.refused:
        yield f"tick not looked for: {tick.refused}"
    if p_value >= SIGNIFICANT and trend is not None and trend.p_value >= SIGNIFICANT:
        yield "no dependence between neighbors and no trend found"


def _tail(tail: Tail | None, sample_us: float) -> str:
    if tail is None:
        return ""
    if tail.level is None or tail.interval is None:
        return f"no estimate: {tail.refused}"
    return (
        f"an event in {1 / tail.probability:,.0f} exceeds {tail.level * sample_us:.3f}, 95 % "
        f"interval {_range(tail.interval, sample_us)}: an estimate under docs/statistics.md's "
        "conditions, not a guarantee"
    )


def _overruns(beyond: Beyond) -> str:
    found = beyond.overruns
    if not found.count:
        return ""
    first = "" if found.longest_run_first is None else f" from event {found.longest_run_first:,} on"
    return (
        f"{found.count:,} of {found.n:,} not answered in time, at most {found.longest_run:,} in a "
        f"row{first}"
    )


def _budget(budget: Budget) -> str:
    unknown = ", ".join(each.name for each in budget.unknown)
    return (
        f"{budget.figure} {budget.corrected / 1e3:.3f} with what the bench adds taken off "
        f"({signed(budget.correction)} ns), U = {budget.expanded / 1e3:.3f} "
        f"(k = {budget.coverage_factor:.2f})" + (f"; not known: {unknown}" if unknown else "")
    )


def _inside(inside: InsideFigures | None) -> str:
    if inside is None:
        return ""
    return (
        f"latency inside the target, by its own log: average {inside.average_ns / 1e3:.3f}, "
        f"{inside.min_ns / 1e3:.3f} to {inside.max_ns / 1e3:.3f}, each within "
        f"{inside.within_ns:.0f} ns ({inside.n:,} events)"
    )
