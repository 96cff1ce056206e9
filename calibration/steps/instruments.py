# SPDX-License-Identifier: GPL-3.0-or-later
"""Instrument identity and health as a step: rates, channels, versions, samples without loss."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from calibration.context import Progress, StepContext
from calibration.findings import Finding, StepOutcome
from calibration.health import finding_texts
from calibration.health.judge import Health, findings, holes
from calibration.health.sustained import Sustained, Tried, bytes_per_second, search
from calibration.recording import Listener, Recording, listening
from calibration.steps.step import Step
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.names import INSTRUMENTS
from rig.config.fixture import STIMULUS
from rig.errors import BenchError
from rig.instruments import StimulusState
from rig.stimulus.train import Pattern, Polarity, Train

PULSES = 5000
PERIOD_US = 1000
LOOK_MS = 100
SETTLE_MS = 60


RATE_MIN_HZ = 100_000
"""The lowest rate tried: below, pulses of half a millisecond are not seen well."""
BYTES_RATE, SUSTAINED_RATE = "sustained_bytes", "sustained_rate"


@dataclass(frozen=True)
class _Capture:
    """A capture during a train of known length."""

    heard: Recording
    sent: int
    late: int
    backlog_ns: int


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Read the identities, sample for some seconds. Raises BenchError, StoppedError."""
    progress(f"{PULSES} pulses, {PULSES * PERIOD_US // 10**6} s of samples")
    capture = _capture(context, PULSES)
    health = _health(context, capture, PULSES)
    found = findings(context.fixture, health)
    record = _record(context, health, capture, found)
    sustained = _search(context, health, progress)
    if sustained is None:
        return StepOutcome(record, found)
    channels = len(context.bench.analyzer.identity.channels)
    found += _of_rate(context, sustained)
    record = replace(
        record,
        quantities=(*record.quantities, *_rate_quantities(sustained, channels)),
        conditions={**record.conditions, **_rate_conditions(context, sustained)},
        findings=tuple(finding.text for finding in found),
    )
    return StepOutcome(record, found)


def _search(context: StepContext, health: Health, progress: Progress) -> Sustained | None:
    """Return the highest rate without loss; None if nothing tells whether there was any.

    The instruments of `context` are closed then.
    """
    reopen, seconds = context.reopen, context.settings.rate_seconds
    rates_hz = context.bench.analyzer.identity.sample_rates_hz
    if reopen is None or not seconds or not health.seen or health.sent != health.pulses:
        return None

    def attempt(rate_hz: int) -> Tried:
        progress(f"{rate_hz / 1e6:g} MHz for {seconds} s")
        analyzer = replace(context.fixture.analyzer, sample_rate_hz=rate_hz)
        fixture = replace(context.fixture, analyzer=analyzer)
        try:
            with reopen(fixture) as bench:
                return _tried(replace(context, fixture=fixture, bench=bench), seconds)
        except BenchError as error:
            context.check_stop_only()
            return Tried(rate_hz, str(error))

    own = Tried(health.set_hz, _lost(health))
    usable = [rate for rate in rates_hz if rate >= RATE_MIN_HZ]
    return search(usable, own, attempt)[0]


def _tried(context: StepContext, seconds: int) -> Tried:
    """Try the rate of a bench that is open."""
    pulses = seconds * 10**6 // PERIOD_US
    rate_hz = context.fixture.analyzer.sample_rate_hz
    set_hz = context.bench.analyzer.identity.sample_rate_hz
    if set_hz != rate_hz:
        return Tried(rate_hz, f"the analyzer took {set_hz / 1e6:g} MHz instead")
    return Tried(rate_hz, _lost(_health(context, _capture(context, pulses), pulses)))


def _lost(health: Health) -> str:
    """Return how it is known that samples were lost; "" if it is not."""
    if health.losses:
        return health.losses[0]
    if health.seen < health.sent:
        return f"{health.sent - health.seen} of {health.sent} pulses missing"
    places, samples = health.holes
    return f"{samples} samples missing in {places} places" if places else ""


def _rate_quantities(found: Sustained, channels: int) -> tuple[CalibratedQuantity, ...]:
    if not found.rate_hz:
        return ()
    traffic = float(bytes_per_second(found.rate_hz, channels))
    return (
        CalibratedQuantity(SUSTAINED_RATE, float(found.rate_hz), "Hz", 0.0, 1),
        CalibratedQuantity(BYTES_RATE, traffic, "B/s", 0.0, 1),
    )


def _rate_conditions(context: StepContext, found: Sustained) -> dict[str, str]:
    """Return for how long rates were tried, and what became of the next higher one."""
    limit = found.limit
    above = "the driver offers none" if limit is None else f"{limit.rate_hz / 1e6:g} MHz: "
    return {
        "each rate tried for": f"{context.settings.rate_seconds} s",
        "next higher rate": (above + ("" if limit is None else limit.lost))[:200],
    }


def _of_rate(context: StepContext, found: Sustained) -> tuple[Finding, ...]:
    """Return the finding of a fixture's own rate that is too high."""
    own_hz = context.bench.analyzer.identity.sample_rate_hz
    if found.rate_hz >= own_hz:
        return ()
    return (finding_texts.rate_too_high(own_hz, found.rate_hz),)


def _capture(context: StepContext, pulses: int) -> _Capture:
    with listening(context) as listener:
        return _sustain(context, listener, pulses)


def _sustain(context: StepContext, listener: Listener, pulses: int) -> _Capture:
    stimulus, analyzer = context.bench.stimulus, context.bench.analyzer
    clock_hz = context.chip.clock_hz
    period_ticks = PERIOD_US * clock_hz // 10**6
    stimulus.configure(
        Train(
            pattern=Pattern.PERIODIC,
            count=pulses,
            seed=0,
            delay_ticks=period_ticks,
            width_ticks=period_ticks // 2,
            polarity=Polarity.POSITIVE,
            period_ticks=period_ticks,
        )
    )
    start = listener.samples
    stimulus.start()
    while stimulus.status().state == StimulusState.RUNNING:
        context.wait(LOOK_MS)
        listener.pump()
    context.wait(SETTLE_MS)
    status = stimulus.status()
    passed_s = status.now_ticks / clock_hz
    listener.read_until(start + int(analyzer.identity.sample_rate_hz * passed_s))
    return _Capture(listener.end(), status.sent, status.late, analyzer.backlog.max_ns)


def _health(context: StepContext, capture: _Capture, pulses: int) -> Health:
    identity, agent = context.bench.analyzer.identity, context.agent
    index, level = capture.heard.of_channel(context.fixture.channel_of(STIMULUS))
    rising = index[level == 1]
    rate_hz = 0.0
    if len(rising) > 1:
        rate_hz = (rising[-1] - rising[0]) / (len(rising) - 1) / PERIOD_US * 1e6
    return Health(
        rate_hz=float(rate_hz),
        set_hz=identity.sample_rate_hz,
        channels=len(identity.channels),
        pulses=pulses,
        sent=capture.sent,
        late=capture.late,
        seen=len(rising),
        holes=holes(rising),
        losses=tuple(loss.text for loss in capture.heard.losses),
        invariant=agent is None or agent.greeting.get("invariant", "1") != "0",
        agent_version=context.bench.target.identity.version,
        firmware=context.bench.stimulus.identity.firmware,
    )


def _record(
    context: StepContext, health: Health, capture: _Capture, found: tuple[Finding, ...]
) -> CalibrationRecord:
    quantities = [
        CalibratedQuantity("backlog_maximum", capture.backlog_ns / 1e9, "s", 0.0, 1),
    ]
    if not _lost(health):
        samples = float(capture.heard.samples)
        quantities.append(CalibratedQuantity("samples_in_a_row", samples, "samples", 0.0, 1))
    if health.rate_hz and health.seen == health.sent and not health.holes[0]:
        # By the microcontroller's clock, of which nothing better is known here.
        uncertainty_hz = health.rate_hz * finding_texts.RESONATOR_ERROR / math.sqrt(3)
        rate = CalibratedQuantity("sample_rate", health.rate_hz, "Hz", uncertainty_hz, health.seen)
        quantities.insert(0, rate)
    return CalibrationRecord(
        step=INSTRUMENTS,
        date=datetime.now(UTC),
        quantities=tuple(quantities),
        conditions={
            "duration": f"{PULSES * PERIOD_US / 1e6:g} s",
            "channels shown": str(health.channels),
        },
        instruments=context.instruments(),
        findings=tuple(finding.text for finding in found),
    )


STEP = Step(
    name=INSTRUMENTS,
    title="Instruments",
    does="Reads who the instruments are, lets the microcontroller send 5000 pulses and the "
    "analyzer sample for 5 s, and looks whether rate, count and versions are as they should be "
    "and whether samples were lost on this computer and port. Then it tries higher rates of the "
    "analyzer, or lower ones, for 3 s each, to find the highest at which nothing is lost.",
    connect="The stimulus wire from the microcontroller to the analyzer; the target's agent.",
    run=run,
)
