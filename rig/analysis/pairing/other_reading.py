# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures and counts of a run some of whose events have more than one reading.

An ambiguous event is in the figures with the later of its answers, so that no wait is hidden. Here
is what changes with the earlier ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from rig.analysis.model.events import EventClass
from rig.analysis.pairing.pairing import Events, Reading
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.instruments import Int64Array

_CLASSES = {
    "late": EventClass.LATE,
    "missed": EventClass.MISSED,
    "merged": EventClass.MERGED,
}
"""Classes that depend on the reading, by the names that limits have for them."""


class OtherReading:
    """Ambiguous events by both readings; memory grows with the number of different latencies."""

    def __init__(self) -> None:
        self._early, self._late = ExactHistogram(), ExactHistogram()
        """Latencies of ambiguous events by each reading."""
        self._counts = np.zeros((2, len(EventClass)), np.int64)
        """Counts of ambiguous events by each reading; those missed or merged are AMBIGUOUS here."""
        self.ambiguous = 0

    def add(self, events: Events) -> None:
        """Add the next events."""
        if events.readings is None:
            return
        doubtful = np.flatnonzero(events.kind == EventClass.AMBIGUOUS)
        self.ambiguous += len(doubtful)
        for reading, counts in zip(events.readings, self._counts, strict=True):
            counts += np.bincount(reading.kind[doubtful], minlength=len(EventClass))
        early, _ = events.readings
        stimulus = events.stimulus[doubtful]
        waited = early.response[doubtful] - stimulus
        self._early.add(waited[_served(early, doubtful)])
        waited = events.response[doubtful] - stimulus
        self._late.add(waited[events.response[doubtful] >= 0])

    def histogram(self, histogram: ExactHistogram) -> ExactHistogram | None:
        """Return the latencies of a run by the early reading; None: every event has one reading."""
        if not self.ambiguous:
            return None
        both = ExactHistogram.of(histogram.values, histogram.counts)
        both.add_counted(self._early.values, self._early.counts)
        both.add_counted(self._late.values, -self._late.counts)
        left = both.counts > 0
        return ExactHistogram.of(both.values[left], both.counts[left])

    def judged(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Return these counts, with what both readings have in common of ambiguous events."""
        least = self._counts.min(axis=0)
        common = {name: int(least[kind]) for name, kind in _CLASSES.items()}
        return {name: count + common.get(name, 0) for name, count in counts.items()}

    @property
    def possible(self) -> dict[str, int]:
        """The number of more events of each class that there may be."""
        least = self._counts.min(axis=0)
        return {name: self.ambiguous - int(least[kind]) for name, kind in _CLASSES.items()}

    def caveats(self, by_log: bool) -> tuple[str, ...]:
        """Return why a run within its limits proves nothing; empty if no event is ambiguous."""
        if not self.ambiguous:
            return ()
        if by_log:
            why = "a stimulus came while its interrupt may just have been taken, or the log does "
            why += "not say when handlers were entered"
        else:
            why = "without the target's log nothing tells late answers from merged interrupts"
        events = "event is" if self.ambiguous == 1 else "events are"
        return (f"{self.ambiguous:,} {events} ambiguous: {why}",)


def _served(reading: Reading, which: Int64Array) -> npt.NDArray[np.bool_]:
    kind = reading.kind[which]
    unserved = (kind == EventClass.MISSED) | (kind == EventClass.AMBIGUOUS)
    served: npt.NDArray[np.bool_] = (reading.response[which] >= 0) & ~unserved
    return served
