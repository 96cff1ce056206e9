# SPDX-License-Identifier: GPL-3.0-or-later
"""Inferences from n values, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rig.analysis.inference.internal_latency import InternalLatencySummary
from rig.analysis.inference.run_budgets import Budgets
from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.analysis.statistics.interval import Interval
from rig.analysis.statistics.overruns import Overruns
from rig.analysis.statistics.steps import Steps
from rig.analysis.statistics.summary import InferenceSummary
from rig.analysis.statistics.tail import Tail
from rig.analysis.statistics.tick import Tick
from rig.analysis.uncertainty.budget import Budget
from rig.document import Fact, Facts, Heading, Plot, Section, facts, section
from rig.formatting import capitalized, expanded_microseconds, microseconds, percent, signed
from rig.report.labels import load_of
from rig.session.results import Result

SIGNIFICANT = 0.01
"""p-values below this are reported."""
_SMALLEST_P = 1e-16
_CHANGES = 3


def inference(result: Result) -> tuple[Section, ...]:
    """Return the inferences from all measurands; nothing without values."""
    evaluation, load = result.evaluation, load_of(result.settings)
    primary = evaluation.primary
    own: list[Fact] = []
    if primary.inference is not None:
        own = [
            *_said(primary.statistics, primary.inference, evaluation.duration_s, load),
            Fact("overruns", _overruns(evaluation.overruns)),
            Fact("inside", _inside(evaluation.internal_latency)),
            Fact("stages", _stages(evaluation.internal_latency)),
            *_uncertainties(primary.budgets),
        ]
    return section(
        "inference",
        "What these values allow to be said, in microseconds",
        facts(own),
        None if primary.inference is None else _folded(primary.inference.tick),
        *_others(evaluation, load),
    )


def _others(evaluation: Evaluation, load: str) -> Iterator[Heading | Facts]:
    """Yield the inferences from all measurands but the first."""
    for each in evaluation.measurands[1:]:
        if each.inference is None:
            continue
        yield Heading(capitalized(each.name.replace("_", " ")))
        said = _said(each.statistics, each.inference, evaluation.duration_s, load)
        yield facts([*said, *_uncertainties(each.budgets)])


def _folded(tick: Tick) -> Plot | None:
    """Return latency by the phase of a tick; None if none was found, or without its phases."""
    if tick.rate_hz is None or not len(tick.phase_average):
        return None

    def draw() -> str:
        from rig.plots.folded import folded_svg

        return folded_svg(
            [value / 1e3 for value in tick.phase_average],
            [value / 1e3 for value in tick.phase_max],
            1e6 / (tick.rate_hz or math.inf),
        )

    return Plot(
        f"Latency against the phase of a tick of {tick.rate_hz:.3f} Hz, found among all rates that "
        f"{tick.n:,} events can show; it was not assumed. The phase is 0 at the first event.",
        draw,
    )


def _said(
    classic: DescriptiveStatistics, figures: InferenceSummary, duration_s: float, load: str
) -> list[Fact]:
    return [
        Fact("average", _average(figures, classic.average_ns)),
        Fact("percentiles", _percentiles(figures)),
        Fact("maximum", _maximum(figures, duration_s, load)),
        Fact("dependence", "; ".join(_dependence(figures))),
        Fact("steps", _steps(figures.steps)),
        Fact("tail", _tail(figures.tail)),
    ]


def _uncertainties(budgets: Budgets) -> list[Fact]:
    found = (budgets.get("max"), budgets.get("average"))
    return [Fact("uncertainty", _budget(each)) for each in found if each is not None]


def _range(interval_ns: Interval) -> str:
    """Return an interval such as "4.1 to 4.5", or which end n does not bound."""
    low, high = microseconds(interval_ns.low), microseconds(interval_ns.high)
    if interval_ns.low is None:
        return "not bounded below" if interval_ns.high is None else f"up to {high}"
    return f"from {low} on, not bounded above" if interval_ns.high is None else f"{low} to {high}"


def _average(figures: InferenceSummary, average_ns: float | None) -> str:
    found = figures.average
    if found is None or average_ns is None:
        return ""
    worth = ""
    if found.effective_n < 0.9 * figures.maximum.n:
        worth = f", widened: as much is known as from {found.effective_n:,.0f} independent events"
    return f"{microseconds(average_ns)}, 95 % interval {_range(found.interval)}{worth}"


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
        f"observed maximum {microseconds(found.value)} (n = {found.n:,}, {duration_s:,.1f} s, "
        f"load {load}); an event lies above it with p < {found.exceedance_probability_bound:.2g} "
        f"({percent(found.confidence)} confidence)"
    )


def _p(value: float) -> str:
    """Return a p-value in words; of the smallest ones only a bound."""
    return f"p = {value:.1g}" if value > _SMALLEST_P else f"p < {_SMALLEST_P:g}"


def _dependence(figures: InferenceSummary) -> Iterator[str]:
    p_value = figures.autocorrelation.p_value
    if p_value < SIGNIFICANT:
        yield f"events depend on their neighbors ({_p(p_value)})"
    trend = figures.trend
    if trend is not None and trend.p_value < SIGNIFICANT:
        yield (
            f"trend of {microseconds(trend.change, sign=True)} us over the run "
            f"({_range(trend.interval)}; {_p(trend.p_value)})"
        )
    for change in figures.changes[:_CHANGES]:
        yield (
            f"{change.kind} changes at event {change.event:,} from {microseconds(change.before)} "
            f"to {microseconds(change.after)} us"
        )
    if len(figures.changes) > _CHANGES:
        yield f"and {len(figures.changes) - _CHANGES} more changes"
    tick = figures.tick
    if tick.rate_hz is not None:
        yield (
            f"latency follows a tick of {tick.rate_hz:.3f} Hz, which explains "
            f"{percent(tick.explained)} of its variance"
        )
    elif tick.refused:
        yield f"tick not looked for: {tick.refused}"
    if p_value >= SIGNIFICANT and trend is not None and trend.p_value >= SIGNIFICANT:
        yield "no dependence between neighbors and no trend found"


def _steps(found: Steps) -> str:
    """Return the common distance of the modes; "" if there is none."""
    if found.step is None or found.interval is None:
        return ""
    return (
        f"{found.modes} modes, one each {microseconds(found.step)} us from "
        f"{microseconds(found.first)} on, 95 % interval {_range(found.interval)} "
        f"({_p(found.p_value)} of modes at random)"
    )


def _tail(tail: Tail | None) -> str:
    if tail is None:
        return ""
    if tail.level is None or tail.interval is None:
        return f"no estimate: {tail.refused}"
    return (
        f"an event in {1 / tail.probability:,.0f} exceeds {microseconds(tail.level)}, 95 % "
        f"interval {_range(tail.interval)}: an estimate under docs/explanation/statistics.md's "
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
        f"{budget.figure} {microseconds(budget.corrected)} with what the bench adds taken off "
        f"({signed(budget.correction)} ns), U = {expanded_microseconds(budget.expanded)} "
        f"(k = {budget.coverage_factor:.2f})" + (f"; not known: {unknown}" if unknown else "")
    )


def _stages(inside: InternalLatencySummary | None) -> str:
    stages = None if inside is None else inside.stages
    if stages is None:
        return ""
    parts = (
        (stages.to_entry, "average to the handler's entry"),
        (stages.from_entry, "on to the pin write"),
    )
    said = [
        f"{where} {microseconds(part.average_ns)} ({microseconds(part.min_ns)} to "
        f"{microseconds(part.max_ns)})"
        for part, where in parts
    ]
    return f"{', '.join(said)}; {stages.n:,} events"


def _inside(inside: InternalLatencySummary | None) -> str:
    if inside is None:
        return ""
    return (
        f"latency inside the target, by its own log: average {microseconds(inside.average_ns)}, "
        f"{microseconds(inside.min_ns)} to {microseconds(inside.max_ns)}, each within "
        f"{inside.within_ns:.0f} ns ({inside.n:,} events)"
    )
