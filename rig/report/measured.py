# SPDX-License-Identifier: GPL-3.0-or-later
"""What a measurement has beside its latency, by pin and by ticks."""

from __future__ import annotations

from dataclasses import dataclass

from rig.analysis.measurements.dispatch import DispatchFigures
from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.period import PeriodFigures, PeriodSide
from rig.analysis.measurements.self_trigger import SelfTriggerFigures
from rig.analysis.measurements.toggle_gap_figures import SpinFigures
from rig.analysis.measurements.toggle_gap_list import SpinGap
from rig.analysis.measurements.values import ValueFigures
from rig.analysis.statistics.descriptive import Statistics
from rig.config.units import TIME

COLUMNS = ("", "n", "average", "min", "max", "gap", "deviation")
"""Of each table; times in microseconds."""


@dataclass(frozen=True)
class Measured:
    """A table with COLUMNS, and facts below it."""

    title: str
    rows: list[list[str]]
    facts: list[tuple[str, str]]


def measured(evaluation: Evaluation) -> Measured | None:
    """None for measurements of a latency alone."""
    match evaluation.details:
        case PeriodFigures() as period:
            return _period(period, evaluation)
        case DispatchFigures() as dispatch:
            return _dispatch(dispatch)
        case SpinFigures() as spin:
            return _spin(spin, evaluation)
        case ValueFigures() as values:
            return _values(values)
        case SelfTriggerFigures() as both:
            return _self_trigger(both)
    return None


def quantity_of(evaluation: Evaluation) -> str:
    """What the figures and the distribution are of, in a word or a few."""
    if not isinstance(evaluation.details, SpinFigures | ValueFigures):
        return "latency"
    found = measured(evaluation)
    return found.rows[0][0] if found is not None and found.rows else "value"


def _row(name: str, figures: Statistics) -> list[str]:
    values = (
        figures.average_ns,
        figures.min_ns,
        figures.max_ns,
        figures.gap_ns,
        figures.deviation_ns,
    )
    cells = ["-" if value is None else f"{value / 1e3:.3f}" for value in values]
    return [name, str(figures.n), *cells]


def _period(period: PeriodFigures, evaluation: Evaluation) -> Measured:
    sides = [("pin", period.pins)] + ([("ticks", period.ticks)] if period.ticks else [])
    rows = [_row(f"interval error by {name}", side.interval_error) for name, side in sides]
    rows += [_row(f"latency by {name}", side.latency) for name, side in sides]
    told = period.overruns_told
    facts = [
        *((f"by {name}", _rate(side)) for name, side in sides),
        (
            "overruns",
            f"{evaluation.counts.late:,} by pin"
            + ("" if told is None else f", {told:,} by the agent's count"),
        ),
        ("missed", f"{evaluation.counts.missed:,} periods without an answer"),
    ]
    title = (
        f"period of {TIME.format(period.nominal_ns * 1000)}, in microseconds: "
        "intervals less the period, and latency after the earliest answers"
    )
    return Measured(title, rows, facts)


def _rate(side: PeriodSide) -> str:
    if side.average_interval_ns is None or side.rate_ppm is None:
        return "too few answers to tell a rate"
    known = side.rate_uncertainty_ppm
    uncertain = "" if known is None else f" (u = {known:.3f})"
    return (
        f"average interval {side.average_interval_ns / 1e3:.6f} us, "
        f"fitted period {side.rate_ppm:+.3f} ppm{uncertain} off the nominal one"
    )


def _dispatch(dispatch: DispatchFigures) -> Measured:
    rows = [_row("dispatch by ticks", dispatch.ticks)]
    if dispatch.pins is not None:
        rows.append(_row("dispatch by pins", dispatch.pins))
    rows.append(_row("interrupt by pin", dispatch.interrupt))
    elsewhere = dispatch.interrupts - dispatch.of_task
    facts = [
        (
            "interrupts",
            f"{dispatch.of_task:,} fell upon the agent's task, {elsewhere:,} upon something else",
        ),
        ("overtaken", f"{dispatch.overtaken:,}: the next interrupt came before the task went on"),
    ]
    title = "interrupt dispatch in microseconds: handler's exit to the interrupted task"
    return Measured(title, rows, facts)


def _values(found: ValueFigures) -> Measured:
    rows = [_row(row.title, row.figures) for row in found.rows]
    unit = f"{1e9 / found.unit_hz:.3g} ns, "
    if found.by_clock:
        unit += "by the target's own clock in nanoseconds"
    elif found.rate_ppm is None:
        unit += "a tick at the rate that the agent reported"
    else:
        unit += f"a tick as reported; the analyzer finds its rate {found.rate_ppm:+.3f} ppm off"
    facts = [
        ("variant", f"{found.variant}: {found.variant_words}"),
        ("unit", unit),
        ("outside", found.seen_outside),
    ]
    if found.went_on:
        facts.append(("went on", f"{found.went_on:,} wakes did not preempt at once"))
    if found.without_value:
        facts.append(("no value", f"{found.without_value:,} iterations without a switch"))
    if found.at_zero:
        step = found.smallest_step_ns
        least = "no larger one" if step is None else f"the least step is {step:,.0f} ns"
        facts.append(("no step", f"{found.at_zero:,} values of 0; {least}"))
    return Measured(f"in microseconds: {found.title}", rows, facts)


def _spin(found: SpinFigures, evaluation: Evaluation) -> Measured:
    log = "not compared" if found.gaps_by_log is None else f"{found.gaps_by_log:,} by the log"
    same = "" if found.gaps_by_both is None else f", {found.gaps_by_both:,} the same"
    facts = [
        ("gaps", f"{found.gaps:,} above {found.threshold_ns / 1e3:g} us by the pin, {log}{same}"),
    ]
    if found.per_hour is not None and found.share is not None:
        facts.append(
            ("rate", f"{found.per_hour:,.1f} gaps an hour, {found.share:.3%} of the time in them")
        )
    hidden = "so much of a hold-up, or of its gap, may be the pause"
    facts.append(("pause", f"{found.pause_ns / 1e3:g} us between two toggles; {hidden}"))
    if found.at_threshold:
        facts.append(
            (
                "one side",
                f"{found.at_threshold:,} intervals at the threshold, told by one side only",
            )
        )
    facts += [(f"{each.number:,}", _gap(each)) for each in found.listed]
    rows = [_row("interval by pin", evaluation.figures)]
    return Measured("in microseconds: from one toggle of a spinning task to the next", rows, facts)


def _gap(found: SpinGap) -> str:
    bounds = "no record"
    if found.lowest_ns is not None and found.highest_ns is not None:
        bounds = f"{found.lowest_ns / 1e3:.3f} to {found.highest_ns / 1e3:.3f} us by the log"
    return f"{found.pins_ns / 1e3:.3f} us by the pin, {bounds}, until {found.at_s:.6f} s"


def _self_trigger(found: SelfTriggerFigures) -> Measured:
    rows = [
        _row("outside, by pins", found.external),
        _row("inside, by ticks", found.internal),
    ]
    brackets = found.brackets
    if brackets.least_ns is None or brackets.most_ns is None:
        difference = "not compared: edges and records are not as many"
    else:
        difference = (
            f"{brackets.least_ns / 1e3:+.3f} to {brackets.most_ns / 1e3:+.3f} us, outside less "
            f"inside, of {brackets.compared:,} events"
        )
    title = "latency in microseconds of the same interrupts, made by the target itself"
    return Measured(title, rows, [("difference", difference)])
