# SPDX-License-Identifier: GPL-3.0-or-later
"""The classic figures, and plots of the distribution of the values."""

from __future__ import annotations

from functools import partial

from rig.document import Plot, Section, Values, section
from rig.formatting import capitalized
from rig.measurements.registry import measurement_of
from rig.plots.histogram import histogram_svg
from rig.plots.tail import TailEstimate, tail_svg
from rig.report.labels import figure_rows
from rig.session.results import Result


def quantity_of(result: Result) -> str:
    """Return the quantity that a run's figures and its distribution are of."""
    return measurement_of(result.settings.measurement).quantity(result.evaluation)


def figures(result: Result) -> tuple[Section, ...]:
    """Return the classic figures."""
    quantity = quantity_of(result)
    answered = ", of all that were answered" if quantity == "latency" else ""
    title = f"{capitalized(quantity)} in microseconds{answered}"
    return section("figures", title, Values(figure_rows(result.evaluation)))


def distribution(result: Result) -> tuple[Section, ...]:
    """Return histogram and complementary distribution; nothing without values."""
    found, quantity = result.evaluation.histogram, quantity_of(result)
    if not found.n:
        return ()
    average_ns, limit_ns = result.evaluation.figures.average_ns, result.settings.limits.max_ns
    limit_us = None if limit_ns is None else limit_ns / 1e3
    values, estimate = (found.values, found.counts, 1e9 / result.unit_hz), _estimate(result)
    told = ""
    if estimate is not None:
        told = (
            f" The diamond is the level that an event in {1 / estimate.share:,.0f} exceeds, "
            "estimated with its 95 % interval; no guarantee."
        )
    return section(
        "distribution",
        "Distribution",
        Plot(
            f"All {found.n:,} values; none is left out. The count is logarithmic.",
            partial(
                histogram_svg,
                *values,
                average_us=None if average_ns is None else average_ns / 1e3,
                limit_us=limit_us,
                quantity=quantity,
            ),
        ),
        Plot(
            "Exact binomial interval of each share, for independent events. Beyond the observed "
            f"maximum nothing was seen in {found.n:,} events: it is not a bound.{told}",
            partial(tail_svg, *values, limit_us=limit_us, estimate=estimate, quantity=quantity),
        ),
    )


def _estimate(result: Result) -> TailEstimate | None:
    """Return the tail's estimate, unless it was refused."""
    inference = result.evaluation.primary.inference
    tail = None if inference is None else inference.tail
    if tail is None or tail.level is None or tail.interval is None:
        return None
    interval = tail.interval.scaled(1e-3)
    if interval.low is None or interval.high is None:
        return None
    return TailEstimate(tail.probability, tail.level / 1e3, interval.low, interval.high)
