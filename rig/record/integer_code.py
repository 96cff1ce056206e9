# SPDX-License-Identifier: GPL-3.0-or-later
"""Integers as small numbers, and straight lines in arithmetic that every machine does alike.

A prediction must be the same to the bit where it was made and where it is undone: it is computed
from stored numbers in single operations, each of which IEEE 754 defines.
"""

from __future__ import annotations

import numpy as np

from rig.arrays import FloatArray, UInt64Array
from rig.instruments import Int64Array

LARGE = 2.0**61
"""The bound of credible values; no line goes through those beyond, or unknown ones."""


def zigzag(values: Int64Array) -> UInt64Array:
    """Return small numbers of either sign as small codes: 0, -1, 1, -2, ... as 0, 1, 2, 3, ..."""
    return ((values << 1) ^ (values >> 63)).view(np.uint64)


def unzigzag(codes: UInt64Array) -> Int64Array:
    """Return the values of these codes, the inverse of `zigzag`."""
    signs = codes & np.uint64(1)
    values = codes >> np.uint64(1)
    values ^= np.negative(signs, out=signs)
    return values.view(np.int64)


def steps(values: Int64Array, origin: int = 0) -> UInt64Array:
    """Codes of the differences from each value to the next, the first one's from `origin`."""
    with np.errstate(over="ignore"):
        return zigzag(np.diff(values, prepend=np.int64(origin)))


def unstepped(codes: UInt64Array, origin: int = 0) -> Int64Array:
    """Return the values of these codes, the inverse of `steps`; sums are modulo 2^64."""
    with np.errstate(over="ignore"):
        values = unzigzag(codes)
        np.cumsum(values, out=values)
        values += np.int64(origin)
        return values


def whole(values: FloatArray) -> Int64Array:
    """Round to the nearest integer; values of a damaged file are bounded."""
    if len(values) and max(-values.min(), values.max()) < LARGE:  # not so if there is a NaN
        return np.rint(values).astype(np.int64)
    finite = np.nan_to_num(values, nan=0.0, posinf=LARGE, neginf=-LARGE)
    return np.rint(np.clip(finite, -LARGE, LARGE)).astype(np.int64)
