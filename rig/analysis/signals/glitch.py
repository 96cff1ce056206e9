# SPDX-License-Identifier: GPL-3.0-or-later
"""The glitch filter, which counts what is too short to be a signal, and moves no edge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.arrays import BoolArray
from rig.instruments import EdgeBlock, Int64Array, UInt8Array


@dataclass
class _OpenCluster:
    """The last edges of a channel that an edge yet to come could still join."""

    last: int
    level: int
    odd: bool
    """Whether the cluster has an odd number of edges so far: its last one may stay."""


@dataclass
class _Edges:
    index: Int64Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    channel: UInt8Array = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    level: UInt8Array = field(default_factory=lambda: np.empty(0, dtype=np.uint8))

    @classmethod
    def one(cls, channel: int, cluster: _OpenCluster) -> _Edges:
        """Return the last edge of a cluster."""
        return cls(
            np.array([cluster.last], dtype=np.int64),
            np.array([channel], dtype=np.uint8),
            np.array([cluster.level], dtype=np.uint8),
        )

    def take(self, chosen: slice) -> _Edges:
        return _Edges(self.index[chosen], self.channel[chosen], self.level[chosen])


class GlitchFilter:
    """A filter that removes pulses shorter than a width, counts them, and never moves an edge.

    Edges of one channel with gaps below the width form a cluster. Its pulses are removed in pairs
    of edges from the left: of an even number of edges none stays, of an odd number the last one,
    from which the level holds. What a later edge could still change is held back, so the blocks
    that come out cover the same samples without a hole, but up to one width later.
    """

    def __init__(self, width_samples: int) -> None:
        """Begin without edges; a width of 0 turns the filter off."""
        self._width = width_samples
        self._open: dict[int, _OpenCluster] = {}
        self._held = _Edges()
        self._decided: int | None = None
        self._end = 0
        self._levels = 0
        self.removed: dict[int, int] = {}
        """Number of pulses removed so far, by channel."""

    def feed(self, block: EdgeBlock) -> EdgeBlock:
        """Return the filtered edges that have become certain; blocks must follow each other."""
        if self._decided is None:
            self._decided, self._levels = block.start_sample, block.levels_before
        self._end = block.end_sample
        if self._width == 0:
            return self._release(_Edges(block.index, block.channel, block.level), self._end)
        early, stays = [self._held], np.ones(len(block.index), np.bool_)
        present = np.flatnonzero(np.bincount(block.channel)).tolist()
        for channel in sorted({*self._open, *present}):
            mine = np.flatnonzero(block.channel == channel)
            early.append(self._filter_channel(channel, block, mine, stays))
        undecided = [cluster.last for cluster in self._open.values() if cluster.odd]
        here = _Edges(block.index, block.channel, block.level)
        if not stays.all():
            here = _Edges(block.index[stays], block.channel[stays], block.level[stays])
        return self._release(_in_order([*early, here]), min(undecided, default=self._end))

    def finish(self) -> EdgeBlock:
        """Return the edges that were held back, now that none can follow."""
        kept = [self._held]
        for channel, cluster in self._open.items():
            if cluster.odd:
                kept.append(_Edges.one(channel, cluster))
        self._open.clear()
        return self._release(_in_order(kept), self._end)

    def _filter_channel(
        self, channel: int, block: EdgeBlock, mine: Int64Array, stays: BoolArray
    ) -> _Edges:
        """Clear the edges of one channel, `mine` in the block, in `stays` that do not stay for
        certain; return the edge before the block if it stays. An open cluster is kept.
        """
        carried = self._open.pop(channel, None)
        index = block.index[mine]
        if carried is not None:
            index = np.concatenate(([carried.last], index))
        closed = self._end - int(index[-1]) >= self._width
        odd, keeps = self._decide(channel, index, carried, closed=closed)
        if not closed:
            level = int(block.level[mine[-1]]) if carried is None or len(mine) else carried.level
            self._open[channel] = _OpenCluster(int(index[-1]), level, odd)
        if carried is None:
            stays[mine[~keeps]] = False
            return _Edges()
        stays[mine[~keeps[1:]]] = False
        return _Edges.one(channel, carried) if keeps[0] else _Edges()

    def _decide(
        self, channel: int, index: Int64Array, carried: _OpenCluster | None, *, closed: bool
    ) -> tuple[bool, BoolArray]:
        """Return whether the last edge is an odd one of its cluster, and which stay, shape (n,)."""
        starts = np.concatenate(([True], np.diff(index) >= self._width))
        odd = np.ones(len(index), np.bool_)
        if not starts.all():
            number = np.arange(len(index))
            odd = (number - np.maximum.accumulate(np.where(starts, number, 0))) % 2 == 0
        removed = np.count_nonzero(~odd)
        if carried is not None and not carried.odd:
            # The carried edge is an even one of its cluster: all that continues it swaps roles.
            continued = np.cumsum(starts) == 1
            odd ^= continued
            removed = np.count_nonzero(~odd) - 1
        self.removed[channel] = self.removed.get(channel, 0) + int(removed)
        return bool(odd[-1]), odd & np.concatenate((starts[1:], [closed]))

    def _release(self, edges: _Edges, decided: int) -> EdgeBlock:
        """Return a block of the edges before sample `decided`; the others are held."""
        cut = int(np.searchsorted(edges.index, decided))
        out, self._held = edges.take(slice(cut)), edges.take(slice(cut, None))
        start = self._decided if self._decided is not None else 0
        block = EdgeBlock(start, decided, out.index, out.channel, out.level, self._levels)
        self._decided = decided
        for channel in np.flatnonzero(np.bincount(out.channel) & 1).tolist():
            self._levels ^= 1 << channel
        return block


def _in_order(parts: Sequence[_Edges]) -> _Edges:
    index = np.concatenate([part.index for part in parts])
    channel = np.concatenate([part.channel for part in parts])
    level = np.concatenate([part.level for part in parts])
    step = np.diff(index)
    if not np.any(step < 0) and not np.any((channel[1:] < channel[:-1]) & (step == 0)):
        return _Edges(index, channel, level)
    order = np.lexsort((channel, index))
    return _Edges(index[order], channel[order], level[order])


def filtered(raw: RawRun, settings: Settings) -> tuple[Iterator[EdgeBlock], GlitchFilter]:
    """Return the filtered blocks, once, and the filter that counts what it sets aside."""
    glitch = GlitchFilter(settings.glitch_samples)

    def blocks() -> Iterator[EdgeBlock]:
        for block in raw.edge_blocks():
            yield glitch.feed(block)
        yield glitch.finish()

    return blocks(), glitch
