# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures that are stored channel by channel: a stream of edges for each, merged in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rig.instruments import EdgeBlock, Int64Array

_NOTHING: Int64Array = np.empty(0, np.int64)

ChannelEdges = Iterable[Int64Array]
"""The samples at which a channel changes, ascending, in parts; each inverts the level.

The level before sample 0 is low: a channel that begins high changes at sample 0.
"""


def merged(channels: Sequence[ChannelEdges], end_sample: int) -> Iterator[EdgeBlock]:
    """Yield the edges of all channels, whose bits are 0, 1, ..., in blocks up to `end_sample`.

    A part is held for each channel, so memory is that of the parts.
    """
    streams = [(part for part in each if len(part)) for each in channels]
    waiting = [next(stream, _NOTHING) for stream in streams]
    levels, start = 0, 0
    for bit, part in enumerate(waiting):
        if len(part) and part[0] == 0:
            levels |= 1 << bit
            waiting[bit] = part[1:]
    while start < end_sample:
        waiting = [
            part if len(part) else next(stream, _NOTHING)
            for part, stream in zip(waiting, streams, strict=True)
        ]
        until = min((int(part[-1]) + 1 for part in waiting if len(part)), default=end_sample)
        counts = [int(np.searchsorted(part, until)) for part in waiting]
        taken = [part[:count] for part, count in zip(waiting, counts, strict=True)]
        waiting = [part[count:] for part, count in zip(waiting, counts, strict=True)]
        yield _block(start, until, levels, taken)
        levels ^= sum((len(part) & 1) << bit for bit, part in enumerate(taken))
        start = until


def _block(start: int, end: int, levels: int, taken: Sequence[Int64Array]) -> EdgeBlock:
    index = np.concatenate(taken)
    channel = np.repeat(np.arange(len(taken), dtype=np.uint8), [len(part) for part in taken])
    level = np.concatenate(
        [
            (np.arange(len(part)) + 1 + (levels >> bit & 1) & 1).astype(np.uint8)
            for bit, part in enumerate(taken)
        ]
    )
    order = np.lexsort((channel, index))
    return EdgeBlock(start, end, index[order], channel[order], level[order], levels)
