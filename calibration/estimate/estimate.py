# SPDX-License-Identifier: GPL-3.0-or-later
"""A value and how well it is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class Estimate:
    """Of whatever unit the function that makes it says."""

    value: float
    standard_uncertainty: float
    """In the same unit, k = 1."""
    n: int
    """Observations."""

    @classmethod
    def between(cls, lowest: float, highest: float, n: int) -> Self:
        """Anywhere between two limits, with none more likely (JCGM 100:2008, 4.3.7)."""
        return cls((lowest + highest) / 2, (highest - lowest) / 2 / math.sqrt(3), n)

    def scaled(self, factor: float) -> Estimate:
        """In another unit."""
        return Estimate(self.value * factor, self.standard_uncertainty * abs(factor), self.n)

    def plus(self, offset: float, standard_uncertainty: float = 0.0) -> Estimate:
        """Moved by what is known independently of it."""
        u = math.hypot(self.standard_uncertainty, standard_uncertainty)
        return Estimate(self.value + offset, u, self.n)

    def differs(self, least: float, coverage: float = 4.0) -> bool:
        """Surely not 0, and by more than what is worth a word."""
        return abs(self.value) > max(least, coverage * self.standard_uncertainty)
