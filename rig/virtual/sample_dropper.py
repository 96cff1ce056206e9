# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice of when the virtual analyzer silently loses samples."""

from __future__ import annotations

import numpy as np

from rig.config.virtual.bench import FaultSettings
from rig.virtual.sampled_lines import SampledLines

_STREAM = 1
"""The analyzer's faults are drawn apart from the target's, which stay the same with or without."""


class SampleDropper:
    """A source of holes after some stimuli, anywhere within an interval as long as the last one."""

    def __init__(self, analyzer: SampledLines, misbehavior: FaultSettings, seed: int) -> None:
        self._analyzer = analyzer
        self._probability = misbehavior.drop
        self._length_ps = misbehavior.drop_length_ps
        self._rng = np.random.default_rng((seed, _STREAM))
        self._last_ps: int | None = None

    @property
    def drops(self) -> bool:
        """Whether samples are ever dropped."""
        return self._probability > 0

    def on_stimulus(self, time_ps: int) -> None:
        """Take a stimulus edge whose sample the analyzer has not sent yet."""
        last_ps, self._last_ps = self._last_ps, time_ps
        if last_ps is None or not self._probability:
            return
        draw, place = self._rng.random(2)
        if draw < self._probability:
            self._analyzer.drop(time_ps + int(place * (time_ps - last_ps)), self._length_ps)
