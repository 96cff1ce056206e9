# SPDX-License-Identifier: GPL-3.0-or-later
"""Correction of the figures for what a bench is known to add, and the error that may be left.

    corrected = indicated * factor - offset

It is the same for all values of a run, so it is done to the figures, in ns: sample indexes stay
as they were measured. Figures that are distances between values get the factor alone. Where rising
and falling answers differ and are known apart, the figures are those of two tables of values, each
moved by half of the difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Self

from rig.analysis.statistics.descriptive import DescriptiveStatistics
from rig.analysis.uncertainty.by_edge import ByEdge
from rig.analysis.uncertainty.effects import SystematicEffects
from rig.analysis.uncertainty.error_model import PPM
from rig.limit_names import DISTANCES

_TWICE = 2.0
"""Coverage factor of quantities without hard limits: 95 %."""


@dataclass(frozen=True)
class Correction:
    """The correction of one measurand's figures."""

    factor: float
    offset_ns: float
    limits: tuple[tuple[str, float], ...]
    """The error that each quantity may leave, either way, in ns."""
    parts: tuple[tuple[str, float], ...]
    """The error that each clock may leave, as a part of the time measured."""
    unknown: tuple[str, ...]
    """Quantities of which nothing is known: they are not corrected, and have no limit."""
    by_edge: ByEdge | None = field(default=None, compare=False)
    """Rising and falling answers differ, and each value is corrected by its own edge."""

    @classmethod
    def of(cls, effects: SystematicEffects) -> Self:
        """Return the correction for all systematic effects."""
        rate = math.fsum(each.quantity.estimate for each in effects.scales) * PPM
        shift = math.fsum(part.correction for part in effects.offsets)
        return cls(
            factor=1 - rate,
            offset_ns=effects.base_interval_ns * rate - shift,
            limits=tuple(
                (part.name, abs(part.sensitivity) * part.quantity.half_width(_TWICE))
                for part in effects.offsets
            ),
            parts=tuple(
                (each.name, each.quantity.half_width(_TWICE) * PPM) for each in effects.scales
            ),
            unknown=tuple(
                each.name for each in (*effects.unknown_scales, *effects.unknown_offsets)
            ),
            by_edge=effects.by_edge,
        )

    def figures(self, indicated: DescriptiveStatistics) -> DescriptiveStatistics:
        """Return the figures with all times corrected; n stays."""
        if self.by_edge is not None and self.by_edge.figures.n == indicated.n:
            indicated = self.by_edge.figures
        times = [each.name for each in fields(indicated) if each.name != "n"]
        corrected = {name: self._corrected(name, getattr(indicated, name)) for name in times}
        return DescriptiveStatistics(indicated.n, **corrected)

    def residual_error_ns(self, indicated_ns: float) -> float:
        """Return the known systematic error that may be left in such a value, either way.

        It is the sum of all limits, with those of 95 % for what has no hard ones.
        """
        clocks = math.fsum(part for _, part in self.parts) * abs(indicated_ns)
        return clocks + math.fsum(limit for _, limit in self.limits)

    def _corrected(self, name: str, value_ns: float | None) -> float | None:
        if value_ns is None:
            return None
        return value_ns * self.factor - (0.0 if name in DISTANCES else self.offset_ns)
