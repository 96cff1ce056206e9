# SPDX-License-Identifier: GPL-3.0-or-later
"""A confidence interval: two limits and their confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

CONFIDENCE = 0.95
"""Confidence of every interval, unless another is asked for."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Limits of the true value with this confidence. None: n does not bound it on that side."""

    low: float | None
    high: float | None
    confidence: float = CONFIDENCE

    def scaled(self, factor: float) -> Self:
        """Return the interval in another unit; `factor` > 0."""
        low = None if self.low is None else self.low * factor
        high = None if self.high is None else self.high * factor
        return type(self)(low, high, self.confidence)

    def __contains__(self, value: float) -> bool:
        below = self.low is not None and value < self.low
        above = self.high is not None and value > self.high
        return not (below or above)


def check_share(name: str, value: float) -> None:
    """Raise ValueError unless 0 < value < 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} is {value:g}; valid: above 0 and below 1")
