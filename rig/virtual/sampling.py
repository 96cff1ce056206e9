# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples that are not alike: edges are held back to the sample that shows them."""

from __future__ import annotations

import heapq
from typing import Protocol

from rig.config.virtual.sampling import Sampling
from rig.virtual.clock import PS_PER_S
from rig.virtual.wired_target import WireEdge

PERIOD_PS = PS_PER_S // 50
"""The time from one loss to the next: a buffer in the analyzer runs over now and then."""
RATE_SAMPLES = 1 << 20


class SampleClock(Protocol):
    """The times of the samples of a capture under way."""

    def sample_at(self, time_ps: int) -> int:
        """Return the number of the first sample at or after a time."""

    def time_of(self, sample: int) -> int:
        """Return the true time of a sample, in ps."""

    def leave_out(self, first_ps: int, end_ps: int) -> None:
        """Leave the samples of this stretch unsent."""


class Overrun:
    """An analyzer that cannot get rid of its samples: what is too much is lost, piece by piece."""

    def __init__(self, sustained_hz: int) -> None:
        """`sustained_hz`: the rate that it can sustain; 0: any."""
        self._sustained_hz = sustained_hz
        self._clock: SampleClock | None = None
        self._hole_ps = self._next_ps = 0

    def lose(self, until_ps: int, clock: SampleClock) -> None:
        """Lose some of the samples before a time, which never falls, in a capture under way."""
        if not self._sustained_hz:
            return
        if clock is not self._clock:
            self._clock, self._next_ps = clock, until_ps + PERIOD_PS
            # Of so many samples, as long as they take, only those stay that are sustained.
            took_ps = clock.time_of(RATE_SAMPLES) - clock.time_of(0)
            kept_ps = RATE_SAMPLES * PS_PER_S // self._sustained_hz
            self._hole_ps = max(0, PERIOD_PS - PERIOD_PS * took_ps // kept_ps)
        while self._hole_ps and self._next_ps < until_ps:
            clock.leave_out(self._next_ps, self._next_ps + self._hole_ps)
            self._next_ps += PERIOD_PS


class UnevenSamples:
    """A stage between the wires and an analyzer that samples evenly."""

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self._overrun = Overrun(sampling.sustained_hz)
        self._held: list[tuple[int, int, int, int]] = []
        self._number = 0

    @property
    def plain(self) -> bool:
        """Whether samples are alike, and none is lost."""
        return self._sampling.even and not self._sampling.sustained_hz

    def through(
        self, edges: list[WireEdge], until_ps: int, clock: SampleClock | None
    ) -> list[WireEdge]:
        """Take edges before a time, which never falls; hand out those that show before it.

        With no capture under way (`clock` None) they pass as they are.
        """
        if clock is not None:
            self._overrun.lose(until_ps, clock)
        if self._sampling.even:
            return edges
        for time_ps, channel, level in edges:
            shown_ps = time_ps if clock is None else self._shown_ps(time_ps, clock)
            self._number += 1
            heapq.heappush(self._held, (shown_ps, self._number, channel, level))
        shown = []
        while self._held and self._held[0][0] < until_ps:
            time_ps, _, channel, level = heapq.heappop(self._held)
            shown.append((time_ps, channel, level))
        return shown

    def _shown_ps(self, time_ps: int, clock: SampleClock) -> int:
        sampling = self._sampling
        sample = clock.sample_at(time_ps)
        if sample % 2 and time_ps > clock.time_of(sample) - sampling.odd_early_ps:
            sample += 1
        sample = -(-sample // sampling.repeat) * sampling.repeat
        # Times are rounded up to a picosecond: one less is still behind the sample before.
        return max(time_ps, clock.time_of(sample) - 1)
