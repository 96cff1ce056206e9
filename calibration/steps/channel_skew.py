# SPDX-License-Identifier: GPL-3.0-or-later
"""One edge on all channels: how much later than the stimulus's each of them shows it."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from calibration.context import Progress, StepContext
from calibration.estimate.phase import Offset
from calibration.estimate.skew import ChannelSkew
from calibration.fan_out import PULSES, WORTH_SAMPLES, edges_differ, fan_out
from calibration.findings import Finding, StepOutcome
from calibration.steps.step import Step
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.names import CHANNEL_SKEW, EDGES, SKEW_STEP, depends_on
from rig.config.fixture import Fixture

SPREAD = "channel_spread"
_SIDE = 24
"""Characters to each side of 0."""


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Send a train to all channels at once. Raises BenchError, StoppedError."""
    progress(f"{PULSES} pulses on all channels")
    fanned = fan_out(context)
    rate_hz = context.bench.analyzer.identity.sample_rate_hz
    found = list(fanned.findings)
    if fanned.skews:
        found += findings(context.fixture, fanned.skews, fanned.reference, rate_hz)
    record = CalibrationRecord(
        step=SKEW_STEP,
        date=datetime.now(UTC),
        quantities=quantities(fanned.skews, rate_hz),
        conditions={"pulses": str(PULSES), "reference": f"D{fanned.reference} rising"},
        instruments=depends_on(SKEW_STEP, context.instruments()),
        findings=tuple(finding.text for finding in found),
    )
    return StepOutcome(record, tuple(found), drawing(fanned.skews))


def drawing(skews: dict[int, ChannelSkew]) -> str:
    """Each channel's edges on a scale of samples, for a terminal."""
    rows = [
        (f"D{channel} {EDGES[level]}", offset.mean.value)
        for channel, skew in skews.items()
        for level, offset in ((1, skew.rising), (0, skew.falling))
        if offset is not None
    ]
    if not rows:
        return ""
    reach = max(1, math.ceil(max(abs(value) for _, value in rows)))
    width = max(len(name) for name, _ in rows)
    lines = [f"{'':{width}}  {f'{-reach} samples':<{_SIDE}}0{f'{reach} samples':>{_SIDE}}"]
    for name, value in rows:
        scale = [" "] * (2 * _SIDE + 1)
        scale[_SIDE] = "|"
        scale[_SIDE + round(value / reach * _SIDE)] = "*"
        lines.append(f"{name:{width}}  {''.join(scale).rstrip()}")
    return "\n".join(lines)


def quantities(skews: dict[int, ChannelSkew], rate_hz: int) -> tuple[CalibratedQuantity, ...]:
    """Skew and spread in ns, of every channel and edge for which there are any."""
    ns = 1e9 / rate_hz
    made = []
    for channel, skew in skews.items():
        for level, offset in ((1, skew.rising), (0, skew.falling)):
            if offset is None:
                continue
            subject = f"D{channel} {EDGES[level]}"
            for name, estimate in ((CHANNEL_SKEW, offset.mean), (SPREAD, offset.spread)):
                each = estimate.scaled(ns)
                made.append(
                    CalibratedQuantity(
                        name, each.value, "ns", each.standard_uncertainty, each.n, subject
                    )
                )
    return tuple(made)


def findings(
    fixture: Fixture, skews: dict[int, ChannelSkew], reference: int, rate_hz: int
) -> tuple[Finding, ...]:
    """Channels that are late or early, that lack edges, or that were not connected."""
    found = [
        Finding(
            "not connected",
            f"D{wire.channel} ({wire.signal}) does not show the train",
            f"Clip D{wire.channel} to the stimulus pin too, for this step only.",
            signals=(wire.signal,),
        )
        for wire in fixture.wires
        if wire.channel not in skews
    ]
    for channel, skew in skews.items():
        found += edges_differ(channel, skew, reference)
        for level, offset in ((1, skew.rising), (0, skew.falling)):
            if offset is not None and offset.mean.differs(WORTH_SAMPLES):
                found.append(_skewed(channel, level, offset, rate_hz))
    return tuple(found)


def _skewed(channel: int, level: int, offset: Offset, rate_hz: int) -> Finding:
    samples = offset.mean.value
    way = "later" if samples > 0 else "earlier"
    return Finding(
        "skewed",
        f"D{channel} shows {EDGES[level]} edges {abs(samples) * 1e9 / rate_hz:.3g} ns "
        f"({abs(samples):.3g} samples) {way}",
        "Nothing: runs that use this calibration take it off.",
        fault=False,
    )


STEP = Step(
    name=SKEW_STEP,
    title="Channel skew",
    does="Sends some thousand pulses to all channels at once. How much later or earlier a channel "
    "shows them than the stimulus's own is its skew, for rising and for falling edges; the "
    "pulses fall differently between the samples each time, so that it is known below a sample.",
    connect="The stimulus pin to every channel in use, in place of what is there else, with wires "
    "of one length. No target.",
    run=run,
    apart=True,
)
