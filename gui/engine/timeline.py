# SPDX-License-Identifier: GPL-3.0-or-later
"""The longest latency of each stretch of a run, in as many stretches as a screen can show."""

from __future__ import annotations

from typing import Final

import numpy as np

from rig.instruments import Int64Array

STRETCHES: Final = 1024
"""When there are more, each two become one. A power of two."""
SUMS: Final = ("missed", "late", "merged", "lost")


class LiveTimeline:
    """Stretches of time, longer ones in longer runs; no maximum and no count is ever dropped."""

    def __init__(self) -> None:
        self._end = np.zeros(STRETCHES, np.int64)
        self._max = np.full(STRETCHES, -1, np.int64)
        self._sums = np.zeros((len(SUMS), STRETCHES), np.int64)
        self._used = 0
        self._pieces = 0
        """Taken into the newest stretch."""
        self._pieces_each = 1

    def add(self, end_sample: int, max_samples: int, sums: tuple[int, int, int, int]) -> None:
        """The run has come to `end_sample`; since then the longest latency was `max_samples`,
        -1 if there was none, and so many events of SUMS came."""
        if self._used == 0 or self._pieces == self._pieces_each:
            if self._used == STRETCHES:
                self._halve()
            self._used += 1
            self._pieces = 0
        at = self._used - 1
        self._end[at] = end_sample
        self._max[at] = max(self._max[at], max_samples)
        self._sums[:, at] += sums
        self._pieces += 1

    def _halve(self) -> None:
        half = STRETCHES // 2
        self._end[:half] = self._end[1::2]
        self._max[:half] = self._max.reshape(half, 2).max(axis=1)
        self._sums[:, :half] = self._sums.reshape(len(SUMS), half, 2).sum(axis=2)
        self._max[half:] = -1
        self._sums[:, half:] = 0
        self._used = half
        self._pieces_each *= 2

    def arrays(self) -> dict[str, Int64Array]:
        """`end_sample`, `max_samples` and SUMS, each a copy of shape (stretches,)."""
        used = slice(0, self._used)
        sums = {name: row[used].copy() for name, row in zip(SUMS, self._sums, strict=True)}
        return {"end_sample": self._end[used].copy(), "max_samples": self._max[used].copy(), **sums}
