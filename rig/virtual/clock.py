# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks of the virtual bench: ticks to true time and back, in integers."""

from __future__ import annotations

from math import isqrt

PS_PER_S = 10**12
PPB = 10**9


class Clock:
    """A counter of nominal rate `rate_hz` that runs `error_ppb` too fast at time 0.

    From then on its rate rises by `drift_ppb_per_s` of nominal every second.
    """

    def __init__(
        self, rate_hz: int, error_ppb: int = 0, start_ticks: int = 0, drift_ppb_per_s: int = 0
    ) -> None:
        self._start_ticks = start_ticks
        # ticks = (time * linear + time^2 * square) / denominator: the integral of the true rate
        # rate * (1 + ppb / 1e9 + drift * time / 1e9)
        self._linear = rate_hz * (PPB + error_ppb)
        self._denominator = PS_PER_S * PPB
        self._square = rate_hz * drift_ppb_per_s
        if self._square:
            self._linear *= 2 * PS_PER_S
            self._denominator *= 2 * PS_PER_S

    def time_ps(self, ticks: int) -> int:
        """True time of a tick, rounded up to a picosecond.

        Raises ValueError for a tick that never comes, since the clock drifts to a stop before.
        """
        phase = (ticks - self._start_ticks) * self._denominator
        if not self._square:
            return -(-phase // self._linear)
        # The root of the parabola that lies on its rising side; isqrt is short by less than 1.
        root = isqrt(self._linear * self._linear + 4 * self._square * phase)
        time_ps = 2 * phase // (self._linear + root)
        while time_ps * (self._linear + time_ps * self._square) < phase:
            time_ps += 1
        while (time_ps - 1) * (self._linear + (time_ps - 1) * self._square) >= phase:
            time_ps -= 1
        return time_ps

    def ticks(self, time_ps: int) -> int:
        """What the counter shows at a true time."""
        return self._start_ticks + self._phase(time_ps) // self._denominator

    def ticks_at_or_after(self, time_ps: int) -> int:
        """The first tick that is not before a true time."""
        return self._start_ticks - (-self._phase(time_ps) // self._denominator)

    def _phase(self, time_ps: int) -> int:
        if not self._square:
            return time_ps * self._linear
        return time_ps * (self._linear + time_ps * self._square)
