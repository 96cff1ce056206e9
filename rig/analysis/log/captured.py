# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers as the stimulus's input capture saw them, by the numbers of their edges.

They are stored along the edges, so they are read in step with these, and kept for the pass that
compares them.
"""

from __future__ import annotations

import numpy as np

from rig.analysis.log.responses import CHUNK
from rig.analysis.model.run_data import RawRun
from rig.analysis.signals.packed import Ticks
from rig.analysis.signals.spool import Spool
from rig.instruments import Int64Array


class CapturedAnswers:
    """Input captures of all answers, in ticks of the stimulus's clock.

    Memory: a chunk, and of all others as much as the spool keeps in memory.
    """

    def __init__(self, raw: RawRun, spool: Spool) -> None:
        """Keep captures in the spool; what it has no room for is read again when asked for."""
        self._raw, self._spool = raw, spool
        self._packed: list[Ticks] = []
        self._has_room = True
        self._last: tuple[int, Int64Array] | None = None
        """Number of the chunk unpacked last, and the chunk."""

    @property
    def count(self) -> int:
        """The number of answers in all."""
        return self._raw.capture_count

    def reach(self, count: int) -> None:
        """Read so many, if there are so many and there is room."""
        stop = min(count, self.count)
        while self._has_room and len(self._packed) * CHUNK < stop:
            ticks = self._raw.captures(len(self._packed) * CHUNK, CHUNK)
            packed = Ticks.of(ticks, self._spool) if len(ticks) else None
            if packed is not None:
                self._packed.append(packed)
            self._has_room = packed is not None

    def read(self, first: int, count: int) -> Int64Array:
        """Return answers first .. first + count - 1, fewer at the end; not to be written to."""
        stop = min(first + count, self.count)
        kept = min(stop, len(self._packed) * CHUNK)
        parts = []
        while first < kept:
            begin = first // CHUNK * CHUNK
            parts.append(self._chunk(first // CHUNK)[first - begin : kept - begin])
            first = begin + CHUNK
        if first < stop:
            parts.append(self._raw.captures(first, stop - first))
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, np.int64), *parts])

    def _chunk(self, number: int) -> Int64Array:
        if self._last is None or self._last[0] != number:
            self._last = number, self._packed[number].values()
        return self._last[1]
