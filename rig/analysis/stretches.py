# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run's capture shows, stretch by stretch, as often as it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.filtered import filtered
from rig.analysis.observation import Observation, observe
from rig.analysis.raw import RawRun, Settings
from rig.instruments import Int64Array

KEPT_BYTES = 1 << 27
"""Some 15 million events, in nine bytes each."""


class Stretches:
    """All observations of a run, in order.

    Edges are decoded, filtered and observed at the first pass; what comes of it is kept for the
    others if it is not more than KEPT_BYTES. Of a longer run each pass does it again.
    """

    def __init__(self, raw: RawRun, settings: Settings, kept_bytes: int = KEPT_BYTES) -> None:
        """Nothing is read yet."""
        self._raw, self._settings = raw, settings
        self._room_bytes = kept_bytes
        self._kept: list[_Packed] | None = None
        self.glitches = 0
        """Pulses set aside, on all channels; known after the first whole pass."""

    def __iter__(self) -> Iterator[Observation]:
        if self._kept is not None:
            for packed in self._kept:
                yield packed.observation()
            return
        blocks, glitch = filtered(self._raw, self._settings)
        kept: list[_Packed] = []
        room_bytes = self._room_bytes
        for seen in observe(blocks, self._settings.wiring, self._settings.sample_rate_hz):
            if room_bytes >= 0:
                kept.append(_Packed.of(seen))
                room_bytes -= kept[-1].nbytes
            else:
                kept.clear()
            yield seen
        self.glitches = sum(glitch.removed.values())
        self._room_bytes = room_bytes
        if room_bytes >= 0:
            self._kept = kept


@dataclass(frozen=True)
class _Ascending:
    """Samples in order, in four bytes each where they lie near each other."""

    start: int
    behind: npt.NDArray[np.uint32] | Int64Array

    @classmethod
    def of(cls, samples: Int64Array) -> _Ascending:
        start = int(samples[0]) if len(samples) else 0
        behind = samples - start
        near = not len(samples) or int(behind[-1]) < 1 << 32
        return cls(start, behind.astype(np.uint32) if near else behind)

    def samples(self) -> Int64Array:
        return self.start + self.behind.astype(np.int64)


@dataclass(frozen=True)
class _Packed:
    """An observation in less memory."""

    stimulus: _Ascending
    response: _Ascending
    sequence: npt.NDArray[np.uint8] | Int64Array | None
    end_sample: int
    task: _Ascending

    @classmethod
    def of(cls, seen: Observation) -> _Packed:
        sequence: npt.NDArray[np.uint8] | Int64Array | None = seen.sequence
        if sequence is not None and int(sequence.max(initial=0)) < 1 << 8:
            sequence = sequence.astype(np.uint8)
        edges = (_Ascending.of(each) for each in (seen.stimulus, seen.response, seen.task))
        stimulus, response, task = edges
        return cls(stimulus, response, sequence, seen.end_sample, task)

    @property
    def nbytes(self) -> int:
        """Memory of its values."""
        edges = (self.stimulus.behind, self.response.behind, self.task.behind)
        pins = 0 if self.sequence is None else self.sequence.nbytes
        return sum(each.nbytes for each in edges) + pins

    def observation(self) -> Observation:
        """As it was."""
        sequence = None if self.sequence is None else self.sequence.astype(np.int64)
        edges = self.stimulus.samples(), self.response.samples()
        return Observation(*edges, sequence, self.end_sample, self.task.samples())
