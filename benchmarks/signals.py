# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples to measure with, and the speed at which this machine can read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

BYTES = 1 << 28
"""Larger than processors' caches, so that the samples come from memory."""
PACKET_BYTES = 1 << 20

Samples = npt.NDArray[np.unsignedinteger[Any]]


def toggling(unitsize: int, mean_gap: int, count: int | None = None) -> Samples:
    """`count` samples (BYTES in all by default) of two lines that toggle in turn at random.

    Gaps are uniform from 1 to twice the mean. Written, so that they are in memory.
    """
    count = BYTES // unitsize if count is None else count
    generator = np.random.default_rng(mean_gap)
    kind = np.uint8 if unitsize == 1 else np.uint16
    toggles = np.zeros(count, kind)
    at = np.cumsum(generator.integers(1, 2 * mean_gap, count // mean_gap + 1))
    at = at[at < count]
    toggles[at] = 1 + np.arange(len(at)) % 2
    return np.bitwise_xor.accumulate(toggles, out=toggles)


def packets(samples: Samples) -> Iterator[Samples]:
    """In pieces, as a driver hands them over."""
    step = PACKET_BYTES // samples.itemsize
    return (samples[first : first + step] for first in range(0, len(samples), step))


def read(samples: Samples) -> int:
    """All bytes once; numpy's maximum uses the widest vectors the processor has."""
    return int(samples.view(np.uint64).max())
