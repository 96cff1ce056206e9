# SPDX-License-Identifier: GPL-3.0-or-later
"""Periods on which a target's count and the clock disagree.

If a period passes that the target does not count, every answer behind it is a period late for good;
if it counts one too many, every answer before it was. A latency comes and goes, even if it is
longer than a period: so the evidence is the smallest latency of all answers before a place, and of
all behind it. Load that begins and stays shifts these too, but hardly by a whole period.
"""

from __future__ import annotations

import numpy as np

from rig.instruments import Int64Array

SHARE = 0.9
"""Part of a period: a shift by this much or more is a slip."""
SURE = 8
"""Number of answers that must lie on either side of a slip."""


class Slips:
    """Slips in all answers' times past due. Memory: the rising minima, few in practice."""

    def __init__(self, period: float) -> None:
        """Begin without answers; `period` in the units of their times."""
        self._least = SHARE * period
        self._n = 0
        self._value = np.empty(0, np.int64)
        self._place = np.empty(0, np.int64)
        """Minima of all answers from a place on, as far as there are answers: both ascending."""
        self._lowest: int | None = None
        self._early = 0

    def feed(self, latency: Int64Array) -> None:
        """Add the next answers, shape (n,), in order."""
        if not len(latency):
            return
        self._watch_drops(latency)
        lowest_from_here = np.minimum.accumulate(latency[::-1])[::-1]
        own = np.flatnonzero(np.append(np.diff(lowest_from_here) > 0, True))
        keep = int(np.searchsorted(self._value, lowest_from_here[0]))
        self._value = np.concatenate([self._value[:keep], lowest_from_here[own]])
        self._place = np.concatenate([self._place[:keep], self._n + own])
        self._n += len(latency)

    def _watch_drops(self, latency: Int64Array) -> None:
        known = latency[:1] if self._lowest is None else np.array([self._lowest], np.int64)
        lowest = np.minimum.accumulate(np.concatenate([known, latency]))
        drops = np.flatnonzero(np.diff(lowest) <= -self._least)
        self._early += int(np.count_nonzero(self._n + drops >= SURE))
        self._lowest = int(lowest[-1])

    @property
    def uncounted(self) -> int:
        """Number of places behind which all answers are a period late: one was not counted."""
        follows = self._n - 1 - self._place[:-1] >= SURE
        return int(np.count_nonzero((np.diff(self._value) >= self._least) & follows))

    @property
    def overcounted(self) -> int:
        """Number of places before which all answers were a period late: one too many counted."""
        return self._early
