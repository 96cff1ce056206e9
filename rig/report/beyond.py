# SPDX-License-Identifier: GPL-3.0-or-later
"""What n values allow to be said, in words: the same lines in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterator

from rig.analysis.inference.internal_latency import InternalLatency
from rig.analysis.inference.run_budgets import Budgets
from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.statistics.descriptive import Statistics
from rig.analysis.statistics.interval import Interval
from rig.analysis.statistics.overruns import Overruns
from rig.analysis.statistics.summary import InferenceSummary
from rig.analysis.statistics.tail import Tail
from rig.analysis.uncertainty.budget import Budget
from rig.report.sections.numbers import signed

SIGNIFICANT = 0.01
"""p-values below this are worth a word."""
_SMALLEST_P = 1e-16
_CHANGES = 3


def beyond_facts(evaluation: Evaluation, load: str) -> list[tuple[str, str]]:
    """Name and words; times in microseconds. Empty without latencies."""
    primary = evaluation.primary
    if primary.inference is None:
        return []
    rows = [
        *_said(primary.statistics, primary.inference, evaluation.duration_s, load),
        ("overruns", _overruns(evaluation.overruns)),
        ("inside", _inside(evaluation.internal_latency)),
        *_uncertainties(primary.budgets),
    ]
    return [(name, text) for name, text in rows if text]


def further_facts(evaluation: Evaluation, load: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """The same of all else that was measured, with the name of each."""
    found = []
    for each in evaluation.measurands[1:]:
        if each.inference is None:
            continue
        rows = [
            *_said(each.statistics, each.inference, evaluation.duration_s, load),
            *_uncertainties(each.budgets),
        ]
        found.append((each.name.replace("_", " "), [row for row in rows if row[1]]))
    return found


def _said(
    classic: Statistics, figures: InferenceSummary, duration_s: float, load: str
) -> list[tuple[str, str]]:
    return [
        ("average", _average(figures, classic.average_ns)),
        ("percentiles", _percentiles(figures)),
        ("maximum", _maximum(figures, duration_s, load)),
        ("dependence", "; ".join(_dependence(figures))),
        ("tail", _tail(figures.tail)),
    ]


def _uncertainties(budgets: Budgets) -> list[tuple[str, str]]:
    return [
        ("uncertainty", _budget(each))
        for each in (budgets.get("max"), budgets.get("average"))
        if each
    ]


def _range(interval_ns: Interval) -> str:
    """ "4.1 to 4.5", or what n does not bound."""
    scaled = interval_ns.scaled(1e-3)
    if scaled.low is None:
        return "not bounded below" if scaled.high is None else f"up to {scaled.high:.3f}"
    if scaled.high is None:
        return f"from {scaled.low:.3f} on, not bounded above"
    return f"{scaled.low:.3f} to {scaled.high:.3f}"


def _average(figures: InferenceSummary, average_ns: float | None) -> str:
    found = figures.average
    if found is None or average_ns is None:
        return ""
    worth = ""
    if found.effective_n < 0.9 * figures.maximum.n:
        worth = f", widened: as much is known as from {found.effective_n:,.0f} independent events"
    return f"{average_ns / 1e3:.3f}, 95 % interval {_range(found.interval)}{worth}"


def _percentiles(figures: InferenceSummary) -> str:
    parts = [f"median {_range(figures.median)}"]
    parts += [
        f"p{each.percent} {_range(each.interval)}"
        for each in figures.percentiles
        if each.percent in {"99", "99.9", "99.99", "99.999"}
    ]
    return "95 % intervals: " + ", ".join(parts)


def _maximum(figures: InferenceSummary, duration_s: float, load: str) -> str:
    found = figures.maximum
    return (
        f"observed maximum {found.value / 1e3:.3f} (n = {found.n:,}, {duration_s:,.1f} s, "
        f"load {load}); an event lies above it with p < {found.exceedance_probability_bound:.2g} "
        f"({found.confidence:.0%} confidence)"
    )


def _p(value: float) -> str:
    """A p-value; the smallest ones are no numbers any more."""
    return f"p = {value:.1g}" if value > _SMALLEST_P else f"p < {_SMALLEST_P:g}"


def _dependence(figures: InferenceSummary) -> Iterator[str]:
    p_value = figures.autocorrelation.p_value
    if p_value < SIGNIFICANT:
        yield f"events depend on their neighbors ({_p(p_value)})"
    trend = figures.trend
    if trend is not None and trend.p_value < SIGNIFICANT:
        yield (
            f"trend of {trend.change / 1e3:+.3f} us over the run "
            f"({_range(trend.interval)}; {_p(trend.p_value)})"
        )
    for change in figures.changes[:_CHANGES]:
        yield (
            f"{change.kind} changes at event {change.event:,} from {change.before / 1e3:.3f} "
            f"to {change.after / 1e3:.3f} us"
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


def _tail(tail: Tail | None) -> str:
    if tail is None:
        return ""
    if tail.level is None or tail.interval is None:
        return f"no estimate: {tail.refused}"
    return (
        f"an event in {1 / tail.probability:,.0f} exceeds {tail.level / 1e3:.3f}, 95 % "
        f"interval {_range(tail.interval)}: an estimate under docs/statistics.md's "
        "conditions, not a guarantee"
    )


def _overruns(found: Overruns) -> str:
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


def _inside(inside: InternalLatency | None) -> str:
    if inside is None:
        return ""
    return (
        f"latency inside the target, by its own log: average {inside.average_ns / 1e3:.3f}, "
        f"{inside.min_ns / 1e3:.3f} to {inside.max_ns / 1e3:.3f}, each within "
        f"{inside.within_ns:.0f} ns ({inside.n:,} events)"
    )
