# SPDX-License-Identifier: GPL-3.0-or-later
"""The signals of a run's capture, stretch by stretch, as often as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.signals.decoder import Observation, observe
from rig.analysis.signals.glitch import filtered
from rig.analysis.signals.packed import Ascending
from rig.analysis.signals.spool import Kept, Spool


class Stretches:
    """All observations of a run, in order.

    Edges are decoded, filtered and observed at the first pass; what comes of it is kept for the
    others if the spool has room for all of it. Of a longer run each pass does it again.
    """

    def __init__(self, raw: RawRun, settings: Settings, spool: Spool) -> None:
        """Begin without reading anything yet."""
        self._raw, self._settings, self._spool = raw, settings, spool
        self._kept: list[_Packed] | None = None
        self.glitches = 0
        """Number of pulses set aside, on all channels; known after the first whole pass."""

    def __iter__(self) -> Iterator[Observation]:
        if self._kept is not None:
            for held in self._kept:
                yield held.observation()
            return
        blocks, glitch = filtered(self._raw, self._settings)
        kept: list[_Packed] | None = []
        for seen in observe(blocks, self._settings.wiring, self._settings.sample_rate_hz):
            if kept is not None:
                packed = _Packed.of(seen, self._spool)
                if packed is None:
                    kept = None
                else:
                    kept.append(packed)
            yield seen
        self.glitches = sum(glitch.removed.values())
        self._kept = kept


@dataclass(frozen=True)
class _Packed:
    """An observation in less memory."""

    stimulus: Ascending
    response: Ascending
    sequence: Kept | None
    end_sample: int
    task: Ascending

    @classmethod
    def of(cls, seen: Observation, spool: Spool) -> Self | None:
        """Return an observation packed; None if the spool has no room."""
        edges = [Ascending.of(each, spool) for each in (seen.stimulus, seen.response, seen.task)]
        stimulus, response, task = edges
        if stimulus is None or response is None or task is None:
            return None
        if seen.sequence is None:
            return cls(stimulus, response, None, seen.end_sample, task)
        small = int(seen.sequence.max(initial=0)) < 1 << 8
        sequence = spool.keep(seen.sequence.astype(np.uint8 if small else np.int64))
        if sequence is None:
            return None
        return cls(stimulus, response, sequence, seen.end_sample, task)

    def observation(self) -> Observation:
        """Return the observation as it was."""
        sequence = None if self.sequence is None else self.sequence.values().astype(np.int64)
        edges = self.stimulus.samples(), self.response.samples()
        return Observation(*edges, sequence, self.end_sample, self.task.samples())
