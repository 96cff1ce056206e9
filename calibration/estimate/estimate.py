# SPDX-License-Identifier: GPL-3.0-or-later
"""A value and its standard uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Estimate:
    """An estimate in whatever unit the function that makes it says."""

    value: float
    standard_uncertainty: float
    """The standard uncertainty in the same unit, k = 1."""
    n: int
    """The number of observations."""

    @classmethod
    def between(cls, lowest: float, highest: float, n: int) -> Self:
        """Return the estimate of a value between two limits, none more likely (JCGM 100, 4.3.7)."""
        return cls((lowest + highest) / 2, (highest - lowest) / 2 / math.sqrt(3), n)

    def scaled(self, factor: float) -> Estimate:
        """Return the estimate in another unit."""
        return Estimate(self.value * factor, self.standard_uncertainty * abs(factor), self.n)

    def plus(self, offset: float, standard_uncertainty: float = 0.0) -> Estimate:
        """Return the estimate with an independent value added."""
        u = math.hypot(self.standard_uncertainty, standard_uncertainty)
        return Estimate(self.value + offset, u, self.n)

    def differs(self, least: float, coverage: float = 4.0) -> bool:
        """Return whether the value is surely not 0, and by more than `least`."""
        return abs(self.value) > max(least, coverage * self.standard_uncertainty)
