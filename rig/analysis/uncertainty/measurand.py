# SPDX-License-Identifier: GPL-3.0-or-later
"""A quantity that a run measured: its values, their figures, and how well these are known."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from rig.analysis.statistics.course import TimeCourse
from rig.analysis.statistics.descriptive import (
    DescriptiveStatistics,
    ExactHistogram,
    excess_kurtosis,
    statistics,
)
from rig.analysis.statistics.summary import InferenceSummary
from rig.analysis.uncertainty.budget import Budget
from rig.analysis.uncertainty.contribution import Contribution, limits
from rig.analysis.uncertainty.correction import Correction
from rig.analysis.uncertainty.effects import SystematicEffects
from rig.analysis.uncertainty.series import MeasurandSeries

Budgets = dict[str, Budget]


@dataclass(frozen=True)
class Measurand:
    """A quantity that a run measures; its values are whole units of `unit_ns`."""

    name: str
    """The name that limits have for it: `latency`, `interval_error_by_ticks`."""
    unit_ns: float
    statistics: DescriptiveStatistics
    """The figures as indicated."""
    corrected: DescriptiveStatistics
    """The figures less what the bench is known to add."""
    inference: InferenceSummary | None
    """Inferences from the values, in ns. None without values."""
    effects: SystematicEffects = field(compare=False)
    histogram: ExactHistogram = field(compare=False, default_factory=ExactHistogram)
    course: TimeCourse | None = field(compare=False, default=None)
    """The values over time; None: as they are stored, without their order."""
    budgets: Budgets = field(default_factory=dict)
    """Budgets of `max` and `average`, in ns; empty without values."""
    other: Measurand | None = field(default=None, compare=False)
    """Measurand by the other reading of ambiguous events: true figures lie between the two."""

    def between(self, other: Measurand) -> Measurand:
        """Return the measurand with both readings' extremes, their averages' gap as uncertainty."""
        mine, its = self.statistics, other.statistics
        budgets = dict(self.budgets)
        average = budgets.get("average")
        apart_ns = abs((mine.average_ns or 0.0) - (its.average_ns or 0.0))
        if average is not None and apart_ns > 0:
            apart = limits(apart_ns, "ns", "both readings of them")
            part = Contribution("ambiguous events", apart)
            budgets["average"] = replace(average, contributions=(*average.contributions, part))
        least_ns = min(mine.min_ns or 0.0, its.min_ns or 0.0)
        most_ns = max(mine.max_ns or 0.0, its.max_ns or 0.0)
        figures = replace(mine, min_ns=least_ns, max_ns=most_ns, gap_ns=most_ns - least_ns)
        return replace(
            self,
            statistics=figures,
            corrected=self.correction.figures(figures),
            budgets=budgets,
            other=other,
        )

    @property
    def correction(self) -> Correction:
        """The correction for what the bench is known to add to every value."""
        return Correction.of(self.effects)

    @property
    def residual_error_ns(self) -> float | None:
        """The systematic error that may be left in the corrected maximum, of what is known."""
        max_ns = self.statistics.max_ns
        return None if max_ns is None else self.correction.residual_error_ns(max_ns)

    @property
    def effective_n(self) -> float:
        """The number of independent values that would say as much as these."""
        average = None if self.inference is None else self.inference.average
        n = float(self.histogram.n)
        return n if average is None else min(n, average.effective_n)


def measurand(
    name: str,
    series: MeasurandSeries,
    rate_hz: int,
    effects: SystematicEffects,
    *,
    parts: int = 1,
    kept: float = 1.0,
    budgets: Budgets | None = None,
) -> Measurand:
    """Return the measurand of a series of values.

    `rate_hz`: of the clock of the series' times; a value's unit is one `parts`-th of its period.
    `kept`: see SystematicEffects.mean. `budgets`: where they are made otherwise.
    """
    figures = statistics(series.histogram, rate_hz * parts)
    found = Measurand(
        name=name,
        unit_ns=1e9 / (rate_hz * parts),
        statistics=figures,
        corrected=Correction.of(effects).figures(figures),
        inference=series.inference(rate_hz, parts),
        effects=effects,
        histogram=series.histogram,
        course=series.sequence.drawn(rate_hz),
    )
    found.budgets.update(_budgets(found, kept) if budgets is None else budgets)
    return found


def _budgets(found: Measurand, kept: float) -> Budgets:
    figures, effects, n = found.statistics, found.effects, found.histogram.n
    if figures.max_ns is None or figures.average_ns is None or figures.deviation_ns is None:
        return {}
    deviation_ns = figures.deviation_ns * math.sqrt(n / max(1, n - 1))
    tails = excess_kurtosis(found.histogram.values, found.histogram.counts)
    average = effects.mean(
        "average",
        figures.average_ns,
        deviation_ns,
        found.effective_n,
        kept=kept,
        excess_kurtosis=tails,
    )
    return {"max": effects.extreme("observed maximum", figures.max_ns), "average": average}
