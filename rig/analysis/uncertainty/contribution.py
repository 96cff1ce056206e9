# SPDX-License-Identifier: GPL-3.0-or-later
"""One line of an uncertainty budget: a quantity the result depends on, and how well it is known.

References are to JCGM 100:2008, "Guide to the expression of uncertainty in measurement".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated

from rig.untrusted.decode import NullIs


class Distribution(StrEnum):
    """The distribution assumed within a quantity's limits, by which they become a deviation."""

    NORMAL = "normal"
    STUDENT = "Student's t"
    RECTANGULAR = "rectangular"
    TRIANGULAR = "triangular"


_DIVISORS = {
    Distribution.RECTANGULAR: math.sqrt(3),  # 4.3.7
    Distribution.TRIANGULAR: math.sqrt(6),  # 4.3.9
}


@dataclass(frozen=True)
class UncertainQuantity:
    """The estimate of one quantity and its standard uncertainty, in one unit."""

    estimate: float
    standard_uncertainty: float
    unit: str
    distribution: Distribution
    evaluation: str
    """"A": by statistics of repeated observations; "B": by any other means (4.2, 4.3)."""
    source: str
    """The source of the numbers, for the reader of the report."""
    degrees_of_freedom: Annotated[float, NullIs(math.inf)] = math.inf

    def __post_init__(self) -> None:
        """Raises ValueError for what is no uncertainty."""
        known = (self.estimate, self.standard_uncertainty)
        if not all(map(math.isfinite, known)) or self.standard_uncertainty < 0:
            raise ValueError(f"{self.source}: estimate and uncertainty are {known}")
        if not self.degrees_of_freedom > 0:
            raise ValueError(f"{self.source}: {self.degrees_of_freedom} degrees of freedom")
        if self.evaluation not in ("A", "B"):
            raise ValueError(f"{self.source}: evaluation {self.evaluation!r}; valid: A, B")

    def half_width(self, coverage_factor: float) -> float:
        """Return half the distance of its limits, or, without limits, that many uncertainties."""
        return self.standard_uncertainty * _DIVISORS.get(self.distribution, coverage_factor)


def limits(
    half_width: float,
    unit: str,
    source: str,
    *,
    estimate: float = 0.0,
    distribution: Distribution = Distribution.RECTANGULAR,
) -> UncertainQuantity:
    """Return a quantity of which only limits are known, estimate +- half_width. Type B.

    Raises ValueError for a distribution without limits.
    """
    if distribution not in _DIVISORS:
        raise ValueError(f"{distribution} has no limits; valid: rectangular, triangular")
    return UncertainQuantity(
        estimate, half_width / _DIVISORS[distribution], unit, distribution, "B", source
    )


def calibrated(
    estimate: float,
    standard_uncertainty: float,
    unit: str,
    source: str,
    *,
    degrees_of_freedom: float = math.inf,
) -> UncertainQuantity:
    """Return a quantity from a calibration that states its standard uncertainty. Type B (4.3.3)."""
    return UncertainQuantity(
        estimate,
        standard_uncertainty,
        unit,
        Distribution.NORMAL,
        "B",
        source,
        degrees_of_freedom,
    )


def mean_of(
    deviation: float, n: float, unit: str, source: str, *, excess_kurtosis: float = 0.0
) -> UncertainQuantity:
    """Return the scatter of a mean of `n` independent values of this deviation. Type A (4.2.3).

    Degrees of freedom say how well the deviation is known (G.4.2, formula G.3): n - 1 for normal
    values, and fewer with a long tail, since the variance of s^2 is sigma^4 (excess kurtosis + 2) /
    n. `n` need not be whole: dependent values count as fewer. Raises ValueError below two values.
    """
    if not n > 1:
        raise ValueError(f"{source}: {n} values have no scatter; valid: more than 1")
    freedom = min(n - 1, 2 * n / (2 + max(0.0, excess_kurtosis)))
    return UncertainQuantity(
        0.0, deviation / math.sqrt(n), unit, Distribution.STUDENT, "A", source, freedom
    )


@dataclass(frozen=True)
class Contribution:
    """A quantity and its effect on the result: result += sensitivity * quantity, to first order."""

    name: str
    quantity: UncertainQuantity
    sensitivity: float = 1.0
    """Result unit per unit of the quantity (5.1.3)."""

    @property
    def correction(self) -> float:
        """The correction that this adds to the indication, in the result's unit."""
        return self.sensitivity * self.quantity.estimate

    @property
    def uncertainty(self) -> float:
        """Standard uncertainty that this brings into the result, in the result's unit."""
        return abs(self.sensitivity) * self.quantity.standard_uncertainty

    def scaled(self, factor: float) -> Contribution:
        """Return the contribution with its sensitivity multiplied."""
        return replace(self, sensitivity=self.sensitivity * factor)


@dataclass(frozen=True)
class Unknown:
    """A quantity that the result depends on and of which nothing is known: not the same as 0."""

    name: str
    remedy: str
    """The action by which it becomes known."""
