# SPDX-License-Identifier: GPL-3.0-or-later
"""Saturation: which rates the target kept up with, from what became of each stimulus.

Where one hold ends and the next begins is told by the rest between them, which is longer than any
interval: nothing but the capture is needed, and a run that was cut short keeps its whole holds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.analysis.model.details import Details
from rig.analysis.model.events import EventClass
from rig.analysis.model.rate_search import REST_FACTOR, RateSearch, falls_behind
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.pairing import Events
from rig.analysis.statistics.descriptive import ExactHistogram, statistics
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution, limits
from rig.analysis.uncertainty.correction import Correction
from rig.analysis.uncertainty.effects import SystematicEffects
from rig.analysis.uncertainty.measurand import Measurand
from rig.instruments import Int64Array
from rig.limit_names import SPACING

_PS_HZ = 10**12
_UNEVEN_SAMPLES = 2
"""An interval of a train of one rate departs from it by so many samples and a tick at most."""
_NAMED_MAX = 3


@dataclass(frozen=True)
class RateStep:
    """What became of the stimuli of one rate."""

    spacing_ns: float
    """From stimulus to stimulus, as the analyzer saw it."""
    rate_hz: float
    sent: int
    answered: int
    late: int
    """Answered, each by an answer of its own, but after the next stimulus."""
    merged: int
    missed: int
    average_ns: float | None
    max_ns: float | None
    """Latencies, of all that were served."""
    backlog_growing: bool
    """Answers came later and later."""
    is_complete: bool
    """As many stimuli as planned."""

    @property
    def is_sustained(self) -> bool:
        """Each stimulus got an answer of its own, and answers did not fall behind."""
        return self.is_complete and not self.merged and not self.missed and not self.backlog_growing


@dataclass(frozen=True)
class SaturationFigures(Details):
    """What the search has found. Times in ns of the analyzer's clock."""

    kind = "saturation"

    holds: tuple[RateStep, ...]
    """In the order of the run."""
    sustained_ns: float | None
    """Spacing of the fastest hold that was kept, and with it all slower ones; None: none was."""
    failed_ns: float | None
    """Spacing of the slowest hold that was lost; None: none was."""
    limit_ns: float | None
    """Best estimate of the least spacing that is kept up with; None: no limit was found."""
    expanded_ns: float | None
    """Expanded uncertainty of it."""
    conflicts: int
    """Holds that were kept though a slower one was lost."""
    resolution_ppm: int

    @property
    def rate_hz(self) -> float | None:
        """The highest rate that was kept up with."""
        return None if self.sustained_ns is None else 1e9 / self.sustained_ns

    @property
    def limit_hz(self) -> float | None:
        """Best estimate of the highest rate that is kept up with."""
        return None if self.limit_ns is None else 1e9 / self.limit_ns

    @property
    def limit_u_hz(self) -> float | None:
        """Expanded uncertainty of that."""
        if self.limit_ns is None or self.expanded_ns is None:
            return None
        return 1e9 / self.limit_ns**2 * self.expanded_ns


class HoldTally:
    """Takes in the events of a run and sorts them into holds; keeps those of one hold."""

    def __init__(
        self, search: RateSearch, sample_rate_hz: int, clock_hz: int, faster_ppm: float = 0.0
    ) -> None:
        """`faster_ppm`: the stimulus's clock by the analyzer's, as it was found."""
        self._search, self._rate_hz = search, sample_rate_hz
        self._tick_samples = sample_rate_hz / clock_hz / (1 + faster_ppm / 1e6)
        self._rest_samples = REST_FACTOR / 2 * search.first_ticks * self._tick_samples
        self._parts: list[tuple[Int64Array, Int64Array, Int64Array]] = []
        self._last: int | None = None
        self.holds: list[RateStep] = []
        self.uneven: list[int] = []
        """Samples of stimuli that do not follow at the rate of their hold."""

    def add(self, events: Events) -> None:
        """The next events, in order."""
        if not len(events.stimulus):
            return
        before = events.stimulus[0] if self._last is None else self._last
        rests = np.flatnonzero(np.diff(events.stimulus, prepend=before) > self._rest_samples)
        # Whichever reading of ambiguous ones is true: as many interrupts were lost.
        kind = events.kind if events.readings is None else events.readings[0].kind
        columns = (events.stimulus, events.response, kind.astype(np.int64))
        start = 0
        for rest in rests.tolist():
            self._keep(columns, start, rest)
            self._end_hold()
            start = rest
        self._keep(columns, start, len(events.stimulus))
        self._last = int(events.stimulus[-1])

    def finish(self) -> None:
        """No more events."""
        self._end_hold()

    def _keep(self, columns: tuple[Int64Array, ...], start: int, stop: int) -> None:
        if stop > start:
            stimulus, response, kind = (column[start:stop] for column in columns)
            self._parts.append((stimulus, response, kind))

    def _end_hold(self) -> None:
        if not self._parts:
            return
        stimulus, response, kind = (np.concatenate(each) for each in zip(*self._parts, strict=True))
        self._parts = []
        n = len(stimulus)
        spacing = float(stimulus[-1] - stimulus[0]) / max(1, n - 1)
        off = np.abs(np.diff(stimulus) - spacing) > _UNEVEN_SAMPLES + self._tick_samples
        self.uneven += stimulus[1:][off].tolist()
        latency = (response - stimulus)[response >= 0]
        count = np.bincount(kind, minlength=len(EventClass))
        sample_ns = 1e9 / self._rate_hz
        self.holds.append(
            RateStep(
                spacing_ns=spacing * sample_ns,
                rate_hz=self._rate_hz / spacing if spacing else 0.0,
                sent=n,
                answered=int(count[EventClass.ANSWERED]),
                late=int(count[EventClass.LATE]),
                merged=int(count[EventClass.MERGED] + count[EventClass.AMBIGUOUS]),
                missed=int(count[EventClass.MISSED]),
                average_ns=float(latency.mean()) * sample_ns if len(latency) else None,
                max_ns=float(latency.max()) * sample_ns if len(latency) else None,
                backlog_growing=falls_behind(latency, spacing),
                is_complete=n == self._search.count,
            )
        )


def find(
    search: RateSearch, holds: Sequence[RateStep], effects: SystematicEffects
) -> SaturationFigures:
    """The limit that these holds tell of. `effects`: what bears upon a time by the analyzer."""
    whole = [hold for hold in holds if hold.is_complete]
    failed_ns = max((hold.spacing_ns for hold in whole if not hold.is_sustained), default=None)
    # A hold of the rate that was lost too, to a sample, is no slower one.
    edge_ns = 0.0 if failed_ns is None else failed_ns * (1 + 1e-6)
    kept = [hold.spacing_ns for hold in whole if hold.is_sustained]
    sustained_ns = min((spacing for spacing in kept if spacing > edge_ns), default=None)
    budget = None
    if sustained_ns is not None and failed_ns is not None:
        budget = spacing_budget(search, sustained_ns, failed_ns, effects)
    return SaturationFigures(
        holds=tuple(holds),
        sustained_ns=sustained_ns,
        failed_ns=failed_ns,
        limit_ns=None if budget is None else budget.corrected,
        expanded_ns=None if budget is None else budget.expanded,
        conflicts=sum(spacing <= edge_ns for spacing in kept),
        resolution_ppm=search.resolution_ppm,
    )


def spacing_budget(
    search: RateSearch, sustained_ns: float, failed_ns: float, effects: SystematicEffects
) -> Budget:
    """How well the least spacing is known.

    The limit lies between the two holds. A target may fall behind so slowly that a hold ends before
    it shows: by two intervals in a hold, so the limit may also be that much longer.
    """
    found = effects.mean("least spacing", sustained_ns, 0.0, math.inf)
    half_ns, hidden_ns = (sustained_ns - failed_ns) / 2, sustained_ns / search.count
    between = limits(half_ns, "ns", "slowest hold that was lost", estimate=half_ns)
    unseen = limits(
        hidden_ns, "ns", f"backlog not seen in {search.count:,} stimuli", estimate=-hidden_ns
    )
    edge = limits(effects.resolution_ns / (search.count - 1), "ns", "first and last stimulus")
    parts = (
        Contribution("resolution of the search", between, -1.0),
        Contribution("length of a hold", unseen, -1.0),
        Contribution("quantization of the spacing", edge),
    )
    scales = tuple(
        part for part in found.contributions if not part.name.startswith("quantization")
        and part.name != "repeatability"
    )  # fmt: skip
    return Budget("least spacing", sustained_ns, (*parts, *scales), found.unknown)


def spacing(search: RateSearch, found: SaturationFigures, effects: SystematicEffects) -> Measurand:
    """The least spacing as something that limits can be put on: one value."""
    histogram = ExactHistogram()
    budgets = {}
    if found.sustained_ns is not None:
        histogram.add(np.array([round(found.sustained_ns * 1000)], np.int64))
        failed_ns = found.sustained_ns if found.failed_ns is None else found.failed_ns
        budgets["max"] = spacing_budget(search, found.sustained_ns, failed_ns, effects)
    figures = statistics(histogram, _PS_HZ)
    return Measurand(
        name=SPACING,
        unit_ns=1e-3,
        statistics=figures,
        corrected=Correction.of(effects).figures(figures),
        inference=None,
        effects=effects,
        histogram=histogram,
        budgets=budgets,
    )


def hold_witness(search: RateSearch, tally: HoldTally, steps: Sequence[int] | None) -> Witness:
    """Each hold as the firmware sent it: how many stimuli, and evenly spaced.

    `steps`: stimuli of each hold by the firmware's account; None: the run did not get to it.
    """
    seen = [hold.sent for hold in tally.holds]
    told = seen if steps is None else [sent for sent in steps if sent]
    problems = []
    if seen != told:
        at = next((i for i, pair in enumerate(zip(seen, told, strict=False)) if pair[0] != pair[1]),
                  min(len(seen), len(told)))  # fmt: skip
        problems.append(
            f"analyzer saw {len(seen)} holds, firmware sent {len(told)}, they differ from hold {at}"
        )
    if tally.uneven:
        places = ", ".join(str(sample) for sample in tally.uneven[:_NAMED_MAX])
        problems.append(f"{len(tally.uneven)} stimuli off their rate, at sample {places}")
    text = "; ".join(problems) or f"{len(seen)} of up to {search.count:,} stimuli, each of one rate"
    return Witness("holds", not problems, text)


def saturation_caveats(search: RateSearch, found: SaturationFigures) -> tuple[str, ...]:
    """Why the limit that was found may not be the limit."""
    caveats = []
    if found.holds and found.sustained_ns is None:
        caveats.append("no rate was kept up with; begin at a lower rate_start")
    if found.conflicts:
        caveats.append(
            f"{found.conflicts} holds were kept though a slower one was lost: the limit is "
            "not sharp; a larger count tells more"
        )
    if found.sustained_ns is not None and found.failed_ns is not None:
        wide = found.sustained_ns - found.failed_ns
        # Two ticks may lie between, at the shortest intervals, where there is none in the middle.
        tick_ns = found.sustained_ns / max(1, search.least_ticks)
        if wide > found.failed_ns * found.resolution_ppm * 1e-6 + 2 * tick_ns:
            caveats.append("the search ended before the limit was told to the resolution asked")
    return tuple(caveats)
