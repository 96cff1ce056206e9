# SPDX-License-Identifier: GPL-3.0-or-later
"""Latency inside the target beside the external one, event by event.

External: stimulus edge to response edge, both on the analyzer. Inside: stimulus edge to the reading
before the pin write, with the stimulus edge put on the target's clock by the fit; or, where the
target makes its interrupts itself, from the trigger's pin write to the answer's, without a fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.analysis.clocks.clock import Clock
from rig.arrays import FloatArray
from rig.formatting import microseconds
from rig.instruments import Int64Array

TRIGGER_FLAG = 0x10
"""Flag of a log record that is a trigger, targets/PROTOCOL.md."""


@dataclass(frozen=True)
class InternalLatencyBounds:
    """Limits of the internal latency by event, shapes (n,), between which it lies. NaN: unknown."""

    lowest_ns: FloatArray
    highest_ns: FloatArray

    @property
    def middle_ns(self) -> FloatArray:
        return (self.lowest_ns + self.highest_ns) / 2

    @property
    def text(self) -> str:
        """The average and extremes in one line, for reports."""
        known = self.middle_ns[np.isfinite(self.middle_ns)]
        if not len(known):
            return "latency inside the target: not known for any event"
        within = np.nanmax(self.highest_ns - self.lowest_ns) / 2
        return (
            f"latency inside the target: average {microseconds(known.mean())} us, "
            f"{microseconds(known.min())} to {microseconds(known.max())} us, each within "
            f"{within:.0f} ns ({len(known):,} events)"
        )


def stimulus_to_handler(
    clock: Clock, stimulus_sample: Int64Array, before_ticks: Int64Array
) -> InternalLatencyBounds:
    """Return the time from the stimulus edge to the reading before the answer's pin write.

    Shapes (n,); events pair an edge with its record, and ticks count from where the clock's
    brackets do. The edge lies in (s - 1, s] and the reading in [before, before + 1).

    Raises ValueError if the clock cannot be mapped around one of the events.
    """
    at = clock.at(stimulus_sample)
    since = (before_ticks - at.origin_ticks).astype(np.float64)
    sample_ns = 1e9 / clock.rates.sample_rate_hz
    slowest, fastest = clock.ticks_per_sample
    lowest = (since - at.highest_ticks) * sample_ns
    highest = (since + 1 - (at.lowest_ticks - fastest)) * sample_ns
    # In the analyzer's time, as the external latency is: by its nominal rate the counter would be
    # off in the long run, and late answers with it.
    return InternalLatencyBounds(
        lowest / np.where(lowest > 0, fastest, slowest),
        highest / np.where(highest > 0, slowest, fastest),
    )
