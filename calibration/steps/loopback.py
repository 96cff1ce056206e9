# SPDX-License-Identifier: GPL-3.0-or-later
"""A wire in place of the target: the latency that the bench shows where there is none."""

from __future__ import annotations

from datetime import UTC, datetime

from calibration.context import Progress, StepContext
from calibration.estimate.capture import Captured, capture_delay
from calibration.estimate.estimate import Estimate
from calibration.estimate.skew import ChannelSkew
from calibration.fan_out import PULSES, WORTH_SAMPLES, FanOutResult, edges_differ, fan_out
from calibration.findings import Finding, StepOutcome
from calibration.steps.step import Step
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.names import (
    CAPTURE_DELAY,
    EDGES,
    LOOPBACK_DELAY,
    LOOPBACK_STEP,
    depends_on,
)
from rig.config.fixture import RESPONSE

CAPTURE_WORTH_TICKS = 8
"""The capture's own noise canceler takes 4."""


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Send a train round. Raises BenchError, StoppedError."""
    progress(f"{PULSES} pulses from the stimulus pin to the response's channel and back")
    fanned = fan_out(context, unhurried=True)
    found = list(fanned.findings)
    channel = context.fixture.channel_of(RESPONSE)
    skew = fanned.skews.get(channel)
    captured = captured_of(fanned)
    rate_hz = context.bench.analyzer.identity.sample_rate_hz
    if fanned.skews:
        found += findings(skew, channel, fanned.reference, rate_hz)
        if context.fixture.has_second_witness:
            found += capture_findings(captured)
    record = CalibrationRecord(
        step=LOOPBACK_STEP,
        date=datetime.now(UTC),
        quantities=quantities(skew, captured, rate_hz, context.chip.clock_hz),
        conditions={"pulses": str(PULSES)},
        instruments=depends_on(LOOPBACK_STEP, context.instruments()),
        findings=tuple(finding.text for finding in found),
    )
    return StepOutcome(record, tuple(found))


def captured_of(fanned: FanOutResult) -> Captured:
    """Return what came back to the microcontroller."""
    sent = fanned.sent
    return capture_delay(
        sent.captured_ticks, sent.rising_ticks, sent.falling_ticks, sent.train.width_ticks - 1
    )


def findings(skew: ChannelSkew | None, channel: int, reference: int, rate_hz: int) -> list[Finding]:
    """Return findings of the response's channel; `reference`: the stimulus's."""
    if skew is None:
        return [
            Finding(
                "no loopback",
                f"D{channel} does not show the stimulus",
                f"Take the target's answering pin off D{channel}, and connect the stimulus pin to "
                "it, for this step only.",
                signals=(RESPONSE,),
            )
        ]
    found = list(edges_differ(channel, skew, reference))
    for level, offset in ((1, skew.rising), (0, skew.falling)):
        if offset is not None and offset.mean.differs(WORTH_SAMPLES):
            found.append(_late(level, offset.mean.scaled(1e9 / rate_hz)))
    return found


def _late(level: int, delay_ns: Estimate) -> Finding:
    return Finding(
        "delayed",
        f"a wire in place of the target shows {EDGES[level]} answers after {delay_ns.value:.4g} ns",
        "Nothing: runs that use this calibration take it off.",
        fault=False,
        signals=(RESPONSE,),
    )


def capture_findings(captured: Captured) -> list[Finding]:
    """Return findings of the microcontroller's input capture."""
    if captured.rising is None and captured.falling is None:
        return [
            Finding(
                "capture open",
                "the microcontroller captured none of its own edges",
                "Connect the stimulus pin to the capture pin too, for this step only.",
                signals=(RESPONSE,),
            )
        ]
    if captured.missing or captured.extra:
        return [
            Finding(
                "capture differs",
                f"the microcontroller captured {captured.extra} edges too many, {captured.missing} "
                "too few",
                "Check the wire to the capture pin and its ground.",
                signals=(RESPONSE,),
            )
        ]
    late = [each for each in (captured.rising, captured.falling) if each is not None]
    worst = max(late, key=lambda each: each.value)
    if worst.value <= CAPTURE_WORTH_TICKS:
        return []
    return [
        Finding(
            "capture late",
            f"the microcontroller captures an edge {worst.value:.3g} ticks after it was sent",
            "A level shifter or a long wire does this; the second witness allows for it.",
            fault=False,
            signals=(RESPONSE,),
        )
    ]


def quantities(
    skew: ChannelSkew | None, captured: Captured, rate_hz: int, clock_hz: int
) -> tuple[CalibratedQuantity, ...]:
    """Return the delays of loopback and capture, in ns."""
    made: list[tuple[str, int, Estimate]] = []
    if skew is not None:
        for level, offset in ((1, skew.rising), (0, skew.falling)):
            if offset is not None:
                made.append((LOOPBACK_DELAY, level, offset.mean.scaled(1e9 / rate_hz)))
    for level, late in ((1, captured.rising), (0, captured.falling)):
        if late is not None:
            made.append((CAPTURE_DELAY, level, late.scaled(1e9 / clock_hz)))
    return tuple(
        CalibratedQuantity(
            name, each.value, "ns", each.standard_uncertainty, each.n, f"{RESPONSE} {EDGES[to]}"
        )
        for name, to, each in made
    )


STEP = Step(
    name=LOOPBACK_STEP,
    title="Loopback",
    does="Sends some thousand pulses straight to the response's channel and to the "
    "microcontroller's capture pin. A perfect bench would show a latency of nothing; what it shows "
    "is channel skew and wires in one, and is taken off later.",
    connect="The stimulus pin to the stimulus's channel, to the response's channel and to the "
    "capture pin. The target's answering pin must be off that wire.",
    run=run,
    apart=True,
)
