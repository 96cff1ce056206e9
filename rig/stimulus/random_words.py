# SPDX-License-Identifier: GPL-3.0-or-later
"""The generator of pulse trains, integer by integer that of firmware/PROTOCOL.md."""

from __future__ import annotations

import numpy as np

from rig.arrays import UInt32Array, UInt64Array

_LOG2_Q16 = np.round(np.log2(1 + np.arange(65) / 64) * 65_536).astype(np.uint64)


def random_words(seed: int, first: int, stop: int) -> UInt32Array:
    """Words `first` to `stop` - 1 of the generator, shape (stop - first,).

    A counter put through a mixer of two multiplications, so that any word is found without those
    before it. Multipliers and shifts: C. Wellons, "Prospecting for Hash Functions", 2018 (the
    low-bias pair 0x21f0aaad, 0x735a2d97 found by T. Ettinger).
    """
    counter = np.arange(first + 1, stop + 1, dtype=np.uint64)
    x = ((seed + counter * 0x9E3779B9) & 0xFFFFFFFF).astype(np.uint32)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x21F0AAAD)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x735A2D97)
    x ^= x >> np.uint32(15)
    return x


def minus_log2_q24(words: UInt32Array) -> UInt64Array:
    """-log2(u) with 24 fraction bits for u = (word | 1) / 2**32: 0 to 32.

    The curve is replaced by 64 chords an octave: at most 5e-5 above the true value.
    """
    odd = (words | np.uint32(1)).astype(np.uint64)
    bits: UInt64Array = np.frexp(odd.astype(np.float64))[1].astype(np.uint64)  # exact
    normal = odd << (32 - bits)
    segment = ((normal >> 25) & 63).astype(np.intp)
    rest = (normal >> 9) & 0xFFFF
    low = _LOG2_Q16[segment]
    log2: UInt64Array = (low << 8) + (((_LOG2_Q16[segment + 1] - low) * rest) >> 8)
    minus: UInt64Array = ((33 - bits) << 24).astype(np.uint64) - log2
    return minus
