# SPDX-License-Identifier: GPL-3.0-or-later
"""The error model of a bench, and the budgets of a latency measured on it.

The latency wanted runs from the stimulus edge at the target's line to the moment the agent begins
to write its pin. The analyzer indicates the distance of two edges at its own inputs, in samples of
its own clock.

    wanted = indicated * (1 - time base) - skew - line - toggle - bench - edges

Signs: each quantity is what makes the indication too long when positive. They are subtracted, and
their uncertainties stay.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.chips import CaptureTiming
from rig.analysis.uncertainty.clock_limits import ClockLimits
from rig.analysis.uncertainty.contribution import (
    Contribution,
    Distribution,
    UncertainQuantity,
    Unknown,
    limits,
    mean_of,
)

PPM = 1e-6


@dataclass(frozen=True)
class BenchErrorModel:
    """Properties of a bench. None: not known, which is reported and never taken for 0."""

    sample_ns: float
    """Sample period of the analyzer, nominal."""
    time_base_ppm: UncertainQuantity | None = None
    """How much too fast the analyzer's clock runs."""
    skew_ns: UncertainQuantity | None = None
    """Delay of the response channel less that of the stimulus channel, inside the analyzer."""
    edge_shape_ns: UncertainQuantity | None = None
    """The time that the signals take to reach the threshold: response less stimulus."""
    line_ns: UncertainQuantity | None = None
    """Delay of wires and level shifters: response path less stimulus path."""
    pin_write_delay: UncertainQuantity | None = None
    """Time from the agent's time stamp before its pin write to the pin's edge."""
    calibration_ns: UncertainQuantity | None = None
    """The time that the whole bench adds, as calibrated."""
    is_calibrated: bool = False
    """`calibration_ns` holds skew, edge shape and line together: they need not be known apart."""
    edge_direction_ns: UncertainQuantity | None = None
    """Half of what rising answers are later than falling ones, as calibrated; the other fields hold
    the mean of both. In an average of answers that take turns it cancels out."""
    edge_later_ns: UncertainQuantity | None = None
    """The same with its sign: half of what a rising answer's latency is too long by beyond a
    falling one's. It is subtracted where each answer's direction is known."""
    edge_shown_ns: UncertainQuantity | None = None
    """The part of `edge_later_ns` that is not the pin write's, but the analyzer's."""
    clocks: ClockLimits | None = None
    """How far each clock may be off its declared rate; None: not known, the usual limits hold."""
    capture_timing: CaptureTiming | None = None
    """The time that the stimulus's input capture takes itself."""
    capture_line_ns: UncertainQuantity | None = None
    """Delay of the wire from the answering pin to the capture pin."""
    delay_allowance_ns: float = 200.0
    """Largest delay of a path of wires and inputs for which none is stated."""
    wires_ns: UncertainQuantity | None = None
    """Skew, edge shape and line, as far as they are not known, by another witness."""
    task_skew_ns: UncertainQuantity | None = None
    """Delay of the interrupted task's channel less that of the response's: the mean of their edges,
    half of whose differences is in the uncertainty."""


_TIME_BASE = (
    "analyzer time base",
    "write [uncertainty] time_base_ppb into the fixture, or calibrate against a better clock",
)
PIN_WRITE = "agent's pin write"
_TOGGLE = (PIN_WRITE, "run with an agent whose log can be fetched")
_CALIBRATION = ("calibration of the bench", "calibrate with a wire in place of the target")


def latency_budget(figure: str, indicated_ns: float, bench: BenchErrorModel) -> Budget:
    """Return the budget of one latency not chosen for its size, such as that of a given event.

    Each edge happened up to one sample before the first sample that shows it, anywhere in it: the
    difference of two such errors is triangular, u = T / sqrt(6).
    """
    edge = limits(bench.sample_ns / 2, "ns", f"sample period {bench.sample_ns:g} ns")
    quantization = [
        Contribution("quantization of the stimulus edge", edge),
        Contribution("quantization of the response edge", edge),
    ]
    return _budget(figure, indicated_ns, bench, [*quantization, *_direction(bench)])


def extreme_budget(
    figure: str, indicated_ns: float, bench: BenchErrorModel, *, alone: bool
) -> Budget:
    """Return the budget of the largest or smallest of many latencies.

    The largest indication is likely one that quantization made larger. Among many values close
    together the error comes near its bound of one sample, so it is taken as rectangular over
    +- one sample. Only if no other value lies within two samples (`alone`) was there no choice.
    """
    if alone:
        return latency_budget(figure, indicated_ns, bench)
    source = f"sample period {bench.sample_ns:g} ns; chosen from values close together"
    quantity = limits(bench.sample_ns, "ns", source)
    quantization = [Contribution("quantization of both edges", quantity)]
    return _budget(figure, indicated_ns, bench, [*quantization, *_direction(bench)])


def average_budget(
    average_ns: float,
    deviation_ns: float,
    n: float,
    bench: BenchErrorModel,
    *,
    coherence: float = 1.0,
    excess_kurtosis: float = 0.0,
    figure: str = "average",
) -> Budget:
    """Return the budget of an average of `n` latencies, as an estimate of their mean.

    The independent part of the quantization is in the scatter of the values, so in deviation /
    sqrt(n); a term for it would count it twice. What does not average out is `coherence` (0 to 1,
    see PhaseTally) times the deviation of one edge, for each edge. For the response edge this is
    an upper bound: the scatter of the latency itself spreads its places further. All else is the
    same for each event and does not average out. `n`: the effective number if values depend on
    each other. With fewer than 2 the repeatability is not known. `excess_kurtosis`: of the values.
    """
    contributions = []
    if coherence > 0:
        half = coherence * bench.sample_ns / 2
        source = f"{coherence:.1%} of one edge's does not average out over this train"
        edge = limits(half, "ns", source)
        contributions = [
            Contribution("quantization of the stimulus edge", edge),
            Contribution("quantization of the response edge", edge),
        ]
    unknown = []
    if n > 1:
        source = f"sample deviation {deviation_ns:,.1f} ns of {n:,.0f} values"
        scatter = mean_of(deviation_ns, n, "ns", source, excess_kurtosis=excess_kurtosis)
        contributions.append(Contribution("repeatability", scatter))
    else:
        unknown.append(Unknown("repeatability", "measure at least 2 events"))
    return _budget(figure, average_ns, bench, contributions, unknown)


def _direction(bench: BenchErrorModel) -> Iterator[Contribution]:
    """Yield the contribution of an answer's direction to a latency whose direction is not asked."""
    if bench.edge_direction_ns is not None:
        yield Contribution("rising against falling answers", bench.edge_direction_ns)


def _budget(
    figure: str,
    indicated_ns: float,
    bench: BenchErrorModel,
    contributions: list[Contribution],
    unknown: list[Unknown] | None = None,
) -> Budget:
    found = [*contributions, *_systematic(indicated_ns, bench)]
    known = tuple(item for item in found if isinstance(item, Contribution))
    missing = tuple(item for item in found if isinstance(item, Unknown))
    return Budget(figure, indicated_ns, known, (*(unknown or []), *missing))


def _systematic(indicated_ns: float, bench: BenchErrorModel) -> Iterator[Contribution | Unknown]:
    """Yield the contributions that are the same for each event of a run, and what is unknown."""
    # A clock that runs fast counts too many samples: the time is shorter than indicated.
    yield _known(*_TIME_BASE, bench.time_base_ppm, -indicated_ns * PPM)
    apart = (
        ("channel skew", "write [uncertainty] channel_skew into the fixture", bench.skew_ns),
        (
            "threshold and edge shape",
            "write [uncertainty] rise times and thresholds into the fixture",
            bench.edge_shape_ns,
        ),
        ("line delay", "write [uncertainty] line_delay into the fixture", bench.line_ns),
    )
    for name, remedy, quantity in apart:
        if quantity is None and bench.wires_ns is not None:
            continue
        if quantity is not None or not bench.is_calibrated:
            yield _known(name, f"{remedy}, or calibrate the bench", quantity, -1.0)
    if bench.wires_ns is not None:
        yield Contribution("wires and inputs", bench.wires_ns, -1.0)
    yield _known(*_TOGGLE, bench.pin_write_delay, -1.0)
    if bench.calibration_ns is not None or bench.is_calibrated:
        yield _known(*_CALIBRATION, bench.calibration_ns, -1.0)


def _known(
    name: str, remedy: str, quantity: UncertainQuantity | None, sensitivity: float
) -> Contribution | Unknown:
    if quantity is None:
        return Unknown(name, remedy)
    return Contribution(name, quantity, sensitivity)


# --- quantities from what an engineer knows -----------------------------------------------------


def edge_shape(
    stimulus_rise_ns: float, response_rise_ns: float, threshold_low: float, threshold_high: float
) -> UncertainQuantity:
    """Return the difference of both edges' times from their middle to an uncertain threshold.

    Rise times are those from 10 to 90 %, of straight edges; thresholds are fractions of the swing
    between which the analyzer's lies. Each edge crosses it anywhere in (high - low) * rise / 0.8;
    with one threshold for both inputs their errors go the same way, so this is an upper bound.

    Raises ValueError for thresholds outside of 0 to 1 or in the wrong order.
    """
    if not 0 <= threshold_low <= threshold_high <= 1:
        raise ValueError(
            f"thresholds {threshold_low} to {threshold_high} of the swing; valid: 0 to 1, ascending"
        )
    middle = (threshold_low + threshold_high) / 2 - 0.5
    spread = (threshold_high - threshold_low) / 2
    estimate = (response_rise_ns - stimulus_rise_ns) / 0.8 * middle
    u = math.hypot(stimulus_rise_ns, response_rise_ns) / 0.8 * spread / math.sqrt(3)
    source = (
        f"rise times {stimulus_rise_ns:g} and {response_rise_ns:g} ns, threshold at "
        f"{threshold_low:.0%} to {threshold_high:.0%} of the swing"
    )
    return UncertainQuantity(estimate, u, "ns", Distribution.RECTANGULAR, "B", source)


def toggle(bracket_ns: float, source: str) -> UncertainQuantity:
    """Return the delay of a pin's edge that lies anywhere between the stamps around its write."""
    return limits(bracket_ns / 2, "ns", source, estimate=bracket_ns / 2)
