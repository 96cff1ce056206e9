# SPDX-License-Identifier: GPL-3.0-or-later
"""The delay of a wire or level shifter, seen at both ends."""

from __future__ import annotations

from datetime import UTC, datetime

from calibration.context import Progress, StepContext
from calibration.estimate.estimate import Estimate
from calibration.estimate.skew import ChannelSkew
from calibration.fan_out import PULSES, WORTH_SAMPLES, edges_differ, fan_out
from calibration.findings import Finding, StepOutcome
from calibration.steps.step import Step
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.names import CHANNEL_SKEW, EDGES, LINE_DELAY, LINE_STEP, depends_on
from rig.config.fixture import RESPONSE, STIMULUS
from rig.errors import InputError


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Compare both ends. Raises BenchError, StoppedError, InputError without a far channel."""
    settings = context.settings
    if settings.far_channel is None or settings.signal not in (STIMULUS, RESPONSE):
        raise InputError(
            f"{LINE_STEP}: needs the channel at the target's end of the wire and whose wire it is; "
            "valid: --far D7 --signal stimulus or response"
        )
    near, far = context.fixture.channel_of(settings.signal), settings.far_channel
    progress(f"{PULSES} pulses through the wire of {settings.signal}")
    fanned = fan_out(context)
    found = list(fanned.findings)
    delays: dict[int, Estimate] = {}
    if fanned.skews:
        ends = {channel: fanned.skews.get(channel) for channel in (near, far)}
        found += [_silent(channel) for channel, skew in ends.items() if skew is None]
        there = {channel: skew for channel, skew in ends.items() if skew is not None}
        for channel, skew in there.items():
            found += edges_differ(channel, skew, fanned.reference)
        if len(there) == 2:
            rate_hz = context.bench.analyzer.identity.sample_rate_hz
            delays = delays_ns(there[near], there[far], 1e9 / rate_hz)
            delays = _without_skew(delays, settings.skew, near, far)
            worth_ns = WORTH_SAMPLES * 1e9 / rate_hz
            found += [
                _late(settings.signal, level, each)
                for level, each in delays.items()
                if each.differs(worth_ns)
            ]
    known = "taken off" if _knows(settings.skew, near, far) else "not known, and so contained"
    record = CalibrationRecord(
        step=LINE_STEP,
        date=datetime.now(UTC),
        quantities=tuple(
            CalibratedQuantity(
                LINE_DELAY,
                d.value,
                "ns",
                d.standard_uncertainty,
                d.n,
                f"{settings.signal} {EDGES[to]}",
            )
            for to, d in delays.items()
        ),
        conditions={"pulses": str(PULSES), "channels": f"D{near} D{far}", "their skew": known},
        instruments=depends_on(LINE_STEP, context.instruments()),
        findings=tuple(finding.text for finding in found),
    )
    return StepOutcome(record, tuple(found))


def delays_ns(near: ChannelSkew, far: ChannelSkew, sample_ns: float) -> dict[int, Estimate]:
    """Return how much later an edge is at the analyzer's end than at the target's, by level."""
    made = {}
    for level, late, early in ((1, near.rising, far.rising), (0, near.falling, far.falling)):
        if late is not None and early is not None:
            difference = late.mean.plus(-early.mean.value, early.mean.standard_uncertainty)
            made[level] = difference.scaled(sample_ns)
    return made


def _knows(skew: CalibrationRecord | None, near: int, far: int) -> bool:
    subjects = [f"D{channel} {edge}" for channel in (near, far) for edge in EDGES.values()]
    return skew is not None and all(skew.quantity(CHANNEL_SKEW, each) for each in subjects)


def _without_skew(
    delays: dict[int, Estimate], skew: CalibrationRecord | None, near: int, far: int
) -> dict[int, Estimate]:
    if skew is None or not _knows(skew, near, far):
        return delays
    made = {}
    for level, delay in delays.items():
        for channel, sign in ((near, -1), (far, 1)):
            known = skew.quantity(CHANNEL_SKEW, f"D{channel} {EDGES[level]}")
            if known is not None:
                delay = delay.plus(sign * known.value, known.standard_uncertainty)
        made[level] = delay
    return made


def _silent(channel: int) -> Finding:
    return Finding(
        "not connected",
        f"D{channel} does not show the train",
        "Drive the wire from the stimulus pin, and clip one channel to each of its ends.",
    )


def _late(signal: str, level: int, delay_ns: Estimate) -> Finding:
    return Finding(
        "line delay",
        f"{signal}: {EDGES[level]} edges are {delay_ns.value:.4g} ns later at the analyzer's end",
        "Nothing: runs that use this calibration take it off.",
        fault=False,
        signals=(signal,),
    )


STEP = Step(
    name=LINE_STEP,
    title="Line delay",
    does="Sends some thousand pulses through a wire or level shifter that is clipped to the "
    "analyzer at both ends (--far D7 --signal response), and compares the ends. Take the channel "
    "skew first and name its file (-o): it is taken off.",
    connect="The stimulus pin to the stimulus's channel and to the end of the wire that drives it; "
    "the signal's own channel where it always is; the far channel at the target's end.",
    run=run,
    apart=True,
)
