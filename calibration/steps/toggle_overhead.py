# SPDX-License-Identifier: GPL-3.0-or-later
"""The time of the agent's pin write: its readings around it against the pin's edge."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from calibration import common_findings
from calibration.context import Progress, StepContext
from calibration.estimate.logged import Logged, PinWrite, logged, other_pin_write, pin_write
from calibration.findings import Finding, StepOutcome
from calibration.recording import listening
from calibration.response_train import agent_of, answered, interrupts, rates_of
from calibration.steps.step import Step
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.names import EDGES, TOGGLE_OVERHEAD, TOGGLE_STEP, depends_on
from rig.config.fixture import RESPONSE, SEQUENCE
from rig.instruments import Int64Array, UInt8Array

PULSES = 2000
SEED = 7
SLOW_NS = 200.0
"""A write that takes longer is worth a word: it is a part of every latency."""
SPREAD = "toggle_spread"
TOOK = "toggle_time"
Writes = dict[tuple[str, int], PinWrite]
"""The pin writes by signal and level after the edge."""


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Let the target answer some interrupts. Raises BenchError, StoppedError."""
    progress(f"{PULSES} interrupts")
    agent = agent_of(context)
    with listening(context) as listener:
        log = answered(context, listener, interrupts(context.chip, PULSES, SEED))
        heard = listener.end()
    found: list[Finding] = [common_findings.lost(loss.text) for loss in heard.losses]
    writes: Writes = {}
    channel = context.fixture.channel_of(RESPONSE)
    try:
        seen = logged(*heard.of_channel(channel), log, rates_of(context))
        found += contradictions(seen)
        found += [common_findings.counter_wraps(seen.wraps)] if seen.wraps else []
        writes = writes_of(seen, {signal: heard.of_channel(at) for signal, at in pins(context)})
    except ValueError as error:
        found.append(common_findings.no_clock(channel, str(error)))
    found += findings(writes)
    port = common_findings.shown(agent.greeting.get("port", ""))
    record = CalibrationRecord(
        step=TOGGLE_STEP,
        date=datetime.now(UTC),
        quantities=quantities(writes),
        conditions={"interrupts": str(PULSES), **({"port": port} if port else {})},
        instruments=depends_on(TOGGLE_STEP, context.instruments()),
        findings=tuple(finding.text for finding in found),
    )
    return StepOutcome(record, tuple(found))


def pins(context: StepContext) -> list[tuple[str, int]]:
    """Return the pins beside the response's that its writes move, and their channels."""
    fixture = context.fixture
    return [(name, fixture.channel_of(name)) for name in SEQUENCE if fixture.has_signal(name)]


def writes_of(seen: Logged, others: Mapping[str, tuple[Int64Array, UInt8Array]]) -> Writes:
    """Return the pin writes with enough edges. Raises ValueError if no clock fits."""
    made = {(RESPONSE, level): pin_write(seen, level) for level in (1, 0)}
    for signal, edges in others.items():
        made |= {(signal, level): other_pin_write(seen, *edges, level) for level in (1, 0)}
    return {key: each for key, each in made.items() if each is not None}


def contradictions(seen: Logged) -> list[Finding]:
    """Return findings for events outside their brackets, and what has no partner."""
    return [
        common_findings.contradiction(text) for text in (*seen.unmatched, *seen.test.findings)[:5]
    ]


def findings(writes: Writes) -> list[Finding]:
    """Return findings for pin writes that take long."""
    return [
        Finding(
            "slow pin write",
            f"{signal}'s {EDGES[level]} edge comes {write.overhead.value:.4g} ns after the reading "
            f"before the write, which takes {write.took.value:.4g} ns",
            "Runs that use this calibration take it off. A faster port makes it smaller: ioport "
            "in place of ppdev, a memory-mapped GPIO in place of a driver's call.",
            fault=False,
            signals=(signal,),
        )
        for (signal, level), write in writes.items()
        if signal == RESPONSE and write.took.value > SLOW_NS
    ]


def quantities(writes: Writes) -> tuple[CalibratedQuantity, ...]:
    """Return fixed part, spread and length of the write, by pin and edge, in ns."""
    made = []
    for (signal, level), write in writes.items():
        subject = f"{signal} {EDGES[level]}"
        for name, found in (
            (TOGGLE_OVERHEAD, write.overhead),
            (SPREAD, write.spread),
            (TOOK, write.took),
        ):
            u = found.standard_uncertainty
            made.append(CalibratedQuantity(name, found.value, "ns", u, found.n, subject))
    return tuple(made)


STEP = Step(
    name=TOGGLE_STEP,
    title="Pin write",
    does="Lets the target answer some thousand interrupts. The agent reads its counter before and "
    "after each write to its pin; the analyzer sees the edge. The one clock that puts every edge "
    "between its readings tells how long after the first reading the pin moves.",
    connect="As for a measurement: stimulus and answer on the analyzer, the interrupt line, the "
    "target's agent. The target should be idle.",
    run=run,
)
