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

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.constants import DelayRange
from rig.analysis.model.settings import Settings
from rig.arrays import BoolArray, FloatArray
from rig.instruments import Int64Array, LogArray

_SLOWEST_PPM: Final = -999_999.0


@dataclass(frozen=True)
class PinPairs:
    """The units of edges and records."""

    sample_ns: float
    tick_ns: float
    rate_ppm: float
    """Largest difference of the counter and the analyzer's clock."""
    counter_ppm: float = 0.0
    """Measured excess of the counter over its declared rate."""

    @classmethod
    def of(cls, settings: Settings, agreement: ClockAgreement | None = None) -> PinPairs:
        """Return the units of a run."""
        tick_ns = 1e9 / (settings.tick_hz or 10**9)
        fitted = None if agreement is None else agreement.rate_ppm
        return cls(
            1e9 / settings.sample_rate_hz,
            tick_ns,
            settings.clocks.target_ppm,
            fitted if fitted is not None and fitted > _SLOWEST_PPM else 0.0,
        )

    def delays_ns(
        self, samples: Int64Array, earlier: LogArray, later: LogArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return least and largest delay of the path that would fit each time to its records."""
        between_ns = samples * self.sample_ns
        reserve_ns = self.sample_ns + self.tick_ns + np.abs(between_ns) * self.rate_ppm / 1e6
        slower = 1 / (1 + self.counter_ppm / 1e6)
        least_ns = self.ticks_ns(later["before_ticks"], earlier["after_ticks"]) * slower
        most_ns = self.ticks_ns(later["after_ticks"], earlier["before_ticks"]) * slower
        return between_ns - most_ns - reserve_ns, between_ns - least_ns + reserve_ns

    def narrow(
        self, found: DelayRange, samples: Int64Array, earlier: LogArray, later: LogArray
    ) -> tuple[DelayRange, BoolArray]:
        """Return the delays that fit all times so far and these; and which of these, shape (n,),
        fit no delay that most have in common."""
        return found.narrowed(*self.delays_ns(samples, earlier, later))

    def ticks_ns(
        self, later: npt.NDArray[np.uint64], earlier: npt.NDArray[np.uint64]
    ) -> npt.NDArray[np.float64]:
        """Return ticks of either order as a time, shape (n,)."""
        ticks = (later - earlier).astype(np.int64)
        return ticks.astype(np.float64) * self.tick_ns
