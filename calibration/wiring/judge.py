# SPDX-License-Identifier: GPL-3.0-or-later
"""Judgment of the wires by the observed pulses. Pure: values in, findings out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from calibration.findings import Finding
from calibration.wiring import finding_texts
from calibration.wiring.observed import Driven, EdgeBurst, Observed
from rig.config.fixture import RESPONSE, SIGNALS, STIMULUS, Fixture, Wire

RATE_TOLERANCE = 0.01
"""The part a rate may be off: resonators are within 0.5 %, more is another setting."""


@dataclass(frozen=True)
class Arrival:
    """The arrival of a wire's pulses on a channel."""

    channel: int
    inverted: bool


def arrivals(observed: Observed) -> dict[str, tuple[Arrival, ...]]:
    """Return where each driven wire's pulses were seen, by signal."""
    found: dict[str, list[Arrival]] = {each.signal: [] for each in observed.driven}
    for channel, bursts in observed.bursts.items():
        for burst in bursts:
            signal = observed.codes.get(burst.pulses or 0)
            arrival = Arrival(channel, inverted=burst.first_level == 0)
            if signal is not None and arrival not in found[signal]:
                found[signal].append(arrival)
    return {signal: tuple(there) for signal, there in found.items()}


def findings(
    fixture: Fixture, observed: Observed, signals: Collection[str] | None = None
) -> tuple[Finding, ...]:
    """Return all that is wrong or worth saying: of every wire or of some, then of the bench."""
    asked = SIGNALS if signals is None else signals
    where = arrivals(observed)
    wires = {wire.signal: wire for wire in fixture.wires}
    found: list[Finding] = []
    told: set[str] = set()
    for each in observed.driven:
        if each.signal in asked and each.signal not in told:
            for finding in _of_wire(wires, each.signal, where, observed):
                told.update(finding.signals if finding.fault else ())
                found.append(finding)
    if RESPONSE in asked:
        found += _of_capture(wires, observed)
    if STIMULUS in asked:
        found += _of_interrupt(wires[STIMULUS], observed)
    found += _of_bench(observed)
    return tuple(found)


# --- at the analyzer ---------------------------------------------------------------------------


def _of_wire(
    wires: Mapping[str, Wire],
    signal: str,
    where: Mapping[str, tuple[Arrival, ...]],
    observed: Observed,
) -> Iterator[Finding]:
    wire, there = wires[signal], where[signal]
    if not there:
        yield _silent(wire, observed)
        return
    by_channel = {arrival.channel: arrival for arrival in there}
    expected = by_channel.get(wire.channel)
    if expected is None:
        yield _elsewhere(wires, wire, there, where)
        return
    if expected.inverted:
        yield finding_texts.inverted(wire)
    strange = sum(burst.edges for burst in _strange(wire, observed))
    if strange:
        yield finding_texts.noisy(wire, strange)
    for channel in sorted(by_channel.keys() - {wire.channel}):
        other = _wire_at(wires, channel)
        yield (
            finding_texts.bridged(wire, channel)
            if other is None
            else finding_texts.shorted(wire, other)
        )


def _elsewhere(
    wires: Mapping[str, Wire],
    wire: Wire,
    there: tuple[Arrival, ...],
    where: Mapping[str, tuple[Arrival, ...]],
) -> Finding:
    channel = there[0].channel
    other = _wire_at(wires, channel)
    if other is None:
        return finding_texts.moved(wire, channel)
    back = {arrival.channel for arrival in where.get(other.signal, ())}
    if wire.channel in back:
        return finding_texts.swapped(wire, other)
    return finding_texts.misplaced(wire, other)


def _silent(wire: Wire, observed: Observed) -> Finding:
    """Return the finding of a wire whose pulses arrived nowhere, by what its channel shows."""
    mine = _strange(wire, observed)
    if mine:
        # One edge, and perhaps the way back long after, makes a burst of its own.
        levels = [burst.first_level for burst in mine]
        if all(burst.edges == 1 for burst in mine):
            return finding_texts.one_way(wire, levels[0])
        return finding_texts.garbled(wire, sum(burst.edges for burst in mine))
    if observed.rest_levels >> wire.channel & 1:
        return finding_texts.stuck_high(wire)
    if wire.signal in observed.creeping:
        return finding_texts.one_way(wire, 0)
    listener, heard = _other_listener(wire, observed)
    return finding_texts.open_or_low(wire, listener, heard=heard)


def _strange(wire: Wire, observed: Observed) -> list[EdgeBurst]:
    """Return the bursts on a wire's channel that are nobody's number of pulses."""
    bursts = observed.bursts.get(wire.channel, ())
    return [burst for burst in bursts if burst.pulses not in observed.codes]


def _other_listener(wire: Wire, observed: Observed) -> tuple[str, bool]:
    """Return who else is on this wire, "" for nobody that was asked, and whether it hears it."""
    if wire.signal == STIMULUS:
        asked = observed.handled is not None
        return ("the target", bool(observed.handled)) if asked else ("", False)
    if wire.signal == RESPONSE and wire.stimulus_pin:
        driven = _of(observed, RESPONSE)
        heard = driven is not None and driven.captured == 2 * driven.pulses
        return "the microcontroller", heard
    return "", False


def _wire_at(wires: Mapping[str, Wire], channel: int) -> Wire | None:
    return next((wire for wire in wires.values() if wire.channel == channel), None)


# --- at the other ends -------------------------------------------------------------------------


def _of_capture(wires: Mapping[str, Wire], observed: Observed) -> Iterator[Finding]:
    """Check that the microcontroller's capture pin hears the response and nothing else."""
    response = wires.get(RESPONSE)
    if response is None or not response.stimulus_pin:
        return
    heard = [each for each in observed.driven if each.captured]
    mine = _of(observed, RESPONSE)
    others = [each for each in heard if each.signal != RESPONSE]
    if others:
        yield finding_texts.capture_hears(response, wires[others[0].signal])
    elif mine is not None and mine.captured == 0:
        yield finding_texts.capture_silent(response)
    elif mine is not None and mine.captured != 2 * mine.pulses:
        yield finding_texts.capture_wrong(response, mine.captured, 2 * mine.pulses)


def _of(observed: Observed, signal: str) -> Driven | None:
    return next((each for each in observed.driven if each.signal == signal), None)


def _of_interrupt(wire: Wire, observed: Observed) -> Iterator[Finding]:
    if observed.handled is None:
        yield finding_texts.interrupt_not_asked(observed.not_asked)
    elif observed.handled == 0:
        yield finding_texts.interrupt_silent(wire)
    elif observed.handled != observed.stimuli:
        yield finding_texts.interrupt_wrong(wire, observed.handled, observed.stimuli)


def _of_bench(observed: Observed) -> Iterator[Finding]:
    for signal, why in observed.refused.items():
        yield finding_texts.not_driven(signal, why)
    rate_hz, nominal_hz = observed.rate_hz, observed.nominal_rate_hz
    if rate_hz and abs(rate_hz / nominal_hz - 1) > RATE_TOLERANCE:
        yield finding_texts.wrong_rate(rate_hz, nominal_hz)
    for text in observed.losses:
        yield finding_texts.lost(text)
