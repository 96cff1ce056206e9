# SPDX-License-Identifier: GPL-3.0-or-later
"""The conversion of samples to edges: streaming, exact over any block borders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from rig.capture import native
from rig.instruments import EdgeBlock, Int64Array, UInt8Array

_WORD_BYTES = 8
_NUMPY_SAMPLES = 1 << 20
_NUMPY_CHANGES = 1 << 16
"""The samples looked at, and changed samples taken, at once: they bound the memory."""

LEVEL_BIT = 7
CHANNEL_MASK = (1 << LEVEL_BIT) - 1
"""The bit of a code's level, and those of its channel below it."""


class PackedBlock(NamedTuple):
    """An EdgeBlock in half the memory, as it is found and as it crosses the worker's pipe.

    A tuple, as making one takes a third of a frozen dataclass's time.
    """

    start_sample: int
    end_sample: int
    """The end, at most 2**32 samples after the start."""
    offset: npt.NDArray[np.uint32]
    """The sample of each edge from `start_sample` on, shape (n,)."""
    code: UInt8Array
    """The code of each edge, channel | level << LEVEL_BIT, shape (n,)."""
    levels_before: int

    def unpacked(self) -> EdgeBlock:
        """Return the same edges, each field by itself."""
        return EdgeBlock(
            self.start_sample,
            self.end_sample,
            np.add(self.offset, self.start_sample, dtype=np.int64),
            self.code & np.uint8(CHANNEL_MASK),
            self.code >> np.uint8(LEVEL_BIT),
            self.levels_before,
        )


class _Finder(Protocol):
    """A finder of the edges of whole samples, without blocks."""

    def find(self, samples: npt.NDArray[Any], before: int) -> tuple[int, native.FoundEdges]:
        """Return how many of `samples`, shape (n,), n > 0, were used, and the edges in those.

        `before` is the sample before the first one.
        """


def implementations() -> tuple[str, ...]:
    """Names of the implementations that work here, fastest first; `numpy` always does."""
    return (*native.variants(), "numpy")


class EdgeExtractor:
    """Turns raw logic samples into edges, in constant memory.

    Bit n of a sample is channel n; samples of two bytes are little-endian, as in libsigrok's logic
    packets. The result does not depend on how the bytes are split into buffers, nor on the
    implementation.
    """

    def __init__(
        self, unitsize: Literal[1, 2], channel_mask: int, implementation: str | None = None
    ) -> None:
        """`unitsize` in bytes a sample; channels outside `channel_mask` are ignored.

        `implementation` is one of `implementations()`, by default the fastest.
        """
        self._unitsize = unitsize
        self._dtype = np.dtype("u1" if unitsize == 1 else "<u2")
        self._mask = channel_mask & (256**unitsize - 1)
        self._finder = _finder(implementation or implementations()[0], unitsize, self._mask)
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

    @property
    def levels(self) -> int:
        """The last sample seen, under the mask; 0 before the first."""
        return self._last or 0

    def go_on(self, samples: int, levels: int) -> None:
        """Skip samples up to this number, looked at elsewhere; `levels` is the last of them."""
        self._samples, self._last = samples, levels & self._mask

    def feed(self, buffer: Any) -> EdgeBlock:
        """Return edges of the whole samples in `buffer`, a bytes-like object; nothing is kept."""
        start, before = self._samples, self._last or 0
        return join_blocks(list(self.blocks(buffer)), start, before)

    def blocks(self, buffer: Any) -> Iterator[EdgeBlock]:
        """Yield the edges in blocks of bounded size; see `packed_blocks`."""
        return (block.unpacked() for block in self.packed_blocks(buffer))

    def packed_blocks(self, buffer: Any) -> Iterator[PackedBlock]:
        """Yield the edges in packed blocks of bounded size, however many edges there are.

        All blocks must be taken, and while `buffer` still holds the samples.
        """
        values = self._whole_samples(buffer)
        while len(values):
            before = int(values[0]) & self._mask if self._last is None else self._last
            start = self._samples
            used, (offset, code) = self._finder.find(values, before)
            self._samples += used
            self._last = int(values[used - 1]) & self._mask
            yield PackedBlock(start, self._samples, offset, code, before)
            values = values[used:]

    def _whole_samples(self, buffer: Any) -> npt.NDArray[Any]:
        """Return samples of the kept odd byte and `buffer`; a new odd byte at the end is kept."""
        raw = np.frombuffer(buffer, dtype=np.uint8)
        if self._unitsize == 1:
            return raw
        if self._partial:
            raw = np.concatenate((np.frombuffer(self._partial, dtype=np.uint8), raw))
        used = len(raw) - len(raw) % self._unitsize
        self._partial = raw[used:].tobytes()
        return raw[:used].view(self._dtype)


def _finder(implementation: str, unitsize: int, mask: int) -> _Finder:
    if implementation == "numpy":
        return _NumpyFinder(unitsize, mask)
    return native.NativeFinder(implementation, unitsize, mask)


class _NumpyFinder:
    """The finder where there is no compiler, against which the native ones are tested."""

    def __init__(self, unitsize: int, mask: int) -> None:
        self._unitsize = unitsize
        self._mask = np.dtype("u1" if unitsize == 1 else "<u2").type(mask)
        self._channels = np.array(
            [bit for bit in range(8 * unitsize) if mask >> bit & 1], dtype=np.uint8
        )

    def find(self, samples: npt.NDArray[Any], before: int) -> tuple[int, native.FoundEdges]:
        samples = samples[:_NUMPY_SAMPLES]
        changed = self._changed(samples, before)
        used = len(samples)
        if len(changed) > _NUMPY_CHANGES:
            used = int(changed[_NUMPY_CHANGES])
            changed = changed[:_NUMPY_CHANGES]
        previous = samples[changed - 1]
        previous[changed == 0] = before  # not samples[-1]
        difference = (samples[changed] ^ previous) & self._mask
        # np.nonzero walks row by row: the order of (index, channel) that an EdgeBlock promises.
        row, column = np.nonzero(difference[:, None] >> self._channels & 1)
        channel = self._channels[column]
        level = (samples[changed[row]] >> channel & 1).astype(np.uint8)
        return used, (changed[row].astype(np.uint32), channel | level << np.uint8(LEVEL_BIT))

    def _changed(self, samples: npt.NDArray[Any], before: int) -> Int64Array:
        """Return positions whose masked value differs from the last, `before` standing at -1."""
        first = [0] if (int(samples[0]) ^ before) & int(self._mask) else []
        return np.concatenate((np.array(first, dtype=np.int64), self._changed_inside(samples)))

    def _changed_inside(self, samples: npt.NDArray[Any]) -> Int64Array:
        """Return positions whose masked value differs from the last, from position 1 on.

        Lines are quiet most of the time, so eight bytes at once are compared with the eight bytes
        one sample later; only words that differ are looked into.
        """
        per_word = _WORD_BYTES // self._unitsize
        words = (len(samples) - 1) // per_word
        raw = samples.view(np.uint8)
        now = raw[: words * _WORD_BYTES].view(np.uint64)
        later = raw[self._unitsize :][: words * _WORD_BYTES].view(np.uint64)
        busy = np.flatnonzero(now != later)
        if len(busy) * per_word > len(samples) // 4:
            return self._differing(samples, np.arange(1, len(samples)))
        inside = busy[:, None] * per_word + np.arange(1, per_word + 1)
        tail = np.arange(words * per_word + 1, len(samples))
        return self._differing(samples, np.concatenate((inside.ravel(), tail)))

    def _differing(self, samples: npt.NDArray[Any], at: Int64Array) -> Int64Array:
        """Return those of the positions `at` (all above 0) whose masked value differs."""
        differs: npt.NDArray[np.bool_] = (samples[at] ^ samples[at - 1]) & self._mask != 0
        return at[differs]


def join_packed(blocks: Sequence[PackedBlock]) -> PackedBlock:
    """Join blocks, at least one, that follow each other within 2**32 samples."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    shifts = [block.start_sample - first.start_sample for block in blocks]
    counts = [len(block.code) for block in blocks]
    offset = np.concatenate([block.offset for block in blocks])
    offset += np.repeat(np.array(shifts, dtype=np.uint32), counts)
    return PackedBlock(
        first.start_sample,
        blocks[-1].end_sample,
        offset,
        np.concatenate([block.code for block in blocks]),
        first.levels_before,
    )


def join_blocks(blocks: Sequence[EdgeBlock], start_sample: int, levels_before: int) -> EdgeBlock:
    """Join blocks that follow each other; return an empty one at `start_sample` if there are none.

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
