# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots of the agreement of two witnesses of the same events."""

from __future__ import annotations

from functools import partial

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.inference.internal_latency import InternalLatencySummary
from rig.analysis.measurements.clock_stability import ClockStability
from rig.document import Plot, Section, section
from rig.plots.agreement import agreement_svg
from rig.plots.allan import allan_svg
from rig.plots.brackets import brackets_svg
from rig.report.pictures import FloatArray, Pictures
from rig.session.results import Result


def agreement(result: Result, pictures: Pictures) -> tuple[Section, ...]:
    """Return plots of input capture, brackets, Allan deviations and internal latency, if any."""
    evaluation = result.evaluation
    capture = evaluation.capture
    return section(
        "agreement",
        "Agreement of witnesses",
        None if pictures.pairs is None or capture is None else _capture(capture, *pictures.pairs),
        _brackets(evaluation.clock_agreement),
        _stability(evaluation.stability),
        _inside(evaluation.internal_latency),
    )


def _brackets(clock: ClockAgreement | None) -> Plot | None:
    """Return the plot of residuals inside their brackets; None if the log was not tested."""
    if clock is None or clock.residuals is None:
        return None
    shown = clock.residuals
    return Plot(
        f"{_part(len(shown.time_s), clock.n)} edges and the target's two time stamps around each "
        f"pin write, by one clock fitted to both. {clock.text[0].upper()}{clock.text[1:]}.",
        partial(brackets_svg, shown.time_s, shown.before_ns, shown.after_ns),
    )


def _stability(found: tuple[ClockStability, ...]) -> Plot | None:
    """Return the plot of Allan deviations; None for a run too short for them."""
    if not any(each.tau_s for each in found):
        return None
    return Plot(
        "How much each pair of clocks wanders, by averaging time (overlapping Allan deviation). "
        "What lies below its dashed line may be resolution alone.",
        partial(allan_svg, found),
    )


def _inside(found: InternalLatencySummary | None) -> Plot | None:
    """Return the plot of external against internal latency; None without a clock."""
    if found is None or not len(found.pairs_ns[0]):
        return None
    external, internal = (part / 1e3 for part in found.pairs_ns)
    return Plot(
        f"{_part(len(external), found.n)} events: from pin to pin, and from the stimulus to the "
        f"target's own time stamp before its pin write, {found.rest_average_ns:.1f} ns earlier on "
        "average.",
        partial(
            agreement_svg,
            external,
            internal,
            first_name="external",
            second_name="inside the target",
            offset_ns=-found.rest_average_ns,
            name="inside",
        ),
    )


def _capture(compared: CaptureComparison, first: FloatArray, second: FloatArray) -> Plot:
    """Return the plot of latencies by analyzer against those by the stimulus's input capture."""
    return Plot(
        f"{_part(len(first), compared.n)} events that both saw, each on its own clock. Dashed: one "
        "sample and one tick, which is what resolution explains. A stimulus that left late lies "
        "outside.",
        partial(
            agreement_svg,
            first,
            second,
            first_name="by the analyzer",
            second_name="by input capture",
            offset_ns=compared.offset_ns,
            allowed_ns=compared.allowed_ns,
        ),
    )


def _part(shown: int, n: int) -> str:
    return f"All {n:,}" if shown == n else f"{shown:,} of {n:,}"
