# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of a run's answer edges, kept in four bytes each."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array

KEPT_MAX = 1 << 25
"""The first ones of a run; they take 128 MiB."""
_PART = 1 << 16


class AnswerTimes:
    """Collects edges in order, up to KEPT_MAX of them; any of those can be read again."""

    def __init__(self) -> None:
        self.seen = 0
        """All edges, kept or not."""
        self._kept = 0
        self._filling: list[Int64Array] = []
        self._filled = 0
        self._parts: list[tuple[int, npt.NDArray[np.uint32] | Int64Array]] = []
        """Of _PART edges each: the first one's sample, and how far behind it each is."""

    def __len__(self) -> int:
        return self._kept

    def add(self, samples: Int64Array) -> None:
        """The next edges, shape (n,)."""
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
        behind = samples - samples[0]
        small = int(behind[-1]) < 1 << 32  # else the edges are so rare that a few bytes are nothing
        self._parts.append((int(samples[0]), behind.astype(np.uint32) if small else behind))
        self._filling, self._filled = [], 0

    def read(self, first: int, count: int) -> Int64Array:
        """Edges first .. first + count - 1, fewer at the end."""
        stop = min(first + count, self._kept)
        pieces = [np.empty(0, np.int64)]
        for number in range(first // _PART, -(-stop // _PART)):
            skip = max(0, first - number * _PART)
            pieces.append(self._part(number)[skip : stop - number * _PART])
        return np.concatenate(pieces)

    def _part(self, number: int) -> Int64Array:
        if number == len(self._parts):
            return np.concatenate(self._filling)
        start, behind = self._parts[number]
        return start + behind.astype(np.int64)
