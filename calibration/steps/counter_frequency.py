# SPDX-License-Identifier: GPL-3.0-or-later
"""The counter's rate at the lowest, a middle and the highest frequency of the processor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from calibration import common_findings
from calibration.context import Progress, StepContext
from calibration.estimate.estimate import Estimate
from calibration.estimate.stability import (
    by_level,
    rate_at,
    spread,
    surely,
    there_and_back,
)
from calibration.findings import Finding
from calibration.recording import Listener, Recording
from calibration.response_train import agent_of, rates_of
from calibration.steps.counter_turns import Turn, logged_of, take_turn
from rig.config.calibration.names import COUNTER_STABLE_PPM
from rig.config.fixture import RESPONSE
from rig.errors import BenchError, RefusedError
from rig.target.frequency import NotGivenBackError, can_adjust, locked_frequency, read_state

PULSES_MIN = 200
FOLLOWS = 0.05
"""Rates follow the frequencies if their ratios agree within this part."""
REACHED = 0.1
"""A processor that is farther off than this part does not run at the frequency asked for."""


@dataclass(frozen=True)
class HeldTurn:
    """A turn at one frequency."""

    khz: int
    current_khz: int | None
    """The frequency that the target's kernel reports."""
    turn: Turn


@dataclass
class Varied:
    """The results at the frequencies."""

    turns: list[HeldTurn] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    rates: dict[int, Estimate] = field(default_factory=dict)
    """The rate in ppm of nominal by frequency in kHz, all at one time."""
    stability: Estimate | None = None
    """The largest less the smallest rate, in ppm."""

    @property
    def conditions(self) -> dict[str, str]:
        """The frequencies that were held, for the record."""
        if not self.rates:
            return {}
        return {"frequencies held": ", ".join(map(megahertz, sorted(self.rates)))}


def vary(
    context: StepContext, listener: Listener, cpus: list[int], seconds: int, progress: Progress
) -> Varied:
    """Take turns on the first core at one frequency after the other; it is given back after each.

    What the agent refuses is a finding. Raises BenchError, StoppedError.
    """
    agent = agent_of(context)
    if not can_adjust(agent):
        return Varied(findings=[_not_varied("its agent does not know how", _OTHER_AGENT)])
    cpu = cpus[0] if cpus else 0
    found = Varied()
    try:
        levels = read_state(agent, cpu).levels_khz
        if len(levels) == 1:
            why = f"it is fixed at {megahertz(levels[0])}"
            return Varied(findings=[_not_varied(why, _FIXED)])
        for khz in there_and_back(levels):
            context.check_stop()
            progress(f"processor at {megahertz(khz)}")
            with locked_frequency(agent, cpu, khz) as state:
                pulses = max(PULSES_MIN, seconds * 1000 // 10)
                on = cpu if len(cpus) > 1 else None
                found.turns.append(
                    HeldTurn(khz, state.current_khz, take_turn(context, listener, on, pulses))
                )
    except RefusedError as refusal:
        return Varied(findings=[_not_varied(_words(refusal), _REFUSED)])
    except NotGivenBackError as error:
        return Varied(findings=[_not_given_back(_words(error))])
    return found


def judge_varied(context: StepContext, heard: Recording, found: Varied) -> None:
    """Find the rates and their spread from the turns of `vary`."""
    if not found.turns:
        return
    rates = rates_of(context)
    try:
        seen = [logged_of(context, heard, each.turn, rates) for each in found.turns]
        for each in seen:
            said = (*each.unmatched, *each.test.findings)[:1]
            found.findings += [common_findings.contradiction(text) for text in said]
        turns = [
            rate_at(each.khz, logs, rates) for each, logs in zip(found.turns, seen, strict=True)
        ]
    except ValueError as error:
        channel = context.fixture.channel_of(RESPONSE)
        found.findings.append(common_findings.no_clock(channel, str(error)))
        return
    found.rates = by_level(turns)
    found.stability = spread(found.rates)
    found.findings += [*_not_reached(found.turns), *stability_findings(found.rates)]


def stability_findings(rates: Mapping[int, Estimate]) -> list[Finding]:
    """Return the finding of a counter that goes with the frequency, or is moved by it."""
    apart = spread(rates)
    if surely(apart) <= COUNTER_STABLE_PPM:
        return []
    span = f"{megahertz(min(rates))} and {megahertz(max(rates))}"
    if _follows(rates):
        return [
            Finding(
                "counter follows frequency",
                f"the counter's rate goes with the processor's frequency: {apart.value / 1e4:.3g} "
                f"% of nominal apart between {span}",
                _STEADY_COUNTER,
            )
        ]
    return [
        Finding(
            "counter varies with frequency",
            f"the counter's rate changes by {apart.value:.4g} ppm between {span}",
            _STEADY_COUNTER,
        )
    ]


def _follows(rates: Mapping[int, Estimate]) -> bool:
    """Return whether the rates are as the frequencies."""
    low, high = min(rates), max(rates)
    slow, fast = (1 + rates[khz].value * 1e-6 for khz in (low, high))
    return slow > 0 and abs(fast / slow * low / high - 1) < FOLLOWS


def _not_reached(turns: list[HeldTurn]) -> list[Finding]:
    off = {
        each.khz: each.current_khz
        for each in turns
        if each.current_khz is not None and abs(each.current_khz / each.khz - 1) > REACHED
    }
    if not off:
        return []
    said = ", ".join(f"{megahertz(ran or 0)} at {megahertz(khz)}" for khz, ran in off.items())
    return [
        Finding(
            "frequency not reached",
            f"the processor did not run as it was told; its kernel says: {said}",
            "The rate was looked at over a smaller range. Look for limits of power and heat, "
            "turbo, and other cores that share its clock.",
            fault=False,
        )
    ]


def megahertz(khz: int) -> str:
    """Return the frequency in words."""
    return f"{khz / 1000:g} MHz"


def _words(refusal: BenchError) -> str:
    """Return the agent's own words, without who said it."""
    return str(refusal).rpartition("FREQUENCY refused: ")[2]


def _not_varied(why: str, remedy: str) -> Finding:
    return Finding(
        "frequency not varied",
        f"whether the counter keeps its rate at other frequencies was not tried: "
        f"{common_findings.shown(why)}",
        remedy,
        fault=False,
    )


def _not_given_back(why: str) -> Finding:
    return Finding(
        "frequency not given back",
        f"the processor's frequency is still held: {common_findings.shown(why)}",
        "Do as root on the target what that says, or start it anew, before anything is measured.",
    )


_STEADY_COUNTER = (
    "Times from the agent's log are wrong whenever the frequency changes. Fix it while measuring "
    "(governor performance, turbo off, scaling_min_freq = scaling_max_freq), or start the agent "
    "with --counter monotonic_raw."
)
_OTHER_AGENT = (
    "Deploy the agent of this rig: `rig target deploy`; or measure at one frequency only."
)
_FIXED = "Nothing, as long as it stays so; to try others, widen its limits."
_REFUSED = (
    "Start the agent with the right to set it, or measure at one frequency only. On a virtual "
    "machine, or where the firmware decides, nobody here can set it."
)
