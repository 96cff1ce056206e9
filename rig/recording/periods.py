# SPDX-License-Identifier: GPL-3.0-or-later
"""Live figures of a run of periods: how many were answered, and how well."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.analysis.measurements.period import NominalPeriod
from rig.analysis.model.events import EventClass
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import Schedule
from rig.analysis.signals.glitch import GlitchFilter
from rig.instruments import EdgeBlock, Int64Array
from rig.recording.live import NOTABLE_KEPT, LiveFigures, longest_text
from rig.streaming.histogram import BINS, bin_of
from rig.streaming.outcome import EventReason, Notable


class LivePeriods(LiveFigures):
    """Counts answers, and how far intervals are off; notable is what is off by more than before."""

    are_intervals = True

    def __init__(self, settings: Settings, schedule: Schedule) -> None:
        super().__init__()
        self._response = settings.wiring.response
        self._answer_level = settings.wiring.answer_level
        self._glitch = GlitchFilter(settings.glitch_samples)
        self._nominal = NominalPeriod(schedule.period_ns, settings.sample_rate_hz)
        self._rate_hz = settings.sample_rate_hz
        self.last_sample = -1
        """The sample of the newest answer; -1 without any."""
        self._worst = 0
        self._worst_event = self._worst_sample = -1
        self._bins: npt.NDArray[np.uint64] = np.zeros(BINS, np.uint64)

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
        """Add the intervals between successive answers, the last of which is the newest."""
        errors = np.diff(sample) * self._nominal.parts - self._nominal.units
        off = np.abs(errors)
        np.add.at(self._bins, bin_of(off // self._nominal.parts), 1)
        highest = np.maximum.accumulate(np.concatenate([[self._worst], off]))
        for at in np.flatnonzero(highest[1:] > highest[:-1])[-NOTABLE_KEPT:].tolist():
            due = int(sample[at + 1]) - round(int(errors[at]) / self._nominal.parts)
            self._worst = int(off[at])
            self._worst_event, self._worst_sample = self.answers - len(sample) + at + 1, due
            answered = int(sample[at + 1])
            self.notable.append(
                Notable(self._worst_event, due, answered, EventClass.ANSWERED, EventReason.MAXIMUM)
            )

    @property
    def max_ns(self) -> float | None:
        """Largest departure of an interval from the period so far; None without any."""
        if self.answers < 2:
            return None
        return self._worst / self._nominal.parts * 1e9 / self._rate_hz

    @property
    def worst(self) -> tuple[int, int]:
        """Number of the answer, from 0, at the end of that interval, and when it was due."""
        return self._worst_event, self._worst_sample

    def bins(self) -> npt.NDArray[np.uint64]:
        """Departures of intervals from the period, either way, in whole samples."""
        return self._bins.copy()

    def counts_text(self, planned: int) -> str:
        return f"{self.answers}/{planned} periods answered{longest_text(self.max_ns)} off"
