# SPDX-License-Identifier: GPL-3.0-or-later
"""When a modelled target's periods are due, by its own clock."""

from __future__ import annotations

from rig.virtual.clock import VirtualClock

LEAD_PS = 10**10
"""The task begins to wait so long after ARM. Longer than any stretch of time that the bench grants
at once: what is decided for the next stretch is never past."""


class PeriodSchedule:
    """Period k is due k periods after the start, whatever became of those before it."""

    def __init__(self, clock: VirtualClock, tick_hz: int, start_ps: int, period_ns: int) -> None:
        self._clock, self._tick_hz = clock, tick_hz
        self._start_ticks = clock.ticks(start_ps)
        self._period_ns = period_ns

    def due_ps(self, number: int) -> int:
        """True time at which a period is due; numbers count from 1."""
        passed = number * self._period_ns * self._tick_hz // 10**9
        return self._clock.time_ps(self._start_ticks + passed)
