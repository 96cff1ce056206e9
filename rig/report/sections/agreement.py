# SPDX-License-Identifier: GPL-3.0-or-later
"""The latency by the analyzer beside that by the stimulus's own input capture, event by event."""

from __future__ import annotations

from rig.report.page_data import PageData
from rig.report.plots.agreement import agreement_svg
from rig.report.plots.allan import allan_svg
from rig.report.plots.brackets import brackets_svg
from rig.report.sections.html import figure


def agreement(data: PageData) -> str:
    """Belongs below the witnesses."""
    return "\n".join(
        part for part in (_capture(data), _brackets(data), _wander(data), _inside(data)) if part
    )


def _brackets(data: PageData) -> str:
    """Clock residuals inside their brackets; "" if the log was not or cannot be tested."""
    clock = data.result.evaluation.clock_agreement
    if clock is None or clock.residuals is None:
        return ""
    shown = clock.residuals
    svg = brackets_svg(shown.time_s, shown.before_ns, shown.after_ns)
    part = "All" if len(shown.time_s) == clock.n else f"{len(shown.time_s):,} of"
    return figure(
        svg,
        f"{part} {clock.n:,} edges and the target's two time stamps around each pin write, by one "
        f"clock fitted to both. {clock.text[0].upper()}{clock.text[1:]}.",
    )


def _wander(data: PageData) -> str:
    """Allan deviations; "" for a run too short for them."""
    return figure(
        allan_svg(data.result.evaluation.stability),
        "How much each pair of clocks wanders, by averaging time (overlapping Allan deviation). "
        "What lies below its dashed line may be resolution alone.",
    )


def _inside(data: PageData) -> str:
    """External against internal latency; "" without a clock."""
    inside = data.result.evaluation.internal_latency
    if inside is None:
        return ""
    external, internal = (part / 1e3 for part in inside.pairs_ns)
    svg = agreement_svg(
        external,
        internal,
        first_name="external",
        second_name="inside the target",
        offset_ns=-inside.rest_average_ns,
        name="inside",
    )
    part = "All" if len(external) == inside.n else f"{len(external):,} of"
    return figure(
        svg,
        f"{part} {inside.n:,} events: from pin to pin, and from the stimulus to the target's own "
        f"time stamp before its pin write, {inside.rest_average_ns:.1f} ns earlier on average.",
    )


def _capture(data: PageData) -> str:
    """By the stimulus's input capture; "" without it."""
    compared = data.result.evaluation.capture
    if data.pairs is None or compared is None:
        return ""
    first, second = data.pairs
    svg = agreement_svg(
        first,
        second,
        first_name="by the analyzer",
        second_name="by input capture",
        offset_ns=compared.offset_ns,
        allowed_ns=compared.allowed_ns,
    )
    part = "All" if len(first) == compared.n else f"{len(first):,} of"
    return figure(
        svg,
        f"{part} {compared.n:,} events that both saw, each on its own clock. Dashed: one sample "
        "and one tick, which is what resolution explains. A stimulus that left late lies outside.",
    )
