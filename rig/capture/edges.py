# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples to edges: streaming, exact over any block borders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rig.instruments import EdgeBlock, Int64Array

_WORD_BYTES = 8


class EdgeExtractor:
    """Turns raw logic samples into edges, in constant memory.

    Bit n of a sample is channel n; samples of two bytes are little-endian, as in libsigrok's logic
    packets. The result does not depend on how the bytes are split into buffers.
    """

    def __init__(self, unitsize: Literal[1, 2], channel_mask: int) -> None:
        """`unitsize` in bytes a sample; channels outside `channel_mask` are ignored."""
        self._unitsize = unitsize
        self._dtype = np.dtype("u1" if unitsize == 1 else "<u2")
        self._mask = self._dtype.type(channel_mask & (256**unitsize - 1))
        self._channels = np.array(
            [bit for bit in range(8 * unitsize) if channel_mask >> bit & 1], dtype=np.uint8
        )
        self._samples = 0
        self._last: int | None = None
        self._partial = b""

    @property
    def samples(self) -> int:
        """Samples seen so far."""
        return self._samples

    @property
    def partial_bytes(self) -> int:
        """Bytes of an unfinished sample at the end of what was fed: 0, or 1 of 2."""
        return len(self._partial)

    def feed(self, buffer: Any) -> EdgeBlock:
        """Edges of the whole samples in `buffer` (any bytes-like object; nothing of it is kept)."""
        values = self._whole_samples(buffer)
        start = self._samples
        if not len(values):
            return join_blocks([], start, self._last or 0)
        before = int(values[0] & self._mask) if self._last is None else self._last
        changed = self._changed(values, before)
        previous = values[changed - 1]
        previous[changed == 0] = before  # not values[-1]
        difference = (values[changed] ^ previous) & self._mask
        # np.nonzero walks row by row: the order of (index, channel) that an EdgeBlock promises.
        row, column = np.nonzero(difference[:, None] >> self._channels & 1)
        channel = self._channels[column]
        self._samples += len(values)
        self._last = int(values[-1] & self._mask)
        return EdgeBlock(
            start_sample=start,
            end_sample=self._samples,
            index=changed[row] + start,
            channel=channel,
            level=(values[changed[row]] >> channel & 1).astype(np.uint8),
            levels_before=before,
        )

    def _whole_samples(self, buffer: Any) -> npt.NDArray[Any]:
        """Samples of the kept odd byte and `buffer`; a new odd byte at the end is kept."""
        raw = np.frombuffer(buffer, dtype=np.uint8)
        if self._partial:
            raw = np.concatenate((np.frombuffer(self._partial, dtype=np.uint8), raw))
        used = len(raw) - len(raw) % self._unitsize
        self._partial = raw[used:].tobytes()
        return raw[:used].view(self._dtype)

    def _changed(self, values: npt.NDArray[Any], before: int) -> Int64Array:
        """Positions whose masked value differs from the one before, `before` standing at -1."""
        first = [0] if int(values[0]) & int(self._mask) != before else []
        return np.concatenate((np.array(first, dtype=np.int64), self._changed_inside(values)))

    def _changed_inside(self, values: npt.NDArray[Any]) -> Int64Array:
        """The same from position 1 on.

        Lines are quiet most of the time, so eight bytes at once are compared with the eight bytes
        one sample later; only words that differ are looked into.
        """
        per_word = _WORD_BYTES // self._unitsize
        words = (len(values) - 1) // per_word
        raw = values.view(np.uint8)
        now = raw[: words * _WORD_BYTES].view(np.uint64)
        later = raw[self._unitsize :][: words * _WORD_BYTES].view(np.uint64)
        busy = np.flatnonzero(now != later)
        if len(busy) * per_word > len(values) // 4:
            return self._differing(values, np.arange(1, len(values)))
        inside = busy[:, None] * per_word + np.arange(1, per_word + 1)
        tail = np.arange(words * per_word + 1, len(values))
        return self._differing(values, np.concatenate((inside.ravel(), tail)))

    def _differing(self, values: npt.NDArray[Any], at: Int64Array) -> Int64Array:
        """Those of the positions `at` (all above 0) whose masked value differs."""
        differs: npt.NDArray[np.bool_] = (values[at] ^ values[at - 1]) & self._mask != 0
        return at[differs]


def join_blocks(blocks: Sequence[EdgeBlock], start_sample: int, levels_before: int) -> EdgeBlock:
    """One block of blocks that follow each other; an empty one at `start_sample` if there are none.

    `levels_before` is used only if there are none.
    """
    if not blocks:
        return EdgeBlock(
            start_sample,
            start_sample,
            np.empty(0, dtype=np.int64),
            np.empty(0, dtype=np.uint8),
            np.empty(0, dtype=np.uint8),
            levels_before,
        )
    if len(blocks) == 1:
        return blocks[0]
    return EdgeBlock(
        blocks[0].start_sample,
        blocks[-1].end_sample,
        np.concatenate([block.index for block in blocks]),
        np.concatenate([block.channel for block in blocks]),
        np.concatenate([block.level for block in blocks]),
        blocks[0].levels_before,
    )
