# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks of the virtual bench: ticks to true time and back, in integers."""

from __future__ import annotations

PS_PER_S = 10**12
PPB = 10**9


class Clock:
    """A counter of nominal rate `rate_hz` that runs `error_ppb` too fast."""

    def __init__(self, rate_hz: int, error_ppb: int = 0, start_ticks: int = 0) -> None:
        self._start_ticks = start_ticks
        # ticks = time * numerator / denominator, with the true rate rate * (1 + ppb / 1e9)
        self._numerator = rate_hz * (PPB + error_ppb)
        self._denominator = PS_PER_S * PPB

    def time_ps(self, ticks: int) -> int:
        """True time of a tick, rounded up to a picosecond."""
        return -(-(ticks - self._start_ticks) * self._denominator // self._numerator)

    def ticks(self, time_ps: int) -> int:
        """What the counter shows at a true time."""
        return self._start_ticks + time_ps * self._numerator // self._denominator

    def ticks_at_or_after(self, time_ps: int) -> int:
        """The first tick that is not before a true time."""
        return self._start_ticks - (-time_ps * self._numerator // self._denominator)
