# SPDX-License-Identifier: GPL-3.0-or-later
"""An uncertainty budget: contributions, combined and expanded (JCGM 100:2008, 5.1, 6, annex G)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rig.analysis.uncertainty.contribution import Contribution, Unknown

LEVEL = 0.9545
"""Level of confidence of a normal distribution at k = 2."""


@dataclass(frozen=True)
class Budget:
    """The budget of one figure, all in the figure's unit; contributions are not correlated."""

    figure: str
    """The name of the figure, such as "maximum"."""
    indication: float
    """The figure as measured, before any correction."""
    contributions: tuple[Contribution, ...]
    unknown: tuple[Unknown, ...] = ()
    """Quantities that the expanded uncertainty does not cover."""
    unit: str = "ns"

    @property
    def correction(self) -> float:
        """Sum of all corrections: what the bench is known to add, with its sign turned."""
        return math.fsum(c.correction for c in self.contributions)

    @property
    def corrected(self) -> float:
        """The best estimate of the figure."""
        return self.indication + self.correction

    @property
    def combined(self) -> float:
        """Combined standard uncertainty u: the root of the sum of squares (5.1.2)."""
        return math.hypot(*(c.uncertainty for c in self.contributions))

    @property
    def degrees_of_freedom(self) -> float:
        """Effective degrees of freedom by the Welch-Satterthwaite formula (G.4.1)."""
        return effective_degrees_of_freedom(self.contributions)

    @property
    def coverage_factor(self) -> float:
        """k: 2, and more if few observations stand behind u (Student's t at 95.45 %, G.4.2)."""
        return coverage_factor(self.degrees_of_freedom)

    @property
    def expanded(self) -> float:
        """Expanded uncertainty U = k * u, of what is known."""
        return self.coverage_factor * self.combined

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing, so that U may be stated without reserve."""
        return not self.unknown

    def share(self, contribution: Contribution) -> float:
        """Return a contribution's part of the combined variance, 0 to 1; 0 if there is none."""
        return (contribution.uncertainty / self.combined) ** 2 if self.combined else 0.0


def effective_degrees_of_freedom(contributions: Sequence[Contribution]) -> float:
    """Return the number by Welch-Satterthwaite (G.2b); infinite if no contribution's is finite."""
    combined = math.hypot(*(c.uncertainty for c in contributions))
    if not combined:
        return math.inf
    # Fourth powers of shares: very small and very large uncertainties stay in range.
    few = math.fsum(
        (c.uncertainty / combined) ** 4 / c.quantity.degrees_of_freedom for c in contributions
    )
    return 1 / few if few else math.inf


def coverage_factor(degrees_of_freedom: float) -> float:
    """Return k for a level of confidence of 95.45 %, degrees rounded down, as G.4.1 asks."""
    if degrees_of_freedom > 10**6:
        return 2.0
    whole = max(1, math.floor(degrees_of_freedom))
    # Takes long to load; what measures or looks at files alone is not to wait for it.
    from rig.analysis.statistics.distributions import student_quantile

    return student_quantile((1 + LEVEL) / 2, whole)


class Judgment(StrEnum):
    """The outcome of comparing a figure with an upper limit."""

    KEPT = "kept"
    EXCEEDED = "exceeded"
    CANNOT_TELL = "cannot tell"


def judge(limit: float, budget: Budget) -> Judgment:
    """Return whether a figure keeps an upper limit, with a guard band of U on either side.

    Decision rule: JCGM 106:2012, 8.3.2 (guarded acceptance) and 8.3.3 (guarded rejection), with
    the length of the guard band U. An unknown contribution leaves no acceptance or rejection but
    that of what is known; `budget.is_whole` is whether to rely on it.
    """
    if budget.corrected + budget.expanded <= limit:
        return Judgment.KEPT
    if budget.corrected - budget.expanded > limit:
        return Judgment.EXCEEDED
    return Judgment.CANNOT_TELL
