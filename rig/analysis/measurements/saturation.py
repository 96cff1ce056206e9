# SPDX-License-Identifier: GPL-3.0-or-later
"""Saturation: the rates that the target kept up with, from what became of each stimulus."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rig.analysis.measurements.hold_stimuli import HoldStimuli
from rig.analysis.measurements.holds import RateStep
from rig.analysis.measurements.stimuli import Paired, PrimaryResult
from rig.analysis.model.details import Details
from rig.analysis.model.rate_search import RateSearch
from rig.analysis.statistics.descriptive import ExactHistogram, statistics
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution, limits
from rig.analysis.uncertainty.correction import Correction
from rig.analysis.uncertainty.effects import SystematicEffects, on_analyzer
from rig.analysis.uncertainty.measurand import Measurand
from rig.limit_names import SPACING

_PS_HZ = 10**12


@dataclass(frozen=True)
class SaturationFigures(Details):
    """The limit that the search has found. Times in ns of the analyzer's clock."""

    kind = "saturation"

    holds: tuple[RateStep, ...]
    """All holds in the order of the run."""
    sustained_ns: float | None
    """Spacing of the fastest hold that was kept as were all slower ones; None: none was."""
    failed_ns: float | None
    """Spacing of the slowest hold that was lost; None: none was."""
    limit_ns: float | None
    """Best estimate of the least spacing that is kept up with; None: no limit was found."""
    expanded_ns: float | None
    """Expanded uncertainty of the limit."""
    conflicts: int
    """Number of holds that were kept though a slower one was lost."""
    resolution_ppm: int
    answer_interval_ns: float | None = None
    """Least average time from an answer to the next that a hold has: the target gives no more
    answers a second than its inverse, whatever the rate. None: no hold has two answers."""
    answer_interval_expanded_ns: float | None = None
    """Its expanded uncertainty."""
    least_answer_interval_ns: float | None = None
    """The least single time between two answers of a hold."""

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
        """Expanded uncertainty of `limit_hz`."""
        if self.limit_ns is None or self.expanded_ns is None:
            return None
        return 1e9 / self.limit_ns**2 * self.expanded_ns


def find(
    search: RateSearch, holds: Sequence[RateStep], effects: SystematicEffects
) -> SaturationFigures:
    """Return the limit by these holds. `effects`: those on a time by the analyzer."""
    whole = [hold for hold in holds if hold.is_complete]
    failed_ns = max((hold.spacing_ns for hold in whole if not hold.is_sustained), default=None)
    # A hold of the rate that was lost too, to a sample, is no slower one.
    edge_ns = 0.0 if failed_ns is None else failed_ns * (1 + 1e-6)
    kept = [hold.spacing_ns for hold in whole if hold.is_sustained]
    sustained_ns = min((spacing for spacing in kept if spacing > edge_ns), default=None)
    budget = None
    if sustained_ns is not None and failed_ns is not None:
        budget = spacing_budget(search, sustained_ns, failed_ns, effects)
    average_ns = min((h.answer_interval_ns for h in whole if h.answer_interval_ns), default=None)
    single = (h.least_answer_interval_ns for h in holds if h.least_answer_interval_ns is not None)
    return SaturationFigures(
        holds=tuple(holds),
        sustained_ns=sustained_ns,
        failed_ns=failed_ns,
        limit_ns=None if budget is None else budget.corrected,
        expanded_ns=None if budget is None else budget.expanded,
        conflicts=sum(spacing <= edge_ns for spacing in kept),
        resolution_ppm=search.resolution_ppm,
        answer_interval_ns=average_ns,
        answer_interval_expanded_ns=_interval_u(effects, average_ns),
        least_answer_interval_ns=min(single, default=None),
    )


def _interval_u(effects: SystematicEffects, average_ns: float | None) -> float | None:
    """Return the expanded uncertainty of the average interval of a hold."""
    if average_ns is None:
        return None
    return effects.spread("least interval of answers", average_ns).expanded


def spacing_budget(
    search: RateSearch, sustained_ns: float, failed_ns: float, effects: SystematicEffects
) -> Budget:
    """Return the budget of the least spacing.

    The limit lies between the two holds. A target may fall behind so slowly that a hold ends before
    it shows: by two intervals in a hold, so the limit may also be that much longer. That makes it
    less certain, but is no reason to place it beyond what was kept.
    """
    found = effects.mean("least spacing", sustained_ns, 0.0, math.inf)
    half_ns, hidden_ns = (sustained_ns - failed_ns) / 2, 2 * sustained_ns / search.count
    between = limits(half_ns, "ns", "slowest hold that was lost", estimate=half_ns)
    unseen = limits(hidden_ns, "ns", f"backlog not seen in {search.count:,} stimuli")
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
    """Return the least spacing as a measurand of one value, for limits."""
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


def saturation_caveats(search: RateSearch, found: SaturationFigures) -> tuple[str, ...]:
    """Return the reasons why the limit that was found may not be the limit."""
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


class SearchStimuli(HoldStimuli):
    """Holds of a search for the highest rate, each of which depends on the answers before it."""

    source: RateSearch

    def headline(self, paired: Paired) -> PrimaryResult:
        witness, search = self.end_tally(), self.source
        effects = on_analyzer(paired.latency_tally.bench)
        found = find(search, self.tally.holds, effects)
        return PrimaryResult(
            measurands=(paired.latency(), spacing(search, found, effects)),
            details=found,
            witnesses=(witness,),
            caveats=saturation_caveats(search, found),
        )
