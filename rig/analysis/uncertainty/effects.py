# SPDX-License-Identifier: GPL-3.0-or-later
"""Systematic effects on a measurand, and the budgets of its statistics that follow from them.

An *offset* is the same for each value of a run: it shifts maximum, average and percentiles alike
and drops out of the measures of spread. A *scale* is a clock that runs too fast: its effect grows
with the time that was measured. Signs and rules are those of rig.analysis.uncertainty.error_model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.by_edge import DIRECTION, ByEdge
from rig.analysis.uncertainty.contribution import (
    Contribution,
    UncertainQuantity,
    Unknown,
    limits,
    mean_of,
)
from rig.analysis.uncertainty.error_model import PPM, BenchErrorModel, latency_budget

_EDGES = ("quantization of the first edge", "quantization of the second edge")
_TIME_BASE = "analyzer time base"
_RATE = Unknown(
    "rate of the target's counter",
    "wire the response pin and fetch the target's log, so that one clock can be fitted to both",
)


@dataclass(frozen=True)
class SystematicEffects:
    """The systematic effects on one measurand."""

    resolution_ns: float
    """Resolution to which each of the two ends of a value is known."""
    offsets: tuple[Contribution, ...] = ()
    scales: tuple[Contribution, ...] = ()
    """Clocks, their rates in ppm, positive if the clock runs too fast."""
    unknown_offsets: tuple[Unknown, ...] = ()
    unknown_scales: tuple[Unknown, ...] = ()
    base_interval_ns: float = 0.0
    """Time measured beyond the value itself, as the period where the value is its error."""
    by_edge: ByEdge | None = field(default=None, compare=False)
    """The values by the edge that each ends with, for its correction; None: not known of each."""

    def value(self, figure: str, indicated_ns: float) -> Budget:
        """Return the budget of one value that was not chosen for its size, or of a percentile."""
        edge = limits(self.resolution_ns / 2, "ns", self._source)
        return self._budget(figure, indicated_ns, [Contribution(name, edge) for name in _EDGES])

    def extreme(self, figure: str, indicated_ns: float) -> Budget:
        """Return the budget of the largest or smallest value, likely made so by quantization."""
        quantity = limits(self.resolution_ns, "ns", f"{self._source}; chosen among many")
        part = Contribution("quantization of both edges", quantity)
        return self._budget(figure, indicated_ns, [part])

    def mean(
        self,
        figure: str,
        indicated_ns: float,
        deviation_ns: float,
        effective_n: float,
        *,
        kept: float = 1.0,
        excess_kurtosis: float = 0.0,
    ) -> Budget:
        """Return the budget of the average; `effective_n`: how many independent values it is worth.

        `kept`: share of one edge's quantization that is not known to average out.
        `excess_kurtosis`: of the values.
        """
        edge = limits(kept * self.resolution_ns / 2, "ns", f"{self._source}, as far as it stays")
        parts = [Contribution(name, edge) for name in _EDGES]
        if not effective_n > 1:
            few = Unknown("repeatability", "measure at least 2 events")
            return self._budget(figure, indicated_ns, parts, (few,))
        source = f"sample deviation {deviation_ns:,.1f} ns of {effective_n:,.0f} values"
        scatter = mean_of(deviation_ns, effective_n, "ns", source, excess_kurtosis=excess_kurtosis)
        parts.append(Contribution("repeatability", scatter))
        return self._budget(figure, indicated_ns, parts)

    def spread(self, figure: str, indicated_ns: float) -> Budget:
        """Return the budget of a distance between two chosen values: offsets drop out."""
        quantity = limits(self.resolution_ns, "ns", self._source)
        parts = [
            Contribution("quantization of the larger value", quantity),
            Contribution("quantization of the smaller value", quantity),
            *self._scaled(indicated_ns),
        ]
        return Budget(figure, indicated_ns, tuple(parts), self.unknown_scales)

    def reaching(self, time_ns: float) -> SystematicEffects:
        """Return the effects on values that are only the error of this time."""
        return replace(self, base_interval_ns=time_ns)

    @property
    def _source(self) -> str:
        return f"resolution {self.resolution_ns:g} ns"

    def _budget(
        self,
        figure: str,
        indicated_ns: float,
        parts: list[Contribution],
        unknown: tuple[Unknown, ...] = (),
    ) -> Budget:
        all_parts = (*parts, *self._scaled(self.base_interval_ns + indicated_ns), *self.offsets)
        missing = (*unknown, *self.unknown_scales, *self.unknown_offsets)
        return Budget(figure, indicated_ns, all_parts, missing)

    def _scaled(self, time_ns: float) -> list[Contribution]:
        return [replace(each, sensitivity=-time_ns * PPM) for each in self.scales]


def of_latency(bench: BenchErrorModel) -> SystematicEffects:
    """Return the effects on a stimulus-to-answer time, by rig.analysis.uncertainty.error_model."""
    whole = latency_budget("", 0.0, bench)  # of no length: scales have no effect
    offsets = [
        part
        for part in whole.contributions
        if part.sensitivity and not part.name.startswith("quantization")
    ]
    missing = tuple(part for part in whole.unknown if part.name != _TIME_BASE)
    return replace(on_analyzer(bench), offsets=tuple(offsets), unknown_offsets=missing)


def by_edge(effects: SystematicEffects, values: ByEdge) -> SystematicEffects:
    """Return the effects where the edges' difference is taken off each value."""
    parts = tuple(
        replace(part, quantity=values.later_ns) if part.name == DIRECTION else part
        for part in effects.offsets
    )
    return replace(effects, offsets=parts, by_edge=values)


def of_intervals(bench: BenchErrorModel, period_ns: float) -> SystematicEffects:
    """Return the effects on a time between two edges of a pin, of which one rises and one falls."""
    found = replace(on_analyzer(bench), base_interval_ns=period_ns)
    name = "rising against falling edges"
    if bench.skew_ns is None:
        return replace(found, unknown_offsets=(Unknown(name, "calibrate the bench"),))
    return replace(found, offsets=(Contribution(name, _centered(bench.skew_ns)),))


def of_grid_latency(
    bench: BenchErrorModel, slope_u_ppm: float | None, duration_ns: float
) -> SystematicEffects:
    """Return the effects on latencies past a grid fitted to the same edges: no delays of wires."""
    return on_own_grid(on_analyzer(bench), slope_u_ppm, duration_ns)


def on_own_grid(
    clock: SystematicEffects, slope_u_ppm: float | None, duration_ns: float
) -> SystematicEffects:
    """Return the effects on a latency by this clock, past a grid fitted to the same values.

    `slope_u_ppm`: standard uncertainty of the grid's rate, which tilts it about its middle.
    """
    source = "the earliest answers are known to the resolution"
    place = limits(clock.resolution_ns / 2, "ns", source)
    offsets = [Contribution("place of the grid", place)]
    if slope_u_ppm is None:
        few = Unknown("rate of the grid", "measure more periods")
        return replace(clock, offsets=tuple(offsets), unknown_offsets=(few,))
    source = f"u of its rate {slope_u_ppm:.2g} ppm, over half the run"
    reach = limits(slope_u_ppm * PPM * duration_ns / 2, "ns", source)
    offsets.append(Contribution("rate of the grid", reach))
    return replace(clock, offsets=tuple(offsets))


def between_answers(bench: BenchErrorModel, room_ns: float | None = None) -> SystematicEffects:
    """Return the effects on a time from one answering pin to another, as handler's to task's.

    `room_ns`: what is not known of their delays is no more than this, by the target's log.
    """
    parts = (
        ("channel skew", bench.skew_ns),
        ("threshold and edge shape", bench.edge_shape_ns),
        ("line delay", bench.line_ns),
    )
    known = [Contribution(name, _centered(found)) for name, found in parts if found is not None]
    missing = [Unknown(name, "calibrate the bench") for name, found in parts if found is None]
    if bench.task_skew_ns is not None:
        name = parts[0][0]
        known = [part for part in known if part.name != name]
        missing = [part for part in missing if part.name != name]
        known.append(Contribution(name, bench.task_skew_ns, -1.0))
    if missing and room_ns is not None:
        room = limits(room_ns, "ns", "not stated: as far as the target's log bears it out")
        known, missing = [*known, Contribution("wires and inputs", room)], []
    return replace(on_analyzer(bench), offsets=tuple(known), unknown_offsets=tuple(missing))


def on_counter(
    bench: BenchErrorModel, tick_hz: int, clock: ClockAgreement | None, duration_ns: float
) -> SystematicEffects:
    """Return the effects on a time between two readings of the counter, by the analyzer's clock."""
    known = on_analyzer(bench)
    tick_ns = 1e9 / tick_hz
    if clock is None or clock.rate_ppm is None or not duration_ns > 0:
        return SystematicEffects(tick_ns, (), (), (), (_RATE,))
    play_ns = (clock.slack_ns or 0.0) + bench.sample_ns + tick_ns
    source = f"one clock fitted to {clock.n:,} edges and records"
    rate = limits(play_ns / duration_ns / PPM, "ppm", source, estimate=clock.rate_ppm)
    return SystematicEffects(
        tick_ns, (), (*known.scales, Contribution(_RATE.name, rate)), (), known.unknown_scales
    )


def on_analyzer(bench: BenchErrorModel) -> SystematicEffects:
    """Return the effects on a time between two edges of one channel, by the analyzer's clock."""
    if bench.time_base_ppm is not None:
        return SystematicEffects(
            bench.sample_ns, (), (Contribution(_TIME_BASE, bench.time_base_ppm),)
        )
    whole = latency_budget("", 0.0, bench)
    missing = tuple(part for part in whole.unknown if part.name == _TIME_BASE)
    return SystematicEffects(bench.sample_ns, unknown_scales=missing)


def _centered(found: UncertainQuantity) -> UncertainQuantity:
    """Return the quantity for other edges than its own: how large it may be, but not which way."""
    u = math.hypot(found.estimate, found.standard_uncertainty)
    return replace(found, estimate=0.0, standard_uncertainty=u)
