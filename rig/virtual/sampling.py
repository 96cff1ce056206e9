# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples that are not alike: edges are held back to the sample that shows them."""

from __future__ import annotations

import heapq
from typing import Protocol

from rig.config.virtual_sampling import Sampling
from rig.virtual.wired import WireEdge


class SampleClock(Protocol):
    """When samples are taken, of a capture under way."""

    def sample_at(self, time_ps: int) -> int:
        """Number of the first sample at or after a time."""

    def time_of(self, sample: int) -> int:
        """True time of a sample, in ps."""


class UnevenSamples:
    """Between the wires and an analyzer that samples evenly."""

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self._held: list[tuple[int, int, int, int]] = []
        self._number = 0

    def through(
        self, edges: list[WireEdge], until_ps: int, clock: SampleClock | None
    ) -> list[WireEdge]:
        """Take edges before a time, which never falls; hand out those that show before it.

        With no capture under way (`clock` None) they pass as they are.
        """
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
