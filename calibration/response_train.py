# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupts answered by the target, and its log."""

from __future__ import annotations

import numpy as np

from calibration.context import StepContext
from calibration.recording import Listener
from calibration.trains import drive
from rig.analysis.clocks.brackets import Rates
from rig.errors import BenchError
from rig.instruments import LOG_RECORD, ArmOptions, LogArray
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import Pattern, Polarity, Train
from rig.target.link import AgentLink

MEAN_S = 0.001
"""The mean interval; slow ports answer within it."""
WIDTH_S = 10e-6
DRIFT_PPM_PER_S = 10.0


def agent_of(context: StepContext) -> AgentLink:
    """Return the target's agent. Raises BenchError if there is none."""
    agent = context.agent
    if agent is None:
        raise BenchError("there is no agent on the target; start it: `rig target deploy`")
    return agent


def interrupts(chip: StimulusChip, count: int, seed: int) -> Train:
    """Return a train for a target to answer."""
    mean_ticks = round(MEAN_S * chip.clock_hz)
    return Train(
        pattern=Pattern.UNIFORM,
        count=count,
        seed=seed,
        delay_ticks=10 * mean_ticks,
        width_ticks=round(WIDTH_S * chip.clock_hz),
        polarity=Polarity.POSITIVE,
        interval_min_ticks=mean_ticks * 3 // 4,
        interval_max_ticks=mean_ticks * 5 // 4,
    )


def answered(
    context: StepContext, listener: Listener, train: Train, cpu: int | None = None
) -> LogArray:
    """Arm, send, disarm; return the log, dtype LOG_RECORD. Raises BenchError, StoppedError."""
    agent = agent_of(context)
    options = {} if cpu is None else {"cpu": str(cpu)}
    bits = len(context.fixture.sequence_channels)
    agent.arm(ArmOptions("interrupt", 4 * train.count, bits, options))
    try:
        drive(context, listener, train)
    finally:
        summary = agent.stop()
    parts: list[LogArray] = []
    have = 0
    while have < summary.records:
        part = agent.log(have, summary.records - have)
        if not len(part):
            break
        parts.append(part)
        have += len(part)
    return np.concatenate(parts) if parts else np.empty(0, LOG_RECORD)


def rates_of(context: StepContext) -> Rates:
    """Return the rates of analyzer and target."""
    bench = context.bench
    return Rates(
        bench.analyzer.identity.sample_rate_hz, bench.target.identity.tick_hz, DRIFT_PPM_PER_S
    )
