# SPDX-License-Identifier: GPL-3.0-or-later
"""What n events allow to be said: intervals, dependence, tail; and the tick that was found."""

from __future__ import annotations

import math

from rig.printable import html_text
from rig.report.beyond import beyond_facts, further_facts
from rig.report.page_data import PageData
from rig.report.plots.folded import folded_svg
from rig.report.sections.html import facts, figure, section
from rig.report.words import load_of

_BUDGETS = "uncertainty"
"""These have a section of their own."""


def beyond(data: PageData) -> str:
    """ "" for a measurement that has no latencies."""
    result = data.result
    rows = beyond_facts(result.evaluation, load_of(result.settings))
    return section(
        "What these values allow to be said, in microseconds",
        facts([(name, text) for name, text in rows if name != _BUDGETS]),
        _tick(data),
        *_further(data),
    )


def _further(data: PageData) -> list[str]:
    """All else that was measured, with its uncertainty: it has no table of its own."""
    result = data.result
    return [
        f"<h3>{html_text(name[0].upper() + name[1:])}</h3>{facts(rows)}"
        for name, rows in further_facts(result.evaluation, load_of(result.settings))
    ]


def _tick(data: PageData) -> str:
    inference = data.result.evaluation.primary.inference
    if not data.drawn or inference is None or inference.tick.rate_hz is None:
        return ""
    tick = inference.tick
    svg = folded_svg(
        [value / 1e3 for value in tick.phase_average],
        [value / 1e3 for value in tick.phase_max],
        1e6 / (tick.rate_hz or math.inf),
    )
    return figure(
        svg,
        f"Latency against the phase of a tick of {tick.rate_hz:.3f} Hz, found among all rates that "
        f"{tick.n:,} events can show; it was not assumed. The phase is 0 at the first event.",
    )
