# SPDX-License-Identifier: GPL-3.0-or-later
"""The entry times of the target's handlers, on the analyzer's clock, as far as the log has them.

A record has the ticks from the handler's entry to the reading before the pin write, and the
analyzer has the edge of that pin write. So the entry needs no more than the rate of the target's
counter, which the bracket test has found.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.constants import PathDelay
from rig.analysis.log.responses import ResponseLog
from rig.analysis.model.settings import Settings
from rig.analysis.pairing.deficits import ACKNOWLEDGE_NS, Entered
from rig.instruments import LOG_ENTRY, LOG_LEAD, LOG_SPAN, Int64Array

MARGIN_NS = 1_000
"""Margin for the channels and wires of stimulus and answer, added at both ends."""
RATE_PPM = 100
"""Departure of the counter from its mean rate that is allowed in a run."""


@dataclass(frozen=True)
class HandlerEntries:
    """Entry times by a log whose answers are those of the analyzer, one by one."""

    log: ResponseLog
    ticks_per_sample: float
    margin_samples: int
    acknowledge_samples: int
    wires_samples: int
    """Time by which the wires may make an answer seem later than its stimulus."""

    @classmethod
    def of(
        cls,
        log: ResponseLog,
        settings: Settings,
        agreement: ClockAgreement | None,
        path: PathDelay,
    ) -> Self | None:
        """Return the entries; None if the log's first answers have none, or no clock fits samples.

        `path`: what is known of the response's delay less the stimulus's.
        """
        if settings.tick_hz is None or agreement is None or not agreement.holds:
            return None
        if agreement.rate_ppm is None or not _tell(log):
            return None
        rate_hz = settings.sample_rate_hz
        per_sample = settings.tick_hz / rate_hz * (1 + agreement.rate_ppm * 1e-6)
        margin, acknowledge = (_samples(ns, rate_hz) for ns in (MARGIN_NS, ACKNOWLEDGE_NS))
        wires_ns = min(MARGIN_NS, math.ceil(abs(path.estimate_ns) + path.reach_ns))
        return cls(log, per_sample, margin, acknowledge, _samples(wires_ns, rate_hz))

    def entered(self, first: int, response: Int64Array) -> Entered:
        """Return the entries of answers first, first + 1, ... at these samples, shape (n,).

        The edge lies in (r - 1, r] and between the readings before and after the pin write.
        """
        rows = self.log.read(first, len(response))
        known = (rows["flags"] & np.uint32(LOG_ENTRY | LOG_SPAN)) != 0
        lead = rows[LOG_LEAD].astype(np.float64)
        width = (rows["after_ticks"] - rows["before_ticks"]).astype(np.float64) + 1
        off = RATE_PPM * 1e-6
        latest = response - np.floor(lead / self.ticks_per_sample * (1 - off)).astype(np.int64)
        behind = np.ceil((lead + width) / self.ticks_per_sample * (1 + off)) + 1
        earliest = response - np.minimum(behind, 2.0**62).astype(np.int64)
        surely_after = earliest - self.wires_samples
        latest += self.margin_samples
        earliest -= self.margin_samples + self.acknowledge_samples
        return Entered(
            np.where(known, earliest, -1),
            np.where(known, np.minimum(latest, response), response),
            np.where(known, surely_after, response),
        )


def _tell(log: ResponseLog) -> bool:
    rows = log.read(0, 1)
    return bool(len(rows)) and bool(rows["flags"][0] & (LOG_ENTRY | LOG_SPAN))


def _samples(time_ns: int, rate_hz: int) -> int:
    return -(-time_ns * rate_hz // 10**9)
