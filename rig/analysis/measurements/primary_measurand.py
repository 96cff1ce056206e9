# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run with stimuli was made to find, by its measurement, and what else it measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from rig.analysis.crosscheck.constants import (
    ConstantDelay,
    logged_delay,
    response_path,
    task_path,
    with_wires,
)
from rig.analysis.inference.extended import BeyondTally
from rig.analysis.measurements.dispatch import (
    DispatchFigures,
    dispatch_doubts,
    dispatch_witnesses,
    measure_dispatch,
)
from rig.analysis.measurements.saturation import (
    HoldTally,
    SaturationFigures,
    find,
    hold_witness,
    saturation_doubts,
    spacing,
)
from rig.analysis.measurements.self_trigger import (
    BracketTally,
    SelfTriggerFigures,
    measure_self_trigger,
    self_trigger_witnesses,
)
from rig.analysis.model.account import Account
from rig.analysis.model.rate_search import RateSearch
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.statistics.descriptive import ExactHistogram, Statistics
from rig.analysis.uncertainty.effects import between_answers, on_analyzer
from rig.analysis.uncertainty.measurand import Measurand, measurand
from rig.limit_names import BY_TICKS, INTERNAL, INTERRUPT, LATENCY


@dataclass(frozen=True)
class Paired:
    """What pairing stimuli and answers has given."""

    beyond: BeyondTally
    histogram: ExactHistogram
    """Latencies in samples."""
    brackets: BracketTally | None
    """Only of a target that triggers itself."""
    stimuli: int
    responses: int
    duration_ns: float
    """From the first stimulus edge to the last."""
    holds: HoldTally | None = None
    """Only of a search."""
    other: ExactHistogram | None = None
    """Latencies by the other reading, where some events have two."""


@dataclass(frozen=True)
class Headline:
    """What the run was made to find: the latency of its measurement, and what else it shows."""

    measurands: tuple[Measurand, ...]
    """The first is what the measurement is for."""
    histogram: ExactHistogram
    """In samples."""
    aliases: tuple[Measurand, ...] = ()
    """One of the others by a second name."""
    details: DispatchFigures | SelfTriggerFigures | SaturationFigures | None = None
    """What only this kind of measurement has."""
    witnesses: tuple[Witness, ...] = ()
    doubts: tuple[str, ...] = ()
    delays: tuple[ConstantDelay, ...] = ()
    """Constants that were fitted on the way."""

    @property
    def figures(self) -> Statistics:
        """Of the first."""
        return self.measurands[0].statistics


Headlining = Callable[[RawRun, Settings, Account, Paired], Headline]


def headline_of(raw: RawRun, settings: Settings, account: Account, paired: Paired) -> Headline:
    """Of the latencies from interrupts to answers, by where the interrupts come from."""
    delays = _between_triggers_and_answers(settings, paired)
    latency = paired.beyond.latency(LATENCY, paired.histogram, paired.other)
    if paired.holds is not None and settings.rate_search is not None:
        return _saturation(settings.rate_search, account, paired, paired.holds, latency)
    if paired.brackets is None:
        return Headline((latency,), paired.histogram)
    both, inside = measure_self_trigger(raw, settings, latency.statistics, paired.brackets)
    rate_hz = settings.tick_hz or 10**9
    effects = paired.beyond.on_counter(rate_hz, paired.duration_ns)
    return Headline(
        measurands=(latency, measurand(INTERNAL, inside, rate_hz, effects)),
        histogram=paired.histogram,
        details=both,
        witnesses=self_trigger_witnesses(both, account, paired.stimuli),
        delays=delays,
    )


def _between_triggers_and_answers(settings: Settings, paired: Paired) -> tuple[ConstantDelay, ...]:
    """How much later answers reach the analyzer than triggers do, by the records of both writes.

    What nobody has stated of it goes into the budget.
    """
    if paired.brackets is None:
        return ()
    beyond, found = paired.beyond, paired.brackets.delays
    path = response_path(beyond.bench)
    trigger, answer = f"D{settings.wiring.stimulus}", f"D{settings.wiring.response}"
    delay = logged_delay(
        "delay between the trigger's and the answer's channel", found, path,
        (
            f"edges of the answer reach the analyzer late (wire or input {answer})",
            f"edges of the trigger reach the analyzer late (wire or input {trigger})",
        ),
    )  # fmt: skip
    if delay is None:
        return ()
    if not path.is_known:
        source = "not stated: as far as the target's log bears it out"
        beyond.bench = with_wires(beyond.bench, found.largest_ns, source)
    return (delay,)


def _saturation(
    search: RateSearch, account: Account, paired: Paired, tally: HoldTally, latency: Measurand
) -> Headline:
    tally.finish()
    effects = on_analyzer(paired.beyond.bench)
    found = find(search, tally.holds, effects)
    return Headline(
        measurands=(latency, spacing(search, found, effects)),
        histogram=paired.histogram,
        details=found,
        witnesses=(hold_witness(search, tally, account.holds),),
        doubts=saturation_doubts(search, found),
    )


def dispatch_headline(
    raw: RawRun,
    settings: Settings,
    account: Account,  # noqa: ARG001
    paired: Paired,
) -> Headline:
    """Of measurement `interrupt_dispatch`: what followed on the handler's answers."""
    interrupt = paired.beyond.latency(INTERRUPT, paired.histogram, paired.other)
    bench = paired.beyond.bench
    path = task_path(bench)
    found = measure_dispatch(
        raw, settings, paired.responses, interrupt.statistics, path, paired.beyond.agreement
    )
    response, task = f"D{settings.wiring.response}", f"D{settings.wiring.task}"
    delay = logged_delay(
        "delay between the response's and the task's channel", found.delays, path,
        (
            f"edges of the task reach the analyzer late (wire or input {task})",
            f"edges of the response reach the analyzer late (wire or input {response})",
        ),
    )  # fmt: skip
    rate_hz = settings.tick_hz or 10**9
    effects = paired.beyond.on_counter(rate_hz, paired.duration_ns)
    ticks = measurand(LATENCY + BY_TICKS, found.ticks, rate_hz, effects)
    measurands: tuple[Measurand, ...] = (replace(ticks, name=LATENCY), interrupt)
    aliases: tuple[Measurand, ...] = (ticks,)
    if found.pins is not None:
        room_ns = None if path.is_known or delay is None else found.delays.largest_ns
        effects = between_answers(bench, room_ns)
        pins = measurand(LATENCY, found.pins, settings.sample_rate_hz, effects)
        measurands, aliases = (pins, ticks, interrupt), ()
    return Headline(
        measurands=measurands,
        aliases=aliases,
        histogram=ExactHistogram() if found.pins is None else found.pins.histogram,
        details=found.figures,
        witnesses=dispatch_witnesses(found.figures),
        doubts=dispatch_doubts(found.figures),
        delays=(*filter(None, (delay,)),),
    )
