# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench's time and the guest's: the same but for a constant, which is chosen anew for a train.

What a kernel does at an interrupt depends on when it comes against the kernel's own timers. The
host's words reach the guest and the microcontroller when the host finds the time to send them, so
without more ado each run would meet those timers elsewhere. So before the first edge of a train an
idle guest sleeps on, which costs nothing, until that edge comes at a time of the guest's that is
the same in every run.
"""

from __future__ import annotations

PS_PER_NS = 1000
MEETING_NS = 60 * 10**9
"""The raster of times of a train's first edge: longer than a boot and the preparations take,
and than the kernel's own slow timers."""


class TimeLine:
    """The line between bench times in picoseconds and guest times in nanoseconds."""

    def __init__(self, origin_ns: int) -> None:
        """`origin_ns`: the guest's time at the bench's time 0."""
        self._origin_ps = origin_ns * PS_PER_NS

    def guest_ns(self, time_ps: int) -> int:
        """Return the guest's first nanosecond that is not before a time of the bench."""
        return -(-(self._origin_ps + time_ps) // PS_PER_NS)

    def bench_ps(self, time_ns: int) -> int:
        """Return the bench's time at a time of the guest."""
        return time_ns * PS_PER_NS - self._origin_ps

    def meet(self, edge_ps: int, now_ps: int, now_ns: int) -> int:
        """Let the bench's `edge_ps` be a meeting time of the guest, which is at `now_ns` now.

        Returns what the guest's time is to be at the bench's `now_ps`, not before `now_ns`.
        """
        ahead_ns = -(-(edge_ps - now_ps) // PS_PER_NS)
        meeting_ns = -(-(now_ns + ahead_ns) // MEETING_NS) * MEETING_NS
        # Half a nanosecond off, so that a picosecond more or less makes no other nanosecond of it.
        self._origin_ps = meeting_ns * PS_PER_NS - PS_PER_NS // 2 - edge_ps
        return self.guest_ns(now_ps)

    def go_on(self, now_ps: int, now_ns: int) -> None:
        """Set the line so that the guest's time now is `now_ns`: the meeting did not come about."""
        self._origin_ps = now_ns * PS_PER_NS - now_ps
