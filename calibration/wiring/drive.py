# SPDX-License-Identifier: GPL-3.0-or-later
"""Drive one wire after the other from the end that drives it, and listen at all others.

Each wire gets its own number of pulses. That number, not the time, tells whose pulses arrive where:
it holds even if the analyzer samples at another rate than it says.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from calibration.context import Progress, StepContext
from calibration.recording import Listener, listening
from calibration.wiring.judge import arrivals
from calibration.wiring.observed import (
    CODE_FIRST,
    CODE_STEP,
    PERIOD_US,
    QUIET_MS,
    RATE_TRUSTED,
    Driven,
    InterruptCount,
    Observed,
    Turns,
    observed,
)
from rig.config.fixture import SEQUENCE, STIMULUS, TASK
from rig.errors import BenchError
from rig.instruments import ArmOptions
from rig.stimulus.chip import StimulusChip
from rig.stimulus.train import Pattern, Polarity, Train
from rig.target.link import AgentLink

STIMULI = 20
"""The pulses for the target to count."""
DELAY_US = 2000
HELD_MS = 100
"""The time in which a level that creeps through a pull-up gets there."""


def observe(
    context: StepContext, progress: Progress, signals: Collection[str] | None = None
) -> Observed:
    """Drive every wire, or these and the stimulus, and look. Raises BenchError, StoppedError."""
    asked = {wire.signal for wire in context.fixture.wires} if signals is None else set(signals)
    _rest(context)
    with listening(context) as listener:
        turns = _drive_all(context, listener, progress, asked)
        heard = listener.end()
    nominal_hz = context.bench.analyzer.identity.sample_rate_hz
    counted = InterruptCount(STIMULI, None)
    if STIMULUS in asked:
        counted = _ask_target(context, progress)
    seen = observed(heard, turns, counted, nominal_hz)
    silent = [s for s, there in arrivals(seen).items() if s in asked and not there]
    creeping = {signal for signal in silent if _creeps(context, signal, progress)}
    return replace(seen, creeping=frozenset(creeping))


def _rest(context: StepContext) -> None:
    """Set all drivers low, so that every wire's pulses are high."""
    context.bench.stimulus.abort()
    agent = context.agent
    if agent is not None:
        try:
            agent.pulse("response", 0, _sequence_bits(context))
        except BenchError:
            return  # the turn of each wire will say why
    context.wait(QUIET_MS)


def _sequence_bits(context: StepContext) -> int:
    return len(context.fixture.sequence_channels)


def _drive_all(
    context: StepContext, listener: Listener, progress: Progress, asked: Collection[str]
) -> Turns:
    """Drive the wires; the stimulus first in any case, as time is counted from its beginning."""
    stimulus = context.bench.stimulus
    progress(f"{STIMULUS}: {CODE_FIRST} pulses")
    captured = _drive_stimulus(context, CODE_FIRST)
    driven = [Driven(STIMULUS, CODE_FIRST, captured)]
    refused: dict[str, str] = {}
    listener.pump()
    start_ticks, start_samples = stimulus.status().now_ticks, listener.samples
    for number, wire in enumerate(w for w in context.fixture.wires if w.signal != STIMULUS):
        pulses = CODE_FIRST + CODE_STEP * (number + 1)
        if wire.signal not in asked:
            continue
        progress(f"{wire.signal}: {pulses} pulses")
        try:
            captured = _drive_target(context, wire.signal, pulses)
            driven.append(Driven(wire.signal, pulses, captured))
        except _RefusedError as refusal:
            refused[wire.signal] = str(refusal)
        listener.pump()
    rough_hz = _drain(context, listener, start_ticks, start_samples)
    return Turns(tuple(driven), refused, rough_hz)


def _drain(context: StepContext, listener: Listener, start_ticks: int, start_samples: int) -> float:
    """Read until the samples of all that was driven have come; return the analyzer's rough rate."""
    nominal_hz = context.bench.analyzer.identity.sample_rate_hz
    clock_hz = context.chip.clock_hz
    passed_s = (context.bench.stimulus.status().now_ticks - start_ticks) / clock_hz
    listener.read_until(start_samples + int(nominal_hz * (passed_s + 2 * QUIET_MS / 1000)))
    # Long enough that what lies in buffers on the way is little beside it.
    context.wait(4 * QUIET_MS)
    listener.pump()
    ticks = context.bench.stimulus.status().now_ticks - start_ticks
    rough_hz = (listener.samples - start_samples) * clock_hz / ticks
    if rough_hz > nominal_hz * RATE_TRUSTED:
        listener.read_until(start_samples + int(rough_hz * (passed_s + 1)))
    return rough_hz


# --- turns -------------------------------------------------------------------------------------


class _RefusedError(Exception):
    """An error for a wire that nobody drives."""


def _train(chip: StimulusChip, pulses: int, polarity: Polarity = Polarity.POSITIVE) -> Train:
    period_ticks = PERIOD_US * chip.clock_hz // 10**6
    return Train(
        pattern=Pattern.PERIODIC,
        count=pulses,
        delay_ticks=DELAY_US * chip.clock_hz // 10**6,
        width_ticks=period_ticks // 2,
        period_ticks=period_ticks,
        seed=0,
        polarity=polarity,
    )


def _drive_stimulus(context: StepContext, pulses: int) -> int:
    """Drive the stimulus; return how many edges the microcontroller captured."""
    stimulus = context.bench.stimulus
    stimulus.configure(_train(context.chip, pulses))
    stimulus.start()
    return context.wait(DELAY_US // 1000 + pulses * PERIOD_US // 1000 + QUIET_MS)


def _drive_target(context: StepContext, signal: str, pulses: int) -> int:
    agent = context.agent
    if signal == TASK:
        raise _RefusedError("its pin moves only while a task is interrupted")
    if agent is None:
        raise _RefusedError("there is no agent")
    bits = _sequence_bits(context)
    if signal in SEQUENCE[bits:]:
        raise _RefusedError("no pin of that number")
    try:
        agent.pulse(signal, pulses, bits, PERIOD_US // 2)
    except BenchError as error:
        context.check_stop()
        raise _RefusedError(str(error)) from error
    return context.wait(pulses * PERIOD_US // 1000 + QUIET_MS)


def _creeps(context: StepContext, signal: str, progress: Progress) -> bool:
    """Return whether a wire without pulses changes its level anywhere if driven high for long."""
    progress(f"{signal}: held high")
    with listening(context) as listener:
        start = listener.samples
        if signal == STIMULUS:
            context.bench.stimulus.configure(_train(context.chip, 1, Polarity.NEGATIVE))
            context.wait(HELD_MS)
            context.bench.stimulus.configure(_train(context.chip, 1))
        elif (agent := context.agent) is not None:
            agent.pulse(signal, 1, _sequence_bits(context), HELD_MS * 1000)
            context.wait(HELD_MS)
        context.wait(QUIET_MS)
        rate_hz = context.bench.analyzer.identity.sample_rate_hz
        listener.read_until(start + rate_hz * (2 * HELD_MS + QUIET_MS) // 1000)
        heard = listener.end()
    mine = context.fixture.channel_of(signal)
    return bool((heard.channel == mine).any())


def _refusal(context: StepContext, agent: AgentLink, measurement: str, edge: str) -> str:
    """Arm the measurement; return "", or why the agent refused."""
    try:
        agent.arm(ArmOptions(measurement, 4 * STIMULI, options={"edge": edge}))
    except BenchError as error:
        context.check_stop()
        return str(error)
    return ""


def _ask_target(context: StepContext, progress: Progress) -> InterruptCount:
    """Return how many of STIMULI the target counts, or why it was not asked."""
    agent = context.agent
    if agent is None:
        return InterruptCount(STIMULI, None, "there is no agent")
    known = agent.greeting.get("measurements", "interrupt").split(",")
    usable = [name for name in ("interrupt", "interrupt_to_task") if name in known]
    if not usable:
        return InterruptCount(STIMULI, None, "its port has no interrupts")
    progress(f"interrupt line: {STIMULI} pulses")
    # A parallel port interrupts on one edge only, and its agent knows which.
    refusal = _refusal(context, agent, usable[0], "rising")
    if refusal and _refusal(context, agent, usable[0], "falling"):
        return InterruptCount(STIMULI, None, refusal)
    try:
        _drive_stimulus(context, STIMULI)
    finally:
        summary = agent.stop()
    return InterruptCount(STIMULI, summary.handled)
