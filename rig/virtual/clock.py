# SPDX-License-Identifier: GPL-3.0-or-later
"""Clocks of the virtual bench: ticks to true time and back, in integers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Final

import numpy as np
import numpy.typing as npt

from rig.config.virtual.bench import VirtualTarget
from rig.instruments import Int64Array

PS_PER_S = 10**12
PPB = 10**9
_DOUBT: Final = 1e-3
"""The distance from a whole number within which a float may be on the wrong side of it."""
_SPAN: Final = float(1 << 38)
"""The bound of values that, rounded a few times, are off by a fifth of `_DOUBT` at most."""


Rounding = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]


class VirtualClock:
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
        """Return the counter's ticks at a true time."""
        return self._start_ticks + self._phase(time_ps) // self._denominator

    def ticks_at_or_after(self, time_ps: int) -> int:
        """The first tick that is not before a true time."""
        return self._start_ticks - (-self._phase(time_ps) // self._denominator)

    def ticks_of(self, times_ps: Int64Array) -> Int64Array:
        """`ticks` of many times, shape (n,); quick if they are within some minutes."""
        return self._many(times_ps, self.ticks, np.floor)

    def ticks_at_or_after_of(self, times_ps: Int64Array) -> Int64Array:
        """`ticks_at_or_after` of many times, shape (n,); quick if they are within some minutes."""
        return self._many(times_ps, self.ticks_at_or_after, np.ceil)

    def times_ps_of(self, ticks: Int64Array) -> Int64Array:
        """`time_ps` of many ticks, shape (n,); quick if the clock does not drift."""
        if not len(ticks) or self._square:
            return _one_by_one(ticks, self.time_ps)
        if not self._denominator % self._linear:
            return (ticks - self._start_ticks) * (self._denominator // self._linear)
        whole, rest = divmod((int(ticks[0]) - self._start_ticks) * self._denominator, self._linear)
        slope = self._denominator / self._linear
        return _rounded(
            ticks, whole, rest / self._linear + (ticks - ticks[0]) * slope, self.time_ps, np.ceil
        )

    def _many(
        self, times_ps: Int64Array, exact: Callable[[int], int], rounding: Rounding
    ) -> Int64Array:
        if not len(times_ps):
            return times_ps
        first_ps = int(times_ps[0])
        whole, rest = divmod(self._phase(first_ps), self._denominator)
        slope = (self._linear + 2 * first_ps * self._square) / self._denominator
        passed = (times_ps - first_ps).astype(float)
        distance = passed * (slope + passed * (self._square / self._denominator))
        fraction = rest / self._denominator + distance
        return _rounded(times_ps, self._start_ticks + whole, fraction, exact, rounding)

    def _phase(self, time_ps: int) -> int:
        if not self._square:
            return time_ps * self._linear
        return time_ps * (self._linear + time_ps * self._square)


def _rounded(
    given: Int64Array,
    whole: int,
    fraction: npt.NDArray[np.float64],
    exact: Callable[[int], int],
    rounding: Rounding,
) -> Int64Array:
    """`whole` plus the rounded fractions; `exact` decides where a float does not."""
    if np.abs(fraction).max() > _SPAN:
        return _one_by_one(given, exact)
    result = whole + rounding(fraction).astype(np.int64)
    for i in np.flatnonzero(np.abs(fraction - np.rint(fraction)) < _DOUBT).tolist():
        result[i] = exact(int(given[i]))
    return result


def _one_by_one(given: Int64Array, exact: Callable[[int], int]) -> Int64Array:
    return np.array([exact(each) for each in given.tolist()], np.int64)


LEAD_PS = 10**10
"""The time from ARM until the task begins to wait, longer than any stretch that the bench grants
at once: what is decided for the next stretch is never past."""


class PeriodSchedule:
    """A schedule whose period k is due k periods after the start, whatever became of the others."""

    def __init__(self, clock: VirtualClock, tick_hz: int, start_ps: int, period_ns: int) -> None:
        self._clock, self._tick_hz = clock, tick_hz
        self._start_ticks = clock.ticks(start_ps)
        self._period_ns = period_ns

    def due_ps(self, number: int) -> int:
        """True time at which a period is due; numbers count from 1."""
        passed = number * self._period_ns * self._tick_hz // 10**9
        return self._clock.time_ps(self._start_ticks + passed)


class Counter:
    """A counter made of one clock after the other, each of which goes on where the last one is."""

    def __init__(self, target: VirtualTarget, start_ticks: int) -> None:
        self._rate_hz, self._error_ppb = target.clock_hz, target.clock_error_ppb
        self._drift_ppb_per_s = target.clock_drift_ppb_per_s
        self.clock = self._at(Fraction(1), start_ticks)

    def go_on(self, now_ps: int, factor: Fraction) -> VirtualClock:
        """Return the clock from now on, `factor` times the first rate, to 10^-9 of nominal."""
        fresh = self._at(factor, 0)
        start_ticks = self.clock.ticks(now_ps) - fresh.ticks(now_ps)
        self.clock = self._at(factor, start_ticks)
        return self.clock

    def _at(self, factor: Fraction, start_ticks: int) -> VirtualClock:
        ppb = round(factor * (PPB + self._error_ppb)) - PPB
        return VirtualClock(self._rate_hz, ppb, start_ticks, self._drift_ppb_per_s)
