# SPDX-License-Identifier: GPL-3.0-or-later
"""Two pin writes of one event: the time between their edges against their records.

A pin write lies between the ticks before and after it, so that the time from one edge to another
lies between later.before - earlier.after and later.after - earlier.before. Each edge is known to
one sample, each reading to one tick, the counter's rate to what the fixture's clocks allow. What
the channels are known to differ by is taken off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rig.analysis.budget.contribution import Quantity
from rig.analysis.raw import Settings
from rig.instruments import Int64Array, LogArray

_TWICE: Final = 2.0
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class PinPairs:
    """The units of both sides."""

    sample_ns: float
    tick_ns: float
    rate_ppm: float
    """The counter and the analyzer's clock may be so far apart."""
    skew: Quantity | None = None
    """Delay of the later pin's channel less that of the earlier's, in ns. None: taken for 0."""

    @classmethod
    def of(cls, settings: Settings, skew: Quantity | None = None) -> PinPairs:
        """As the run was made."""
        tick_ns = 1e9 / (settings.tick_hz or 10**9)
        return cls(1e9 / settings.sample_rate_hz, tick_ns, settings.clocks.target_ppm, skew)

    def unfit(self, samples: Int64Array, earlier: LogArray, later: LogArray) -> BoolArray:
        """Which times between edges, in samples, are outside of their records. Shapes (n,)."""
        between_ns = samples * self.sample_ns
        reserve_ns = self.sample_ns + self.tick_ns + np.abs(between_ns) * self.rate_ppm / 1e6
        if self.skew is not None:
            between_ns = between_ns - self.skew.estimate
            reserve_ns = reserve_ns + _TWICE * self.skew.standard_uncertainty
        low_ns = self.ticks_ns(later["before_ticks"], earlier["after_ticks"]) - reserve_ns
        high_ns = self.ticks_ns(later["after_ticks"], earlier["before_ticks"]) + reserve_ns
        unfit: BoolArray = (between_ns < low_ns) | (between_ns > high_ns)
        return unfit

    def ticks_ns(
        self, later: npt.NDArray[np.uint64], earlier: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.float64]:
        """Ticks of either order as a time, shape (n,)."""
        ticks = (later - earlier).astype(np.int64)
        return ticks.astype(np.float64) * self.tick_ns
