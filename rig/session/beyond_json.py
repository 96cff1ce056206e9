# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes beyond the classic figures, as plain values in nanoseconds for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.inference.extended import Beyond
from rig.analysis.inference.internal_latency import InsideFigures
from rig.analysis.measurements.limits import JudgedLimit
from rig.analysis.statistics.interval import Interval
from rig.analysis.statistics.summary import Figures
from rig.analysis.statistics.tail import Tail
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution, Unknown
from rig.analysis.uncertainty.effects import Effects
from rig.analysis.uncertainty.measurand import Measurand


def beyond_json(beyond: Beyond) -> dict[str, Any]:
    """docs/results.md lists the names."""
    overruns, sample_ns = asdict(beyond.overruns), beyond.sample_ns
    return {
        "statistics": None if beyond.figures is None else _figures(beyond.figures, sample_ns),
        "overruns": {"events": overruns.pop("n"), **overruns},
        "clock": None if beyond.clock is None else _clock(beyond.clock),
        "inside": None if beyond.inside is None else _inside(beyond.inside),
        "uncertainty": {name: _budget(each) for name, each in beyond.budgets.items()},
    }


def measurand_json(found: Measurand) -> dict[str, Any]:
    """What is said of one thing that was measured: its figures, and what goes beyond these."""
    return {
        "figures": asdict(found.statistics),
        "statistics": None if found.figures is None else _figures(found.figures, found.unit_ns),
        "uncertainty": {name: _budget(each) for name, each in found.budgets.items()},
        "unit_ns": found.unit_ns,
        "effects": effects_json(found.effects),
    }


def effects_json(effects: Effects) -> dict[str, Any]:
    """What bears upon a measurand: offsets in ns, scales in ppm."""
    return {
        "resolution_ns": effects.resolution_ns,
        "reach_ns": effects.reach_ns,
        "offsets": [_contribution(each) for each in effects.offsets],
        "scales": [_contribution(Contribution(*each)) for each in effects.scales],
        "unknown_offsets": [_unknown(each) for each in effects.unknown_offsets],
        "unknown_scales": [_unknown(each) for each in effects.unknown_scales],
    }


def limit_json(limit: JudgedLimit) -> dict[str, Any]:
    """A limit of the plan, what was found, and what came of it. Times in ns, counts as they are."""
    return {**asdict(limit), "judgment": str(limit.judgment), "text": limit.text}


def _interval(interval: Interval, sample_ns: float) -> dict[str, float | None]:
    scaled = interval.scaled(sample_ns)
    return {"low_ns": scaled.low, "high_ns": scaled.high, "confidence": scaled.confidence}


def _figures(figures: Figures, sample_ns: float) -> dict[str, Any]:
    average, trend, tick = figures.average, figures.trend, figures.tick
    return {
        "average": None
        if average is None
        else {**_interval(average.interval, sample_ns), "effective_n": average.effective_n},
        "median": _interval(figures.median, sample_ns),
        "percentiles": [
            {
                "percent": each.percent,
                "value_ns": each.value * sample_ns,
                **_interval(each.interval, sample_ns),
            }
            for each in figures.percentiles
        ],
        "maximum": {
            "value_ns": figures.maximum.value * sample_ns,
            "n": figures.maximum.n,
            "effective_n": figures.maximum.effective_n,
            "probability_beyond": figures.maximum.beyond,
            "confidence": figures.maximum.confidence,
        },
        "independence_p_value": figures.autocorrelation.p_value,
        "trend": None
        if trend is None
        else {
            "p_value": trend.p_value,
            "change_ns": trend.change * sample_ns,
            **_interval(trend.interval, sample_ns),
        },
        "changes": [
            {
                "kind": each.kind,
                "event": each.event,
                "before_ns": each.before * sample_ns,
                "after_ns": each.after * sample_ns,
                "p_value": each.p_value,
            }
            for each in figures.changes
        ],
        "tick": {
            "refused": tick.refused,
            "p_value": tick.p_value,
            "rate_hz": tick.rate_hz,
            "explained": tick.explained,
        },
        "tail": None if figures.tail is None else _tail(figures.tail, sample_ns),
        "exact": figures.exact,
    }


def _tail(tail: Tail, sample_ns: float) -> dict[str, Any]:
    level = tail.level
    return {
        "probability": tail.probability,
        "refused": tail.refused,
        "level_ns": None if level is None else level * sample_ns,
        "interval": None if tail.interval is None else _interval(tail.interval, sample_ns),
        "shape": tail.shape,
        "exceedances": tail.exceedances,
    }


def _clock(clock: ClockAgreement) -> dict[str, Any]:
    return {
        "events": clock.n,
        "of": clock.of,
        "holds": clock.holds,
        "slack_ns": clock.slack_ns,
        "rate_ppm": clock.rate_ppm,
        "findings": list(clock.findings),
    }


def _budget(budget: Budget) -> dict[str, Any]:
    """All in nanoseconds but where a quantity has its own unit."""
    return {
        "figure": budget.figure,
        "indicated_ns": budget.indication,
        "correction_ns": budget.correction,
        "corrected_ns": budget.corrected,
        "combined_ns": budget.combined,
        "expanded_ns": budget.expanded,
        "coverage_factor": budget.coverage_factor,
        "contributions": [_contribution(each) for each in budget.contributions],
        "unknown": [_unknown(each) for each in budget.unknown],
    }


def _contribution(found: Contribution) -> dict[str, Any]:
    return {
        "name": found.name,
        "distribution": found.quantity.distribution,
        "type": found.quantity.evaluation,
        "estimate": found.quantity.estimate,
        "standard_uncertainty": found.quantity.standard_uncertainty,
        "unit": found.quantity.unit,
        "degrees_of_freedom": _finite(found.quantity.degrees_of_freedom),
        "sensitivity": found.sensitivity,
        "uncertainty_ns": found.uncertainty,
        "source": found.quantity.source,
    }


def _unknown(found: Unknown) -> dict[str, str]:
    return {"name": found.name, "remedy": found.remedy}


def _finite(value: float) -> float | None:
    """JSON has no infinity: null."""
    return value if math.isfinite(value) else None


def _inside(inside: InsideFigures) -> dict[str, Any]:
    return {
        "events": inside.n,
        "average_ns": inside.average_ns,
        "min_ns": inside.min_ns,
        "max_ns": inside.max_ns,
        "within_ns": inside.within_ns,
        "rest_average_ns": inside.rest_average_ns,
    }
