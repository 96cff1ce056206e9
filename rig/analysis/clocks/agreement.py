# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a run's bracket test, for the target's counter."""

from __future__ import annotations

from dataclasses import dataclass, field

from rig.analysis.model.witness import Witness
from rig.arrays import FloatArray

_TOLD = 5
"""Findings that are shown one by one."""


@dataclass(frozen=True)
class Residuals:
    """Some of the brackets, less the fitted clock's ticks at the samples of their edges.

    Shapes (k,). Sample and tick are within: an edge fits if it lies from `before_ns` to `after_ns`.
    """

    time_s: FloatArray
    before_ns: FloatArray
    after_ns: FloatArray


@dataclass(frozen=True)
class ClockAgreement:
    """The result of the bracket test."""

    n: int
    """Edges tested."""
    of: int
    """Edges in the run."""
    holds: bool
    text: str
    findings: tuple[str, ...] = ()
    """The violations and faults, a line each."""
    slack_ns: float | None = None
    """Time by which all brackets could shrink at both ends, in the tightest stretch."""
    rate_ppm: float | None = None
    """Mean rate of the target's counter by the analyzer's clock, against its nominal rate."""
    residuals: Residuals | None = field(default=None, compare=False)
    rate_within_ppm: float | None = None
    """That rate is off by no more than this."""

    @property
    def witness(self) -> Witness:
        """The result as a comparison of two witnesses."""
        part = "" if self.n == self.of else f" (of {self.of:,})"
        told = list(self.findings[:_TOLD])
        if len(self.findings) > _TOLD:
            told.append(f"and {len(self.findings) - _TOLD} more")
        return Witness("bracket test", self.holds, "; ".join([self.text + part, *told]))
