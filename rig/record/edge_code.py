# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges as distances with anchors: five bytes an edge before compression, one or less after it.

Row i of `edges/delta` is the distance from edge i - 1 in samples, in 32 bits. `edges/anchor` gives
the absolute sample of the first edge of each chunk, so that a reader can begin there, and of each
edge further from the last one than 32 bits can tell. The distance of an anchored edge is stored as
0: the sample of any edge is that of the last anchor up to it, plus the distances after that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from rig.errors import InputError
from rig.instruments import EdgeBlock, Int64Array, UInt8Array
from rig.record.columns import ColumnsReader, ColumnsWriter
from rig.record.layout import ANCHOR, ANCHORS, CHUNK, DELTA, PACKED

FAR_SAMPLES = 1 << 32
"""The first distance that has no place in a delta: three minutes at 24 MHz."""


_KEPT_MAX = 24
"""Decoded chunks kept for whoever asks for the same edges again: 7 MB. An analysis reads edges,
captured answers and 65,536 records of the log in turns, and all of them are coded along edges."""
_HIGH = 1 << 7
"""Codes from here on set their channel high."""
_CHANNELS_MAX = 64
"""Channels whose levels have a bit in a mask of levels."""
CodedEdges = tuple[int, Int64Array, UInt8Array]
"""Levels before the first of some edges, their samples, and channel and level of each."""


def packed_of(block: EdgeBlock) -> UInt8Array:
    """Channel in bits 0 to 6, level in bit 7; shape (n,)."""
    return block.channel | block.level << np.uint8(7)


def levels_after(levels: int, packed: UInt8Array) -> int:
    """Mask of levels after these edges (channel in bits 0 to 6, level in bit 7)."""
    unknown = 2
    last = np.full(128, unknown, np.uint8)
    last[packed & 0x7F] = packed >> np.uint8(7)  # of one channel's edges the last assigned stays
    for channel in np.flatnonzero(last != unknown).tolist():
        levels = levels & ~(1 << channel) | int(last[channel]) << channel
    return levels


def levels_along(levels: int, packed: UInt8Array) -> npt.NDArray[np.unsignedinteger]:
    """Masks of levels before each of these edges and after the last, shape (n + 1,).

    By the channels alone: each edge inverts its channel's level, whichever it is said to set. The
    narrower the masks, the more of them a word has, all accumulated at once.
    """
    channel = packed & np.uint8(_CHANNELS_MAX - 1)
    used = max(levels.bit_length(), int(channel.max(initial=0)) + 1)
    bits = next(bits for bits in (8, 16, _CHANNELS_MAX) if used <= bits)
    kind = np.dtype(f"<u{bits // 8}")
    words = np.zeros(len(packed) * bits // 64 + 1, np.dtype("<u8"))
    masks = words.view(kind)[: len(packed) + 1]
    masks[0] = levels
    np.left_shift(kind.type(1), channel, out=masks[1:], dtype=kind)
    step = bits
    while step < 64:
        words ^= words << np.uint64(step)
        step *= 2
    last = np.bitwise_xor.accumulate(words >> np.uint64(64 - bits))  # mask of each word
    words[1:] ^= last[:-1] * np.uint64(sum(1 << place for place in range(0, 64, bits)))
    return masks


def _different(chunks: Int64Array) -> list[int]:
    """Return each chunk's number once."""
    if not len(chunks):
        return []
    first, last = int(chunks.min()), int(chunks.max())
    return [first, last][first == last :] if last - first < 2 else np.unique(chunks).tolist()


class EdgeEncoder:
    """An encoder that appends blocks of edges to the columns."""

    def __init__(
        self, columns: ColumnsWriter, feed: Callable[[UInt8Array], None] | None = None
    ) -> None:
        """`feed`: takes channels and levels of edges before their distances are appended."""
        self._columns, self._feed = columns, feed
        self._rows = 0
        self._last_sample = 0

    def append(self, block: EdgeBlock) -> None:
        """Append a block that follows the one before it."""
        index = block.index
        if not len(index):
            return
        packed = packed_of(block)
        # Differences modulo 2**32; where that is not the difference there is an anchor.
        delta = np.empty(len(index), np.uint32)
        delta[0] = (int(index[0]) - self._last_sample) % FAR_SAMPLES
        np.subtract(index[1:], index[:-1], out=delta[1:], casting="unsafe")
        anchored = self._anchored(index)
        delta[anchored] = 0
        self._columns.append(ANCHORS, self._anchors(block, packed, anchored))
        if self._feed is not None:
            self._feed(packed)
        self._columns.append(DELTA, delta)
        self._columns.append(PACKED, packed)
        self._rows += len(index)
        self._last_sample = int(index[-1])

    def _anchored(self, index: Int64Array) -> Int64Array:
        """Return the places of edges that begin a chunk or are too far from the one before."""
        anchored: Int64Array = np.arange(-self._rows % CHUNK, len(index), CHUNK)
        if index[-1] - self._last_sample >= FAR_SAMPLES:
            distance = np.diff(index, prepend=self._last_sample)
            anchored = np.union1d(anchored, np.flatnonzero(distance >= FAR_SAMPLES))
        return anchored

    def _anchors(
        self, block: EdgeBlock, packed: UInt8Array, anchored: Int64Array
    ) -> npt.NDArray[np.void]:
        anchors = np.zeros(len(anchored), ANCHOR)
        anchors["row"] = self._rows + anchored
        anchors["sample"] = block.index[anchored]
        levels, first = block.levels_before, 0
        for number, row in enumerate(anchored.tolist()):
            levels = levels_after(levels, packed[first:row])
            anchors["levels"][number] = levels
            first = row
        return anchors


class EdgeDecoder:
    """Reads edges from the columns, in memory of a chunk."""

    def __init__(self, columns: ColumnsReader, source: str, covered_samples: int) -> None:
        """Take the edges of the first `covered_samples` samples. Raises InputError if damaged."""
        self._columns = columns
        self._source = source
        self._covered = covered_samples
        self._kept: dict[int, tuple[Int64Array, UInt8Array]] = {}
        self._rows = min(columns.rows(DELTA), columns.rows(PACKED))
        self._anchors = columns.read(ANCHORS, 0, columns.rows(ANCHORS))
        self._anchors = self._anchors[self._anchors["row"] < self._rows]
        self._check_anchors()
        self._rows = self._rows_before(covered_samples)

    @property
    def rows(self) -> int:
        """The number of edges in all."""
        return self._rows

    @property
    def levels_before(self) -> int | None:
        """Levels of all channels before the first edge; None if there is no edge."""
        return int(self._anchors["levels"][0]) if self._rows else None

    def chunks_from(self, sample: int) -> Iterator[CodedEdges]:
        """Edges from a chunk that begins before `sample`, or from the first.

        Both arrays have the same shape (n,), n > 0, and never are edges of one sample in two of
        these. Raises InputError if damaged.
        """
        if not self._rows:
            return iter(())
        borders = self._anchors[self._anchors["row"] % CHUNK == 0]
        number = max(int(np.searchsorted(borders["sample"], sample)) - 1, 0)
        return self._whole_samples(number * CHUNK, int(borders["levels"][number]))

    def rows_of(self, samples: Int64Array) -> Int64Array:
        """Numbers of an edge at each of these samples, shape (n,); -1: there is none."""
        rows = np.full(len(samples), -1, np.int64)
        borders = self._anchors[self._anchors["row"] % CHUNK == 0]["sample"]
        chunks = np.searchsorted(borders, samples, "right") - 1
        for number in _different(chunks[chunks >= 0]):
            index = self._chunk_index(number)
            mine = np.flatnonzero(chunks == number)
            place = np.searchsorted(index, samples[mine])
            there = index[np.minimum(place, len(index) - 1)] == samples[mine]
            rows[mine[there]] = number * CHUNK + place[there]
        return rows

    def samples_of(self, rows: Int64Array) -> Int64Array:
        """Samples of edges by their numbers, shape (n,). Raises InputError if one is not there."""
        if len(rows) and (rows.min() < 0 or rows.max() >= self._rows):
            raise self._damaged("what refers to an edge has the number of one that is not there")
        samples = np.empty(len(rows), np.int64)
        chunks = rows // CHUNK
        in_order = not np.any(rows[1:] < rows[:-1])
        for number in _different(chunks):
            mine: slice | npt.NDArray[np.bool_] = (
                slice(*np.searchsorted(chunks, (number, number + 1)).tolist())
                if in_order
                else chunks == number
            )
            samples[mine] = self._chunk_index(number)[rows[mine] - number * CHUNK]
        return samples

    def _chunk_index(self, number: int) -> Int64Array:
        """Samples of all edges of a chunk."""
        first = number * CHUNK
        return self.decoded(first, min(first + CHUNK, self._rows))[0]

    def _whole_samples(self, row: int, levels: int) -> Iterator[CodedEdges]:
        held_index, held_packed = np.empty(0, np.int64), np.empty(0, np.uint8)
        while row < self._rows:
            stop = min(row + CHUNK, self._rows)
            index, packed = self.decoded(row, stop)
            row = stop
            if (len(held_index) and held_index[-1] > index[0]) or index[-1] >= self._covered:
                raise self._damaged(f"edges are out of order before row {row}")
            index = np.concatenate((held_index, index))
            packed = np.concatenate((held_packed, packed))
            along = levels_along(levels, packed)
            self._check_levels(row - len(index), along, index, packed)
            take = len(index) if row == self._rows else int(np.searchsorted(index, index[-1]))
            if not take:
                raise self._damaged(f"all edges before row {row} are of one sample")
            together = np.flatnonzero(index[1:take] == index[: take - 1])
            if np.any(packed[together + 1] & 0x7F <= packed[together] & 0x7F):
                raise self._damaged(f"edges of one sample are out of order before row {row}")
            yield levels, index[:take], packed[:take]
            held_index, held_packed = index[take:], packed[take:]
            levels = int(along[take])

    def _check_levels(
        self,
        first: int,
        along: npt.NDArray[np.unsignedinteger],
        index: Int64Array,
        packed: UInt8Array,
    ) -> None:
        """Check that each edge, from row `first` on, sets a level that its channel did not have.

        Whatever finds edges in samples finds them by a change of level, so no bench has others.
        """
        if np.any(packed & _CHANNELS_MAX):
            raise self._damaged(f"it has an edge of a channel beyond {_CHANNELS_MAX - 1}")
        # The bits that change from one mask to the next are the edges' own.
        wrong = (along[1:] & (along[1:] ^ along[:-1]) != 0) != (packed >= _HIGH)
        if np.any(wrong):
            at = int(np.argmax(wrong))
            level = "high" if packed[at] >= _HIGH else "low"
            raise self._damaged(
                f"edge {first + at:,} at sample {index[at]:,} sets channel {packed[at] & 0x7F} "
                f"{level}, which it was before: that edge or the channel's one before is false or "
                "missing; use an unchanged copy"
            )
        low, high = np.searchsorted(self._anchors["row"], (first, first + len(packed)))
        anchors = self._anchors[low:high]
        false = np.flatnonzero(anchors["levels"] != along[anchors["row"] - first])
        if len(false):
            raise self._damaged(
                f"the levels before edge {anchors['row'][false[0]]:,} are not those that the edges "
                "before it leave; use an unchanged copy"
            )

    def decoded(self, first: int, stop: int) -> tuple[Int64Array, UInt8Array]:
        """Samples, and channel and level, of rows [first, stop): a chunk, or all there are of it.

        The last ones used are kept.
        """
        found = self._kept.pop(first, None)
        if found is None or len(found[0]) != stop - first:
            found = self._decoded(first, stop)
        self._kept[first] = found
        if len(self._kept) > _KEPT_MAX:
            self._kept.pop(next(iter(self._kept)), None)
        return found

    def _decoded(self, first: int, stop: int) -> tuple[Int64Array, UInt8Array]:
        delta = self._columns.read(DELTA, first, stop)
        packed: UInt8Array = self._columns.read(PACKED, first, stop)
        if len(delta) != stop - first or len(packed) != stop - first:
            raise self._damaged(f"edges from row {first} on are missing")
        low, high = np.searchsorted(self._anchors["row"], (first, stop))
        anchors = self._anchors[low:high]
        starts = anchors["row"] - first
        distance = np.cumsum(delta.astype(np.int64))  # in one step it takes twice as long
        base = anchors["sample"] - distance[starts]
        index = distance
        index += base[0] if len(base) == 1 else np.repeat(base, np.diff(starts, append=len(delta)))
        if index[0] < 0 or np.any(index[1:] < index[:-1]):
            raise self._damaged(f"edges from row {first} on are out of order")
        return index, packed

    def _check_anchors(self) -> None:
        """Check that each chunk begins with an anchor, and that anchors ascend."""
        row = self._anchors["row"]
        borders = row[row % CHUNK == 0]
        if (
            len(borders) != -(-self._rows // CHUNK)
            or not np.array_equal(borders, np.arange(0, self._rows, CHUNK))
            or np.any(row[1:] <= row[:-1])
            or np.any(self._anchors["sample"][1:] < self._anchors["sample"][:-1])
        ):
            raise self._damaged("the anchors of its edges are not as they should be")

    def _rows_before(self, sample: int) -> int:
        """Edges before `sample`: what a writer was about to add later does not count."""
        number = int(np.searchsorted(self._anchors["sample"], sample)) - 1
        if number < 0:
            return 0
        first = int(self._anchors["row"][number]) // CHUNK * CHUNK
        index, _ = self.decoded(first, min(first + CHUNK, self._rows))
        return first + int(np.searchsorted(index, sample))

    def _damaged(self, what: str) -> InputError:
        return InputError(f"{self._source}: damaged run file, {what}")
