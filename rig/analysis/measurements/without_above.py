# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures without the values above a threshold, beside those of all values, not in their place."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rig.analysis.statistics.descriptive import (
    DescriptiveStatistics,
    ExactHistogram,
    statistics,
)
from rig.analysis.uncertainty.measurand import Measurand


@dataclass(frozen=True)
class RemainingFigures:
    """The figures of the values of one measurand that are not above a threshold."""

    name: str
    above: int
    """Number of values above the threshold."""
    statistics: DescriptiveStatistics
    """Figures of all others."""


@dataclass(frozen=True)
class WithoutAbove:
    """The figures of all measurands without the values above a threshold."""

    threshold_ns: float
    measurands: tuple[RemainingFigures, ...]


def without_above(measurands: Iterable[Measurand], threshold_ns: float) -> WithoutAbove:
    """Return the figures of all values that are not above the threshold, as indicated."""
    return WithoutAbove(
        threshold_ns,
        tuple(_remaining(each, threshold_ns) for each in measurands if each.histogram.n),
    )


def _remaining(measurand: Measurand, threshold_ns: float) -> RemainingFigures:
    found, rate_hz = measurand.histogram, round(1e9 / measurand.unit_ns)
    highest = math.floor(Fraction(threshold_ns) * rate_hz / 10**9)
    kept = int(np.searchsorted(found.values, highest, side="right"))
    rest = ExactHistogram.of(found.values[:kept], found.counts[:kept])
    return RemainingFigures(measurand.name, found.n - rest.n, statistics(rest, rate_hz))
