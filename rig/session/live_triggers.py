# SPDX-License-Identifier: GPL-3.0-or-later
"""When a run is over whose interrupts the target makes itself."""

from __future__ import annotations

from rig.analysis.model.sources import TargetClocked
from rig.session.live_periods import GRACE_S

SILENCE_PERIODS = 2
"""A target may leave out periods of its own before the next trigger; GRACE_S comes on top."""


class TriggersEnd:
    """All triggers seen and the last one given its time, or no more of them coming."""

    def __init__(
        self, source: TargetClocked, sample_rate_hz: int, timeout_samples: int, armed_sample: int
    ) -> None:
        """`armed_sample`: how far the samples had come when ARM was answered."""
        patience = SILENCE_PERIODS * source.period_ns * sample_rate_hz // 10**9
        self._silence = patience + timeout_samples + GRACE_S * sample_rate_hz
        self._count, self._timeout = source.count, timeout_samples
        self._last = armed_sample
        self._end: int | None = None

    def reached(self, stimuli: int, last_sample: int, samples: int) -> bool:
        """`samples` have come, and in them so many stimulus edges, the last of them there.

        Edges beyond those planned do not put the end off: a line that never rests ends a run, too.
        """
        self._last = max(self._last, last_sample)
        if self._end is None and stimuli >= self._count:
            self._end = last_sample + self._timeout
        end = self._last + self._silence if self._end is None else self._end
        return samples >= end
