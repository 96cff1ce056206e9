# SPDX-License-Identifier: GPL-3.0-or-later
"""The modelled target's cycle counter, whose rate may be changed while it counts."""

from __future__ import annotations

from fractions import Fraction

from rig.config.virtual import VirtualTarget
from rig.virtual.clock import PPB, VirtualClock


class Counter:
    """One clock after the other; each goes on where the one before is."""

    def __init__(self, target: VirtualTarget, start_ticks: int) -> None:
        self._rate_hz, self._error_ppb = target.clock_hz, target.clock_error_ppb
        self._drift_ppb_per_s = target.clock_drift_ppb_per_s
        self.clock = self._at(Fraction(1), start_ticks)

    def go_on(self, now_ps: int, factor: Fraction) -> VirtualClock:
        """From now on `factor` times as fast as at first, to a part in 10^9 of the nominal rate."""
        fresh = self._at(factor, 0)
        start_ticks = self.clock.ticks(now_ps) - fresh.ticks(now_ps)
        self.clock = self._at(factor, start_ticks)
        return self.clock

    def _at(self, factor: Fraction, start_ticks: int) -> VirtualClock:
        ppb = round(factor * (PPB + self._error_ppb)) - PPB
        return VirtualClock(self._rate_hz, ppb, start_ticks, self._drift_ppb_per_s)
