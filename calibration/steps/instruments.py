# SPDX-License-Identifier: GPL-3.0-or-later
"""Instrument identity and health as a step: rates, channels, versions, samples without loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime

from calibration.context import Context, Progress
from calibration.findings import Finding, Outcome
from calibration.health.judge import Health, findings, holes
from calibration.health.words import RESONATOR_ERROR
from calibration.listening import Heard, Listener, listening
from calibration.steps.step import Step
from rig.config.calibration import Quantity, Record
from rig.config.calibration.names import INSTRUMENTS
from rig.config.fixture import STIMULUS
from rig.instruments import StimulusState
from rig.stimulus.train import CLOCK_HZ, Pattern, Polarity, Train

PULSES = 5000
PERIOD_US = 1000
LOOK_MS = 100
SETTLE_MS = 60
TICKS_PER_US = CLOCK_HZ // 10**6


@dataclass(frozen=True)
class _Sustained:
    """A capture during a train of known length."""

    heard: Heard
    sent: int
    late: int
    backlog_ns: int


def run(context: Context, progress: Progress) -> Outcome:
    """Read the identities, sample for some seconds. Raises BenchError, StoppedError."""
    progress(f"{PULSES} pulses, {PULSES * PERIOD_US // 10**6} s of samples")
    with listening(context) as listener:
        sustained = _sustain(context, listener)
    health = _health(context, sustained)
    found = findings(context.fixture, health)
    return Outcome(_record(context, health, sustained, found), found)


def _sustain(context: Context, listener: Listener) -> _Sustained:
    stimulus, analyzer = context.bench.stimulus, context.bench.analyzer
    stimulus.configure(
        Train(
            pattern=Pattern.PERIODIC,
            count=PULSES,
            seed=0,
            delay_ticks=PERIOD_US * TICKS_PER_US,
            width_ticks=PERIOD_US // 2 * TICKS_PER_US,
            polarity=Polarity.POSITIVE,
            period_ticks=PERIOD_US * TICKS_PER_US,
        )
    )
    start = listener.samples
    stimulus.start()
    while stimulus.status().state == StimulusState.RUNNING:
        context.wait(LOOK_MS)
        listener.pump()
    context.wait(SETTLE_MS)
    status = stimulus.status()
    passed_s = status.now_ticks / CLOCK_HZ
    listener.read_until(start + int(analyzer.identity.sample_rate_hz * passed_s))
    return _Sustained(listener.end(), status.sent, status.late, analyzer.backlog.max_ns)


def _health(context: Context, sustained: _Sustained) -> Health:
    identity, agent = context.bench.analyzer.identity, context.agent
    index, level = sustained.heard.of_channel(context.fixture.channel_of(STIMULUS))
    rising = index[level == 1]
    rate_hz = 0.0
    if len(rising) > 1:
        rate_hz = (rising[-1] - rising[0]) / (len(rising) - 1) / PERIOD_US * 1e6
    return Health(
        rate_hz=float(rate_hz),
        set_hz=identity.sample_rate_hz,
        channels=len(identity.channels),
        pulses=PULSES,
        sent=sustained.sent,
        late=sustained.late,
        seen=len(rising),
        holes=holes(rising),
        losses=tuple(loss.text for loss in sustained.heard.losses),
        invariant=agent is None or agent.greeting.get("invariant", "1") != "0",
        agent_version=context.bench.target.identity.version,
        firmware=context.bench.stimulus.identity.firmware,
    )


def _record(
    context: Context, health: Health, sustained: _Sustained, found: tuple[Finding, ...]
) -> Record:
    quantities = [
        Quantity("backlog_maximum", sustained.backlog_ns / 1e9, "s", 0.0, 1),
        Quantity("samples_in_a_row", float(sustained.heard.samples), "samples", 0.0, 1),
    ]
    if health.rate_hz and health.seen == health.sent and not health.holes[0]:
        # By the microcontroller's clock, of which nothing better is known here.
        uncertainty_hz = health.rate_hz * RESONATOR_ERROR / math.sqrt(3)
        rate = Quantity("sample_rate", health.rate_hz, "Hz", uncertainty_hz, health.seen)
        quantities.insert(0, rate)
    return Record(
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
    "and whether samples were lost on this computer and port.",
    connect="The stimulus wire from the microcontroller to the analyzer; the target's agent.",
    run=run,
)
