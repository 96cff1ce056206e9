# SPDX-License-Identifier: GPL-3.0-or-later
"""What `rig show --json` prints, in the words of format 1, in which the results here are stored.

Format 1 had the figures of the primary measurand at its top, intervals and quantities without an
object of their own, and other names for much of it. Its numbers must be those of today.
"""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]

RENAMED: dict[str, str] = {
    "backlog_growing": "behind",
    "base_interval_ns": "reach_ns",
    "complete": "whole",
    "conflicts": "contradictions",
    "error": "trouble",
    "failed_ns": "lost_ns",
    "is_complete": "whole",
    "missing": "lacking",
    "reported_overruns": "overruns_told",
    "sustained_ns": "kept_ns",
    "warnings": "cautions",
}
"""Keys of today, and what they were called."""
NEW = ("batch", "failed", "warm_up", "warm_up_max_ns")
"""Keys of details that format 1 did not have, where they are null."""
KINDS = {"toggle_gaps": "spin"}
"""Kinds of details that had a key of another name."""


def as_format_1(document: Document) -> Document:
    """The document as format 1 had it."""
    primary, *others = document["measurands"]
    measurement = {
        "name": document["measurement"],
        **{key: document[key] for key in ("scenario", "sample_period_ns")},
        **document["counts"],
        **_figures(primary["statistics"]),
        **{key: document[key] for key in ("limits", "duration_s", "paired_by")},
        **_details(document["details"]),
        "beyond": {
            "statistics": _inference(primary),
            "overruns": _with_events(document["overruns"]),
            "clock": _clock(document["clock_agreement"]),
            "inside": _inside(document["internal_latency"]),
            "uncertainty": _budgets(primary),
        },
        "corrected": {
            **_without(primary["corrected"], "n"),
            **{key: primary["correction"][key] for key in ("factor", "offset_ns", "unknown")},
            "left_ns": primary["residual_error_ns"],
        },
        "effects": _effects(primary["effects"]),
        "further": {each["name"]: _measurand(each) for each in others},
        "clocks": document["clocks"],
        "delays": document["delays"],
        "wander": document["stability"],
        "evidence": document["evidence"],
    }
    absent = [
        key for key in ("further", "clocks", "delays", "wander", "evidence") if not measurement[key]
    ]
    found = {
        **{key: document[key] for key in _AT_THE_TOP},
        "measurements": [_without(measurement, *absent)],
        "calibration": _renamed(document["calibration"]),
        "digests": document["digests"],
        "tools": [_tool(each) for each in document["tools"]],
    }
    return _without(found, *(key for key in ("tools", "digests") if not found[key]))


_AT_THE_TOP = (
    "file", "state", "samples", "planned", "verdict", "reasons", "witnesses", "gaps"
)  # fmt: skip


def _tool(report: Document) -> Document:
    found = _without(report, "figures", "gaps")
    if report["gaps"] is not None:
        return {**found, **report["gaps"]}
    return {**found, "figures": report["figures"]} if report["figures"] else found


def _without(values: Document, *keys: str) -> Document:
    return {key: value for key, value in values.items() if key not in keys}


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {RENAMED.get(key, key): _renamed(each) for key, each in value.items()}
    return [_renamed(each) for each in value] if isinstance(value, list) else value


def _figures(statistics: Document) -> Document:
    return {"latencies": statistics["n"], **_without(statistics, "n")}


def _details(details: Document | None) -> Document:
    if details is None:
        return {}
    kind = details["kind"]
    new = (key for key in NEW if details.get(key, False) is None)
    return {KINDS.get(kind, kind): _renamed(_without(details, "kind", *new))}


def _with_events(values: Document | None) -> Document | None:
    return None if values is None else {"events": values["n"], **_without(values, "n")}


def _inside(values: Document | None) -> Document | None:
    """Format 1 did not have the stages of a latency."""
    found = _with_events(values)
    return found and _without(found, "stages")


def _clock(agreement: Document | None) -> Document | None:
    found = _with_events(agreement)
    return found and _without(found, "text", "rate_within_ppm")


def _interval(interval: Document) -> Document:
    return {
        "low_ns": interval["low"], "high_ns": interval["high"], "confidence": interval["confidence"]
    }  # fmt: skip


def _measurand(measurand: Document) -> Document:
    return {
        "figures": measurand["statistics"],
        "statistics": _inference(measurand),
        "uncertainty": _budgets(measurand),
        "unit_ns": measurand["unit_ns"],
        "effects": _effects(measurand["effects"]),
    }


def _inference(measurand: Document) -> Document | None:
    found = measurand["inference"]
    if found is None:
        return None
    assert found["unit"] == "ns"
    average, maximum, trend, tail = (found[key] for key in ("average", "maximum", "trend", "tail"))
    return {
        "average": average
        and {**_interval(average["interval"]), "effective_n": average["effective_n"]},
        "median": _interval(found["median"]),
        "percentiles": [
            {"percent": each["percent"], "value_ns": each["value"], **_interval(each["interval"])}
            for each in found["percentiles"]
        ],
        "maximum": {
            "value_ns": maximum["value"],
            "probability_beyond": maximum["exceedance_probability_bound"],
            **{key: maximum[key] for key in ("n", "effective_n", "confidence")},
        },
        "independence_p_value": found["autocorrelation"]["p_value"],
        "trend": trend
        and {
            "p_value": trend["p_value"],
            "change_ns": trend["change"],
            **_interval(trend["interval"]),
        },
        "changes": [
            {
                **{key: each[key] for key in ("kind", "event", "p_value")},
                "before_ns": each["before"],
                "after_ns": each["after"],
            }
            for each in found["changes"]
        ],
        "tick": _without(found["tick"], "n"),
        "tail": tail
        and {
            **{key: tail[key] for key in ("probability", "refused", "shape", "exceedances")},
            "level_ns": tail["level"],
            "interval": tail["interval"] and _interval(tail["interval"]),
        },
        "exact": found["exact"],
    }


def _budgets(measurand: Document) -> Document:
    return {name: _budget(each) for name, each in measurand["budgets"].items()}


def _budget(budget: Document) -> Document:
    assert budget["unit"] == "ns"
    return {
        "figure": budget["figure"],
        "indicated_ns": budget["indication"],
        **{f"{key}_ns": budget[key] for key in ("correction", "corrected", "combined", "expanded")},
        "coverage_factor": budget["coverage_factor"],
        "contributions": [_contribution(each) for each in budget["contributions"]],
        "unknown": budget["unknown"],
    }


def _contribution(contribution: Document) -> Document:
    quantity = contribution["quantity"]
    return {
        "name": contribution["name"],
        "sensitivity": contribution["sensitivity"],
        "uncertainty_ns": contribution["uncertainty"],
        "type": quantity["evaluation"],
        **_without(quantity, "evaluation"),
    }


def _effects(effects: Document) -> Document:
    return {
        **_renamed(_without(effects, "offsets", "scales")),
        "offsets": [_contribution(each) for each in effects["offsets"]],
        "scales": [_contribution(each) for each in effects["scales"]],
    }
