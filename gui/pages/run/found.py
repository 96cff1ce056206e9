# SPDX-License-Identifier: GPL-3.0-or-later
"""What a finished run found beside its figures: a rate, gaps, or what the target's tools say.

Names are those of the reports; numbers are written as there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gui.engine.outcome import Outcome
from gui.plots.words import NONE
from gui.widgets.figures import Row
from rig.report.units import micro

if TYPE_CHECKING:
    from rig.analysis.measurements.saturation import SaturationFigures

Group = tuple[str, list[Row]]


def saturation_of(outcome: Outcome) -> SaturationFigures | None:
    """None for runs that searched for no rate."""
    from rig.analysis.measurements.saturation import SaturationFigures
    from rig.session.result_document import LAYOUT
    from rig.untrusted.decode import KIND, decoded

    details = outcome.document["details"] or {}
    if details.get(KIND) != LAYOUT.tags[SaturationFigures]:
        return None
    return decoded(SaturationFigures, details, layout=LAYOUT)


def saturation_rows(found: SaturationFigures) -> Group:
    """Spacings around the limit, each with the report's words as a hint."""
    from rig.report.saturation_words import facts, title

    words = {name: micro(text) for name, text in facts(found)}
    times = (
        ("spacing", found.kept_ns),
        ("first lost", found.lost_ns),
        ("limit", found.limit_ns),
        ("U", found.expanded_ns),
    )
    rows = [
        Row(name, f"{ns / 1e3:.3f}", hint=words.get(name, words.get("limit", title(found))))
        for name, ns in times
        if ns is not None
    ]
    if found.contradictions:
        rows.append(Row("not sharp", str(found.contradictions), "warn", words["not sharp"]))
    return "least spacing, µs", rows


def rate_text(found: SaturationFigures) -> str:
    """The highest rate that was kept up with."""
    return NONE if found.rate_hz is None else f"{found.rate_hz:,.0f}/s"


def gap_rows(outcome: Outcome) -> Group | None:
    """Of a spinning task; None for other measurements."""
    found: Mapping[str, Any] = outcome.document["details"] or {}
    if "gaps_by_log" not in found:
        return None
    counts = (("by pin", "gaps"), ("by log", "gaps_by_log"), ("the same", "gaps_by_both"))
    rows = [
        Row(name, NONE if found[key] is None else f"{found[key]:,}", "warn" if found[key] else "")
        for name, key in counts
    ]
    if found["per_hour"] is not None and found["share"] is not None:
        rows.append(Row("gaps an hour", f"{found['per_hour']:,.1f}"))
        rows.append(Row("of the time", f"{found['share']:.3%}"))
    return f"gaps above {found['threshold_ns'] / 1e3:g} µs", rows


def tool_rows(outcome: Outcome) -> Group | None:
    """Largest less least of each where it is told, else the largest; None for a run without."""
    if not outcome.tools:
        return None
    hints: dict[str, str] = {}
    for name, text in outcome.tool_facts:
        hints.setdefault(name, micro(text))
    gaps = any(cells[-1] != "-" for _, cells in outcome.tools)
    rows = []
    for name, cells in outcome.tools:
        text = cells[-1] if gaps else cells[-2]
        absent = text == "-"
        rows.append(
            Row(name, NONE if absent else text, "dim" if absent else "", hints.get(name, ""))
        )
    return f"target's tools, {'max - min' if gaps else 'max'}, µs", rows


def silent_tools(outcome: Outcome) -> str:
    """Why tools have no figures, a line each."""
    silent = {name for name, cells in outcome.tools if all(cell == "-" for cell in cells)}
    return "\n".join(
        f"{name}: {micro(text)}" for name, text in outcome.tool_facts if name in silent
    )
