# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of a run's answer edges, kept in four bytes each."""

from __future__ import annotations

import numpy as np

from rig.analysis.signals.packed import Ascending
from rig.analysis.signals.spool import Spool
from rig.instruments import Int64Array

KEPT_MAX = 1 << 25
"""Most edges kept, the first ones of a run; without a spool they take 128 MiB."""
_PART = 1 << 16


class AnswerTimes:
    """Answer edges in order, up to KEPT_MAX of them; any of those can be read again."""

    def __init__(self, spool: Spool | None = None) -> None:
        """Begin without edges; `spool`: where they are kept; None: in memory."""
        self._spool = spool
        self.seen = 0
        """Number of all edges, kept or not."""
        self._kept = 0
        self._filling: list[Int64Array] = []
        self._filled = 0
        self._parts: list[Ascending] = []
        """Packed parts of _PART edges each."""
        self._last: tuple[int, Int64Array] | None = None
        """Number of the part read last, and its edges."""

    def __len__(self) -> int:
        return self._kept

    def add(self, samples: Int64Array) -> None:
        """Add the next edges, shape (n,)."""
        self.seen += len(samples)
        samples = samples[: KEPT_MAX - self._kept]
        self._kept += len(samples)
        while len(samples):
            taken = samples[: _PART - self._filled]
            samples = samples[len(taken) :]
            self._filling.append(taken)
            self._filled += len(taken)
            if self._filled == _PART:
                self._pack()

    def _pack(self) -> None:
        samples = np.concatenate(self._filling)
        for spool in (self._spool, Spool(samples.nbytes, 0)):  # the last one has room in any case
            kept = None if spool is None else Ascending.of(samples, spool)
            if kept is not None:
                self._parts.append(kept)
                break
        self._filling, self._filled = [], 0

    def read(self, first: int, count: int) -> Int64Array:
        """Return edges first .. first + count - 1, fewer at the end."""
        stop = min(first + count, self._kept)
        pieces = [np.empty(0, np.int64)]
        for number in range(first // _PART, -(-stop // _PART)):
            skip = max(0, first - number * _PART)
            pieces.append(self._part(number)[skip : stop - number * _PART])
        return np.concatenate(pieces)

    def _part(self, number: int) -> Int64Array:
        if number == len(self._parts):
            return np.concatenate(self._filling)
        if self._last is None or self._last[0] != number:
            self._last = number, self._parts[number].samples()
        return self._last[1]
