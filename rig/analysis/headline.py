# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run with stimuli was made to find, by its measurement, and what else it measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rig.analysis.beyond import BeyondTally
from rig.analysis.dispatch import (
    DispatchFigures,
    dispatch_doubts,
    dispatch_witnesses,
    measure_dispatch,
)
from rig.analysis.measurands.effects import between_answers, on_analyzer
from rig.analysis.measurands.measurand import Measurand, measurand
from rig.analysis.raw import Account, RawRun, Settings
from rig.analysis.saturation import (
    HoldTally,
    SaturationFigures,
    find,
    hold_witness,
    saturation_doubts,
    spacing,
)
from rig.analysis.self_trigger import (
    BracketTally,
    SelfTriggerFigures,
    measure_self_trigger,
    self_trigger_witnesses,
)
from rig.analysis.statistics import ExactHistogram, Statistics
from rig.analysis.witness import Witness
from rig.limit_names import BY_TICKS, INTERNAL, INTERRUPT, LATENCY
from rig.measure.saturation import Search


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


@dataclass(frozen=True)
class Headline:
    """What the run was made to find: the latency of its measurement, and what else it shows."""

    measurands: tuple[Measurand, ...]
    """The first is what the measurement is for."""
    histogram: ExactHistogram
    """In samples."""
    aliases: tuple[Measurand, ...] = ()
    """One of the others by a second name."""
    dispatch: DispatchFigures | None = None
    self_trigger: SelfTriggerFigures | None = None
    saturation: SaturationFigures | None = None
    witnesses: tuple[Witness, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def figures(self) -> Statistics:
        """Of the first."""
        return self.measurands[0].statistics


def headline_of(raw: RawRun, settings: Settings, account: Account, paired: Paired) -> Headline:
    """By the measurement that the run was made for."""
    if settings.measurement == "interrupt_dispatch":
        interrupt = paired.beyond.latency(INTERRUPT, paired.histogram)
        return _dispatch(raw, settings, paired, interrupt)
    latency = paired.beyond.latency(LATENCY, paired.histogram)
    if paired.holds is not None and settings.search is not None:
        return _saturation(settings.search, account, paired, paired.holds, latency)
    if paired.brackets is None:
        return Headline((latency,), paired.histogram)
    both, inside = measure_self_trigger(raw, settings, latency.statistics, paired.brackets)
    rate_hz = settings.tick_hz or 10**9
    effects = paired.beyond.on_counter(rate_hz, paired.duration_ns)
    return Headline(
        measurands=(latency, measurand(INTERNAL, inside, rate_hz, effects)),
        histogram=paired.histogram,
        self_trigger=both,
        witnesses=self_trigger_witnesses(both, account, paired.stimuli),
    )


def _saturation(
    search: Search, account: Account, paired: Paired, tally: HoldTally, latency: Measurand
) -> Headline:
    tally.finish()
    effects = on_analyzer(paired.beyond.bench)
    found = find(search, tally.holds, effects)
    return Headline(
        measurands=(latency, spacing(search, found, effects)),
        histogram=paired.histogram,
        saturation=found,
        witnesses=(hold_witness(search, tally, account.holds),),
        doubts=saturation_doubts(search, found),
    )


def _dispatch(
    raw: RawRun,
    settings: Settings,
    paired: Paired,
    interrupt: Measurand,
) -> Headline:
    skew = paired.beyond.bench.task_skew_ns
    found = measure_dispatch(raw, settings, paired.responses, interrupt.statistics, skew)
    rate_hz = settings.tick_hz or 10**9
    effects = paired.beyond.on_counter(rate_hz, paired.duration_ns)
    ticks = measurand(LATENCY + BY_TICKS, found.ticks, rate_hz, effects)
    measurands: tuple[Measurand, ...] = (replace(ticks, name=LATENCY), interrupt)
    aliases: tuple[Measurand, ...] = (ticks,)
    if found.pins is not None:
        effects = between_answers(paired.beyond.bench)
        pins = measurand(LATENCY, found.pins, settings.sample_rate_hz, effects)
        measurands, aliases = (pins, ticks, interrupt), ()
    return Headline(
        measurands=measurands,
        aliases=aliases,
        histogram=ExactHistogram() if found.pins is None else found.pins.histogram,
        dispatch=found.figures,
        witnesses=dispatch_witnesses(found.figures),
        doubts=dispatch_doubts(found.figures),
    )
