# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters narrower than 64 bits: where they wrapped, at which modulus, and readings without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rig.arrays import FloatArray
from rig.instruments import Int64Array

_OFF = 0.02
"""A step back is a wrap if it is the modulus to within this share of it."""
_WIDER = 4
"""Number of widths tried that hold all readings: most come near the top of their counter."""
_DECIMAL = (10**6, 10**9)
"""Counters that count microseconds or nanoseconds of a second."""


@dataclass(frozen=True)
class Wraps:
    """The wraps of a counter."""

    modulus: int
    events: Int64Array
    """The first event behind each wrap, shape (m,)."""
    times: Int64Array
    """Number of wraps there: more than one between events far apart."""

    @property
    def name(self) -> str:
        """The name of the counter."""
        bits = self.modulus.bit_length() - 1
        if self.modulus == 1 << bits:
            return f"{bits}-bit counter"
        return f"counter to {self.modulus:,}"


def find_wraps(sample: Int64Array, ticks: Int64Array, rate: float) -> Wraps | None:
    """Return the wraps of a counter of about `rate` ticks per sample, shapes (n,).

    None if no step goes back, or no modulus explains one. Of several the smallest that holds all
    readings.
    """
    if len(ticks) < 2 or int(ticks.min()) < 0 or (np.diff(ticks) >= 0).all():
        return None
    expected = np.diff(sample) * rate
    lacking = expected - np.diff(ticks)
    largest = int(ticks.max())
    candidates = [1 << bits for bits in range(largest.bit_length(), 63)][:_WIDER]
    decimal = [modulus for modulus in _DECIMAL if modulus // 2 < largest < modulus]
    for modulus in sorted(candidates + decimal):
        times = _times(lacking, modulus)
        if times.any():
            events = np.flatnonzero(times)
            return Wraps(modulus, events + 1, times[events])
    return None


def _times(lacking: FloatArray, modulus: int) -> Int64Array:
    """Return how often the counter wrapped in each interval."""
    times = np.rint(lacking / modulus).astype(np.int64)
    exactly = np.abs(lacking - times * modulus) <= _OFF * modulus
    return np.where(exactly & (times > 0), times, 0)


def unwrap(ticks: Int64Array, wraps: Wraps) -> Int64Array:
    """Return the readings as an endless counter would have shown them, shape (n,)."""
    turns = np.zeros(len(ticks), np.int64)
    turns[wraps.events] = wraps.times
    return ticks + np.cumsum(turns) * wraps.modulus


def unwrap_after(
    before: Int64Array, unwrapped: Int64Array, after: npt.NDArray[Any], modulus: int
) -> Int64Array:
    """Return the readings behind the pin writes, which may be the first behind a wrap, shape (n,).

    `before` as it was read and as `unwrap` made it.
    """
    later: Int64Array = unwrapped + (after - before) % modulus
    return later
