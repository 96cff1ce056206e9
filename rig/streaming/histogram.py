# SPDX-License-Identifier: GPL-3.0-or-later
"""A histogram of fixed size for any number of latencies: exact below 256, then log-linear.

Values below 256 have a bin each. Above, each octave has 128 bins, so that no bin is wider than
1/128 (0.8 %) of its values. 7,296 bins, 57 KiB, reach to 2**63 - 1: nothing overflows. What must
not be rounded is kept beside the bins: n, the sum, the maximum and the minimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rig.instruments import Int64Array

EXACT: Final = 256
"""The bound below which values have a bin of their own."""
BINS_PER_OCTAVE: Final = 128
BINS: Final = EXACT + BINS_PER_OCTAVE * (63 - 8)


def bin_of(values: Int64Array) -> Int64Array:
    """Bin numbers of `values`, which are 0 or more; both have the shape (n,)."""
    values = np.asarray(values, dtype=np.int64)
    shift = np.zeros(len(values), dtype=np.int64)
    for bits in (32, 16, 8, 4, 2, 1):  # a value has 8 bits left when it is shifted
        shift += np.where(values >> shift >= EXACT << (bits - 1), bits, 0)
    bins: Int64Array = BINS_PER_OCTAVE * shift + (values >> shift)
    return bins


def bin_starts() -> Int64Array:
    """The lowest value of each bin, shape (BINS,); a bin ends before the next one starts."""
    number = np.arange(BINS)
    shift = np.maximum(number // BINS_PER_OCTAVE - 1, 0)
    starts: Int64Array = (number - BINS_PER_OCTAVE * shift) << shift
    return starts


@dataclass(frozen=True)
class Extreme:
    """A latency and the event that had it."""

    latency_samples: int
    event: int
    """The number of the stimulus, from 0."""
    stimulus_sample: int


@dataclass(frozen=True, eq=False)
class LogHistogram:
    """The latencies of one run or of several, in samples. A value: adding makes a new one."""

    counts: npt.NDArray[np.uint64]
    """The count of each bin, shape (BINS,)."""
    total: int
    """Sum of all latencies."""
    maximum: Extreme | None
    minimum: Extreme | None
    """The shortest latency, the first if there are several; None without any, as `maximum`."""

    @property
    def n(self) -> int:
        """Number of latencies."""
        return int(self.counts.sum())

    def __add__(self, other: LogHistogram) -> LogHistogram:
        """Return both together; an extreme's event and sample are those of its own run."""
        return LogHistogram(
            self.counts + other.counts,
            self.total + other.total,
            _beyond(self.maximum, other.maximum, sign=1),
            _beyond(self.minimum, other.minimum, sign=-1),
        )

    def bounds(self, rank: int) -> tuple[int, int]:
        """Return the lowest and highest value of the latency at `rank` (from 0) of the sorted ones.

        Raises IndexError if there are not so many.
        """
        cumulative = np.cumsum(self.counts)
        if self.maximum is None or self.minimum is None or not 0 <= rank < int(cumulative[-1]):
            raise IndexError(f"rank {rank} of {int(cumulative[-1])} latencies")
        found = int(np.searchsorted(cumulative, rank, side="right"))
        low = int(bin_starts()[found])
        high = int(bin_starts()[found + 1]) - 1 if found + 1 < BINS else low * 2  # beyond all
        return max(low, self.minimum.latency_samples), min(high, self.maximum.latency_samples)


def empty_histogram() -> LogHistogram:
    """Return the histogram of no latency, with which sums begin."""
    return LogHistogram(np.zeros(BINS, np.uint64), 0, None, None)


def _beyond(a: Extreme | None, b: Extreme | None, sign: int) -> Extreme | None:
    if a is None or b is None:
        return a or b
    return b if sign * (b.latency_samples - a.latency_samples) > 0 else a
