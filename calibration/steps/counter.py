# SPDX-License-Identifier: GPL-3.0-or-later
"""The target's cycle counter: its rate, whether it keeps it, and whether all cores agree."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from calibration import common_findings
from calibration.context import Progress, StepContext
from calibration.estimate.cores import ahead
from calibration.estimate.estimate import Estimate
from calibration.estimate.linearity import departure_ns
from calibration.estimate.logged import Logged
from calibration.estimate.rate import Rate, rate_of
from calibration.findings import Finding, StepOutcome
from calibration.recording import Listener, Recording, listening
from calibration.response_train import agent_of, rates_of
from calibration.steps.counter_frequency import Varied, judge_varied, megahertz, vary
from calibration.steps.counter_turns import Turn, logged_of, take_turn
from calibration.steps.step import Step
from rig.analysis.clocks.brackets import Rates
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.config.calibration.names import (
    COUNTER_RATE,
    COUNTER_STABILITY,
    COUNTER_STEP,
    depends_on,
    pair_of,
)
from rig.config.fixture import RESPONSE
from rig.errors import BenchError
from rig.target.frequency import reported_khz

CORE_PULSES = 500
CORES_MAX = 64
WORTH_NS = 5.0
"""Counters of cores that are less apart than this are as good as one."""
OFF_PPM = 1000.0
"""A counter whose nominal rate is farther off than this was reported or measured wrongly."""
WANDER, LINEARITY, AHEAD = "counter_allan", "counter_linearity", "core_ahead"


@dataclass
class Found:
    """The results of the step."""

    rate: Rate | None = None
    linearity: Estimate | None = None
    ahead_ns: dict[int, Estimate] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def run(context: StepContext, progress: Progress) -> StepOutcome:
    """Run the agent on each core in turn. Raises BenchError, StoppedError."""
    agent = agent_of(context)
    environment = agent.environment()
    cpus = cpus_of(environment)
    refused: list[Finding] = []
    with listening(context) as listener:
        turns = [_long(context, listener, cpus, progress)]
        turns += _cores(context, listener, cpus, progress, refused)
        varied = vary(context, listener, cpus, context.settings.seconds, progress)
        heard = listener.end()
    found = judge(context, heard, turns)
    judge_varied(context, heard, varied)
    found.findings += [*refused, *varied.findings]
    found.findings += of_environment(environment, agent.greeting)
    record = CalibrationRecord(
        step=COUNTER_STEP,
        date=datetime.now(UTC),
        quantities=quantities(found, varied),
        conditions={
            "duration": f"{context.settings.seconds} s",
            "cores": " ".join(map(str, cpus)) if cpus else "not told",
            **_frequencies(environment),
            **varied.conditions,
        },
        instruments=depends_on(COUNTER_STEP, context.instruments())
        | pair_of(COUNTER_STEP, context.instruments()),
        findings=tuple(finding.text for finding in found.findings),
    )
    return StepOutcome(record, tuple(found.findings))


# --- driving -----------------------------------------------------------------------------------


def _long(context: StepContext, listener: Listener, cpus: list[int], progress: Progress) -> Turn:
    seconds = context.settings.seconds
    progress(f"interrupts for {seconds} s")
    return take_turn(context, listener, cpus[0] if len(cpus) > 1 else None, seconds * 1000)


def _cores(
    context: StepContext,
    listener: Listener,
    cpus: list[int],
    progress: Progress,
    refused: list[Finding],
) -> list[Turn]:
    """Take a turn on the first core before and after each other one."""
    turns: list[Turn] = []
    for cpu in cpus[1:]:
        progress(f"core {cpu}")
        try:
            turns += [take_turn(context, listener, each, CORE_PULSES) for each in (cpus[0], cpu)]
        except BenchError as error:
            context.check_stop()
            refused.append(_refused(cpu, str(error)))
    if turns:
        turns.append(take_turn(context, listener, cpus[0], CORE_PULSES))
    return turns


# --- judging -----------------------------------------------------------------------------------


def judge(context: StepContext, heard: Recording, turns: list[Turn]) -> Found:
    """Find rate and linearity from the first turn, the cores' offsets from those after it."""
    found = Found(findings=[common_findings.lost(loss.text) for loss in heard.losses])
    rates = rates_of(context)
    seen: list[tuple[int | None, Logged]] = []
    for turn in turns:
        try:
            each = logged_of(context, heard, turn, rates)
        except ValueError as error:
            channel = context.fixture.channel_of(RESPONSE)
            found.findings.append(common_findings.no_clock(channel, str(error)))
            return found
        said = (*each.unmatched, *each.test.findings)[:3]
        found.findings += [common_findings.contradiction(text) for text in said]
        seen.append((turn.cpu, each))
    first = seen[0][1]
    found.findings += [common_findings.counter_wraps(first.wraps)] if first.wraps else []
    try:
        found.rate = rate_of(first.brackets, rates)
        found.linearity = departure_ns(first.brackets, rates)
        found.findings += rate_findings(found.rate, found.linearity)
    except ValueError as error:
        found.findings.append(common_findings.no_rate(str(error)))
    _compare_cores(found, seen[1:], rates)
    return found


def _compare_cores(found: Found, seen: list[tuple[int | None, Logged]], rates: Rates) -> None:
    for number in range(1, len(seen) - 1, 2):
        cpu, other = seen[number]
        try:
            apart = ahead((seen[number - 1][1], seen[number + 1][1]), other, rates)
        except ValueError as error:
            found.findings.append(common_findings.contradiction(f"core {cpu}: {error}"))
            continue
        found.ahead_ns[int(cpu or 0)] = apart
        # Hard limits: what does not reach 0 is not 0.
        if abs(apart.value) > max(WORTH_NS, apart.standard_uncertainty * 3**0.5):
            found.findings.append(_apart(int(cpu or 0), apart))


def rate_findings(rate: Rate, linearity: Estimate | None) -> list[Finding]:
    """Return findings for a counter that is far off, or does not keep its rate."""
    found = []
    if abs(rate.ppm.value) > OFF_PPM:
        found.append(
            Finding(
                "counter rate off",
                f"the counter runs {rate.ppm.value:+.1f} ppm off the rate that the agent tells",
                "Figures do not use that rate. Look which source it is from: rate= in the agent's "
                "greeting, targets/PROTOCOL.md.",
                fault=False,
            )
        )
    if not rate.straight:
        off = "" if linearity is None else f", and departs by {linearity.value:.4g} ns from a line"
        found.append(
            Finding(
                "counter not steady",
                f"the counter's rate changes against the analyzer's clock{off}",
                "Fix the processor's frequency, or start the agent with --counter monotonic_raw; "
                "let the analyzer warm up.",
            )
        )
    return found


def _apart(cpu: int, apart: Estimate) -> Finding:
    way = "ahead of" if apart.value > 0 else "behind"
    return Finding(
        "core counters apart",
        f"core {cpu}'s counter is {abs(apart.value):.4g} ns {way} the first core's",
        "Keep the agent on one core (cpu in the plan), or start it with --counter monotonic_raw.",
    )


def _refused(cpu: int, why: str) -> Finding:
    return Finding(
        "core not looked at",
        f"core {cpu}: {common_findings.shown(why)}",
        "Start the agent with the right to choose its core, or leave that core out of plans.",
        fault=False,
    )


# --- the environment ---------------------------------------------------------------------------


def cpus_of(environment: Mapping[str, object]) -> list[int]:
    """Return the numbers of the cores that the agent reports, the first CORES_MAX of them."""
    listed = environment.get("cpus")
    numbers = (
        [each["cpu"] for each in listed if isinstance(each, dict) and type(each.get("cpu")) is int]
        if isinstance(listed, list)
        else []
    )
    return sorted({number for number in numbers if 0 <= number < 4096})[:CORES_MAX]


def of_environment(environment: Mapping[str, object], greeting: Mapping[str, str]) -> list[Finding]:
    """Return the finding of a counter that the processor's frequency may change."""
    if greeting.get("invariant", "1") != "0":
        return []
    span = _frequencies(environment).get("frequency range", "")
    said = f" (its frequency: {span})" if span else ""
    return [
        Finding(
            "counter varies",
            f"the counter follows the processor's frequency{said}",
            "Fix the frequency (governor performance), or start the agent with "
            "--counter monotonic_raw.",
        )
    ]


def _frequencies(environment: Mapping[str, object]) -> dict[str, str]:
    """Return range and governors as the agent reports them."""
    listed = environment.get("cpus")
    cpus = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    lows, highs = (_told(cpus, key) for key in ("minimum_khz", "maximum_khz"))
    governors = sorted(
        {common_findings.shown(str(each["governor"])) for each in cpus if "governor" in each}
    )
    told = {}
    if lows and highs:
        told["frequency range"] = f"{min(lows) / 1000:g} to {max(highs) / 1000:g} MHz"
    if governors:
        told["governor"] = " ".join(governors)[:150]
    return told


def _told(cpus: list[dict[str, object]], key: str) -> list[int]:
    """Return the frequencies in kHz of the cores that report this one."""
    found = []
    for each in cpus:
        with contextlib.suppress(KeyError, ValueError):
            found.append(reported_khz(each[key]))
    return found


def quantities(found: Found, varied: Varied) -> tuple[CalibratedQuantity, ...]:
    """Return rates in ppm of nominal, wander in ppb, linearity and offsets of cores in ns."""
    made = []
    if found.rate is not None:
        made.append(_quantity(COUNTER_RATE, found.rate.ppm, "ppm"))
        for each in found.rate.wander:
            made.append(_quantity(WANDER, each.deviation, "ppb", f"{each.tau_s:g} s"))
    if found.linearity is not None:
        made.append(_quantity(LINEARITY, found.linearity, "ns"))
    for cpu, apart in found.ahead_ns.items():
        made.append(_quantity(AHEAD, apart, "ns", f"core {cpu}"))
    if varied.stability is not None:
        made.append(_quantity(COUNTER_STABILITY, varied.stability, "ppm"))
    made += [
        _quantity(COUNTER_RATE, rate, "ppm", megahertz(khz))
        for khz, rate in sorted(varied.rates.items())
    ]
    return tuple(made)


def _quantity(name: str, found: Estimate, unit: str, subject: str = "") -> CalibratedQuantity:
    return CalibratedQuantity(name, found.value, unit, found.standard_uncertainty, found.n, subject)


STEP = Step(
    name=COUNTER_STEP,
    title="Target's counter",
    does="Lets the target answer interrupts for a minute (--seconds) and fits its cycle counter to "
    "the analyzer's clock: rate, steadiness, straightness. Then the agent answers from each core "
    "in turn, and what their counters show at one time is compared; and from the first at the "
    "lowest, a middle and the highest frequency, if the target's kernel lets it be set.",
    connect="As for a measurement: stimulus and answer on the analyzer, the interrupt line, the "
    "target's agent.",
    run=run,
)
