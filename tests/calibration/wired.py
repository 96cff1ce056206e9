# SPDX-License-Identifier: GPL-3.0-or-later
"""A bench on paper: what the wiring check would hear, worked out from what is wired wrongly.

The wires between are those of the virtual bench; drivers, samples and bookkeeping are this file's.
"""

from __future__ import annotations

import numpy as np

from calibration.findings import Finding
from calibration.recording import Recording
from calibration.wiring.judge import arrivals, findings
from calibration.wiring.observed import (
    CODE_FIRST,
    CODE_STEP,
    Driven,
    InterruptCount,
    Observed,
    Turns,
    observed,
)
from rig.config.fixture import RESPONSE, STIMULUS, Fixture, load_fixture, parse_fixture
from rig.config.virtual.wiring import WiringFaults
from rig.virtual.wiring import VirtualWiring

STIMULI = 20
US = 10**6
QUIET_PS = 60_000 * US
PERIOD_PS = 1000 * US

Edges = list[tuple[int, int, int]]


def wired_fixture(faults: str = "") -> Fixture:
    """The built-in virtual bench with these keys of [virtual.wiring]."""
    text = load_fixture("virtual").text
    return parse_fixture(f"{text}\n[virtual.wiring]\n{faults}\n", "test")


def driven_edges(fixture: Fixture, jitter: np.random.Generator) -> tuple[Edges, int]:
    """Every wire's turn at its driver, and when all is over. A target's pulses are not punctual."""
    edges: Edges = []
    at_ps = QUIET_PS
    for number, wire in enumerate(fixture.wires):
        for _ in range(CODE_FIRST + CODE_STEP * number):
            late_ps = 0 if wire.signal == STIMULUS else int(jitter.integers(0, 4000)) * US
            edges.append((at_ps + late_ps, wire.channel, 1))
            edges.append((at_ps + late_ps + PERIOD_PS // 2, wire.channel, 0))
            at_ps += late_ps + PERIOD_PS
        at_ps += QUIET_PS
    return edges, at_ps


def heard_through(faults: WiringFaults, edges: Edges, end_ps: int, rate_hz: int) -> Recording:
    """What an analyzer at the other end of these wires shows."""
    shown = VirtualWiring(faults).through(edges, end_ps)
    first = sum(1 << channel for time_ps, channel, level in shown if time_ps == 0 and level)
    shown = [edge for edge in shown if edge[0] > 0]
    return Recording(
        index=np.array([-(-time_ps * rate_hz // 10**12) for time_ps, _, _ in shown], np.int64),
        channel=np.array([channel for _, channel, _ in shown], np.uint8),
        level=np.array([level for _, _, level in shown], np.uint8),
        first_levels=first,
        samples=end_ps * rate_hz // 10**12,
        losses=(),
    )


def _creeping(fixture: Fixture, faults: WiringFaults, silent: list[str]) -> frozenset[str]:
    held_ps = 100_000 * US
    found = set()
    for signal in silent:
        channel = fixture.channel_of(signal)
        edges = [(QUIET_PS, channel, 1), (QUIET_PS + held_ps, channel, 0)]
        heard = heard_through(faults, edges, 2 * held_ps, 10**6)
        if (heard.channel == channel).any():
            found.add(signal)
    return frozenset(found)


def observe_on_paper(fixture: Fixture, seed: int = 1) -> Observed:
    """All that the check would see of this fixture's wires."""
    assert fixture.virtual is not None
    faults = fixture.virtual.wiring
    edges, end_ps = driven_edges(fixture, np.random.default_rng(seed))
    rate_hz = faults.analyzer_rate_hz or fixture.analyzer.sample_rate_hz
    heard = heard_through(faults, edges, end_ps, rate_hz)
    driven = []
    for number, wire in enumerate(fixture.wires):
        pulses = CODE_FIRST + CODE_STEP * number
        hears = wire.signal == RESPONSE and not faults.capture_open
        driven.append(Driven(wire.signal, pulses, 2 * pulses if hears else 0))
    turns = Turns(tuple(driven), {}, float(rate_hz))
    counted = InterruptCount(STIMULI, 0 if faults.interrupt_open else STIMULI)
    seen = observed(heard, turns, counted, fixture.analyzer.sample_rate_hz)
    silent = [signal for signal, there in arrivals(seen).items() if not there]
    return Observed(**{**vars(seen), "creeping": _creeping(fixture, faults, silent)})


def judged_on_paper(faults: str, seed: int = 1) -> tuple[Finding, ...]:
    """What the check would say of these faults."""
    fixture = wired_fixture(faults)
    return findings(fixture, observe_on_paper(fixture, seed))
