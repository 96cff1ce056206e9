# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of a measurand in order, counted exactly, and what is inferred from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.sequence import EventSequence
from rig.instruments import Int64Array

if TYPE_CHECKING:
    from rig.analysis.statistics.summary import InferenceSummary

TAIL_EVENTS = 10
"""The tail's level is one that an event in this many times n exceeds.

docs/explanation/statistics.md has the reasons.
"""
_LARGEST = 1 << 53
"""Larger values are not exact in floating point; only a damaged log has them."""


class MeasurandSeries:
    """The values of one measurand, collected in whole units of its clock."""

    def __init__(self) -> None:
        self.histogram = ExactHistogram()
        self.sequence = EventSequence()

    def add(self, values: Int64Array, times: Int64Array) -> None:
        """Add the next values and when they were, in the clock's units; shapes (n,)."""
        self.histogram.add(values)
        self.sequence.add(values, times)

    def inference(self, rate_hz: int, parts: int = 1) -> InferenceSummary | None:
        """Return the inferences from all values, in ns; None without any, or if they are no times.

        `rate_hz`: of the clock of the series' times; `parts` of a value's unit are its period.
        """
        from rig.analysis.statistics.summary import summarize

        found = self.histogram.values
        if not len(found) or max(-int(found[0]), int(found[-1])) >= _LARGEST:
            return None
        summary = summarize(
            self.histogram, self.sequence, rate_hz, 1 / (TAIL_EVENTS * self.histogram.n)
        )
        return summary and summary.in_ns(1e9 / (rate_hz * parts))
