# SPDX-License-Identifier: GPL-3.0-or-later
"""One run of the agent within a longer capture: interrupts, answers and log."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.context import StepContext
from calibration.estimate.logged import Logged, logged
from calibration.recording import Listener, Recording
from calibration.response_train import answered, interrupts
from rig.analysis.clocks.brackets import Rates
from rig.config.fixture import RESPONSE, STIMULUS
from rig.instruments import LogArray

SEED = 8


@dataclass(frozen=True)
class Turn:
    """One run of the agent, and the samples that hold its answers."""

    cpu: int | None
    log: LogArray
    first_sample: int
    end_sample: int


def take_turn(context: StepContext, listener: Listener, cpu: int | None, pulses: int) -> Turn:
    """Answered on this core, None: any. Raises BenchError, StoppedError."""
    listener.pump()
    first = listener.samples
    log = answered(context, listener, interrupts(context.chip, pulses, SEED), cpu)
    return Turn(cpu, log, first, listener.samples)


def logged_of(context: StepContext, heard: Recording, turn: Turn, rates: Rates) -> Logged:
    """A turn's answers: what the pin did since its first stimulus. Raises ValueError."""
    stimulus, _ = heard.of_channel(context.fixture.channel_of(STIMULUS))
    here = stimulus[(stimulus >= turn.first_sample) & (stimulus < turn.end_sample)]
    index, level = heard.of_channel(context.fixture.channel_of(RESPONSE))
    first = int(here[0]) if len(here) else turn.first_sample
    mine = (index >= first) & (index < turn.end_sample)
    return logged(index[mine], level[mine], turn.log, rates)
