# SPDX-License-Identifier: GPL-3.0-or-later
"""The page's head: what was measured on what, the verdict, and the figures that matter most."""

from __future__ import annotations

from rig.analysis.measurements.saturation import SaturationFigures
from rig.printable import html_text
from rig.report.page_data import PageData
from rig.report.sections.budget import average_of, maximum_of
from rig.report.sections.html import bullets
from rig.report.sections.numbers import rounded
from rig.report.words import VERDICT_WORDS, title_of

_TARGET = ("system", "release", "preemption", "machine", "processor")
"""What a target's environment is named by, as far as the agent tells it."""


def title(data: PageData) -> str:
    """What was measured, in one line of plain text."""
    words = title_of(data.result.settings)
    return words[0].upper() + words[1:]


def head(data: PageData) -> str:
    """Title, verdict with its reasons, and cards."""
    evaluation = data.result.evaluation
    return (
        f"<header><h1>{html_text(title(data))}</h1>"
        f"<p class=sub>{html_text(_on_what(data))}</p></header>"
        f'<p class="verdict"><span class="badge {evaluation.verdict}">'
        f"{evaluation.verdict.upper()}</span> {html_text(VERDICT_WORDS[evaluation.verdict])}</p>"
        + bullets(evaluation.reasons)
        + _cards(data)
    )


def _on_what(data: PageData) -> str:
    """Target, bench and time, as far as they are known."""
    target, analyzer = (data.environment.get(name, {}) for name in ("target", "analyzer"))
    inside = target.get("environment")
    known = inside if isinstance(inside, dict) else {}
    system = " ".join(str(known[name]) for name in _TARGET if known.get(name))
    fixture = data.fixture.get("fixture", {})
    bench = str(fixture.get("title") or fixture.get("name") or "")
    parts = [
        f"Target: {system}" if system else "",
        f"bench: {bench}" if bench else "",
        f"analyzer: {analyzer.get('model') or analyzer.get('driver')}" if analyzer else "",
        data.result.created,
    ]
    return " · ".join(part for part in parts if part)


def _cards(data: PageData) -> str:
    """n, maximum, average, what went wrong."""
    evaluation = data.result.evaluation
    counts, figures = evaluation.counts, evaluation.figures
    wrong = counts.n - counts.answered + counts.duplicate + counts.spurious
    cards = [(f"{figures.n:,}", f"values in {evaluation.duration_s:,.1f} s")]
    for name, value_ns, budget in (
        ("observed maximum", figures.max_ns, maximum_of(data)),
        ("average", figures.average_ns, average_of(data)),
    ):
        if budget is not None:
            reserve = "" if budget.is_whole else "; U of what is known"
            cards.append((f"{rounded(value_ns or 0.0, budget.expanded)} us", name + reserve))
        elif value_ns is not None:
            cards.append((f"{value_ns / 1e3:.3f} us", name))
    is_search = isinstance(evaluation.details, SaturationFigures)
    sought = ", as the search wants" if is_search else ""
    cards.append((f"{wrong:,}", f"events not as they should be{sought}"))
    return (
        '<div class="cards">'
        + "".join(
            f'<div class="card"><b>{html_text(value)}</b><span>{html_text(name)}</span></div>'
            for value, name in cards
        )
        + "</div>"
    )
