# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of periods while it goes on: how many were answered, how well, and when it is over."""

from __future__ import annotations

from collections import deque

import numpy as np
import numpy.typing as npt

from rig.analysis.measurements.period import NominalPeriod
from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import Schedule, TargetClocked
from rig.analysis.signals.glitch import GlitchFilter
from rig.instruments import EdgeBlock, Int64Array
from rig.streaming.histogram import BINS, bin_of
from rig.streaming.outcome import Notable, Reason

GRACE_S = 1
"""ARM may take effect so much later, in the analyzer's time, than its samples had got to."""
CLOCK_PER_MILLE = 1
"""The target's clock may be so much slower than the analyzer's."""


NOTABLE_KEPT = 64


class LivePeriods:
    """Counts answers, and how far intervals are off; provisional, as all live figures are."""

    def __init__(self, settings: Settings, schedule: Schedule) -> None:
        self._response = settings.wiring.response
        self._answer_level = settings.wiring.answer_level
        self._glitch = GlitchFilter(settings.glitch_samples)
        self._nominal = NominalPeriod(schedule.period_ns, settings.sample_rate_hz)
        self._rate_hz = settings.sample_rate_hz
        self.answers = 0
        self.last_sample = -1
        """Of the newest answer; -1 without any."""
        self._worst = 0
        self.worst_event = -1
        """Number of the answer, from 0, at the end of the worst interval; -1 without any."""
        self.worst_sample = -1
        """When it was due."""
        self.bins: npt.NDArray[np.uint64] = np.zeros(BINS, np.uint64)
        """Departures of intervals from the period, either way, in whole samples, by bins."""
        self.notable: deque[Notable] = deque(maxlen=NOTABLE_KEPT)
        """The last intervals that were off by more than all before, oldest first."""

    def add(self, block: EdgeBlock) -> None:
        """Take in a block of raw edges."""
        edges = self._glitch.feed(block)
        mine = edges.channel == self._response
        if self._answer_level is not None:
            mine &= edges.level == self._answer_level
        sample = edges.index[mine]
        if not len(sample):
            return
        if self.answers:
            sample = np.concatenate([[self.last_sample], sample])
        else:
            self.answers = 1
        self.answers += len(sample) - 1
        self.last_sample = int(sample[-1])
        if len(sample) > 1:
            self._add_intervals(sample)

    def _add_intervals(self, sample: Int64Array) -> None:
        """Between successive answers, the last of which is the newest."""
        errors = np.diff(sample) * self._nominal.parts - self._nominal.units
        off = np.abs(errors)
        np.add.at(self.bins, bin_of(off // self._nominal.parts), 1)
        highest = np.maximum.accumulate(np.concatenate([[self._worst], off]))
        for at in np.flatnonzero(highest[1:] > highest[:-1])[-NOTABLE_KEPT:].tolist():
            due = int(sample[at + 1]) - round(int(errors[at]) / self._nominal.parts)
            self._worst = int(off[at])
            self.worst_event, self.worst_sample = self.answers - len(sample) + at + 1, due
            answered = int(sample[at + 1])
            self.notable.append(
                Notable(self.worst_event, due, answered, EventClass.ANSWERED, Reason.MAXIMUM)
            )

    @property
    def worst_ns(self) -> float | None:
        """Largest departure of an interval from the period so far; None without any."""
        if self.answers < 2:
            return None
        return self._worst / self._nominal.parts * 1e9 / self._rate_hz


class PeriodsEnd:
    """When the run is over: all periods answered, or the time for them gone."""

    def __init__(
        self, source: TargetClocked, sample_rate_hz: int, timeout_samples: int, armed_sample: int
    ) -> None:
        """`armed_sample`: how far the samples had come when ARM was answered."""
        length = (source.count + 1) * source.period_ns * sample_rate_hz // 10**9
        length += length * CLOCK_PER_MILLE // 1000
        self._count = source.count
        self._timeout = timeout_samples
        self._latest = armed_sample + length + timeout_samples + GRACE_S * sample_rate_hz

    def reached(self, periods: LivePeriods, samples: int) -> bool:
        """`samples` have come. Behind the last answer none too many may follow unseen."""
        if samples >= self._latest:
            return True
        return periods.answers >= self._count and samples >= periods.last_sample + self._timeout
