# SPDX-License-Identifier: GPL-3.0-or-later
"""The capture worker's frames on their way out."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from rig.capture import frames
from rig.capture.edges import PackedBlock, join_packed
from rig.capture.native.gather import Gathered, Gatherer

_FLUSH_S = 0.1
"""The least time between frames that are not full: each costs the host a millisecond."""
_FLUSH_EDGES = 1 << 16
"""The most edges that are kept waiting. With the extractor's blocks of at most 2^20 edges it bounds
a frame, too: 6 MB, below frames.MAX_PAYLOAD_BYTES."""
_JOIN_EDGES = 1 << 12
_WAITING_BLOCKS = 64
"""The blocks beyond which they are joined: quiet lines have many, and the pipe may long be full."""
_PIPE_BYTES = 1 << 20


class _Waiting(NamedTuple):
    """A block on its way out."""

    block: PackedBlock
    since_ns: int


class FrameSender:
    """Frames on their way out, written by a thread of their own.

    Small blocks are joined until they are worth a frame; large ones go out from where they lie. A
    slow reader blocks `put`, and so the driver: memory stays flat.

    That thread is woken once for all blocks of a frame: to wake it for each of them took as much
    processor time as finding their edges.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        lock = threading.Lock()
        self._work = threading.Condition(lock)
        """Something to write, or to write sooner."""
        self._room = threading.Condition(lock)
        """Something was taken, or written."""
        self._waiting: list[_Waiting] = []
        self._edges = 0
        self._urgent: list[tuple[frames.FrameKind, bytes]] = []
        self._writing = False
        self._frames = 0
        self._held_ns = 0
        self._next_s = 0.0
        """The time when a frame may be sent that is not full."""
        self.gatherer: Gatherer | None = None
        self._gathering = False
        with contextlib.suppress(OSError):  # a larger pipe is faster; the system's limit may forbid
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        threading.Thread(target=self._write_for_ever, daemon=True).start()

    def put(self, block: PackedBlock) -> None:
        """Send a block soon; waits while too much is under way."""
        came_ns = time.monotonic_ns()
        with self._work:
            if self._edges >= _FLUSH_EDGES or self._urgent:
                self._room.wait_for(lambda: self._edges < _FLUSH_EDGES and not self._urgent)
                self._held_ns = max(self._held_ns, time.monotonic_ns() - came_ns)
            self._append(_Waiting(block, came_ns))

    def _append(self, item: _Waiting) -> None:
        """Append a block; the caller holds the lock."""
        if len(self._waiting) >= _WAITING_BLOCKS:
            self._waiting = list(_joined(self._waiting))
        self._waiting.append(item)
        self._edges += len(item.block.code)
        if len(self._waiting) == 1 or self._edges >= _FLUSH_EDGES:
            self._work.notify()

    def begin_gathering(self, unitsize: int, sample: int, levels: int) -> None:
        """Let blocks come from the gatherer, if there is one, until `end_gathering`."""
        if self.gatherer is None:
            return
        with self._work:
            self.gatherer.begin(unitsize, sample, levels)
            self._gathering = True
            self._work.notify()

    def end_gathering(self) -> tuple[int, int] | None:
        """Send what was gathered; return the number of samples up to there and their last levels.

        They are returned too if all of it had been sent before. None: nothing gathers.
        """
        with self._work:
            if not self._gathering or self.gatherer is None:
                return None
            self._gathering = False
            taken = self.gatherer.take(end=True)
            if taken is None:
                return None
            if taken.end_sample > taken.start_sample:
                self._append(_gathered(taken))
            return taken.end_sample, taken.levels_after

    def send(self, kind: frames.FrameKind, payload: bytes = b"") -> None:
        """Send a frame now, after all blocks before it, and wait until it is in the pipe."""
        with self._work:
            self._urgent.append((kind, payload))
            self._work.notify()
            self._room.wait_for(lambda: not self._urgent and not self._writing)

    def _write_for_ever(self) -> None:
        while True:
            with self._work:
                self._writing = False
                self._room.notify_all()
                self._work.wait_for(lambda: self._waiting or self._urgent or self._gathering)
                self._work.wait_for(
                    lambda: self._urgent or self._edges >= _FLUSH_EDGES,
                    timeout=max(0.0, self._next_s - time.monotonic()),
                )
                self._next_s = time.monotonic() + _FLUSH_S
                waiting, urgent = self._waiting, self._urgent
                self._waiting, self._edges, self._urgent = [], 0, []
                if self._gathering and self.gatherer is not None:
                    # Newer than all that waits: while there is something to put, nothing gathers.
                    taken = self.gatherer.take(end=False)
                    waiting += [_gathered(taken)] if taken is not None else []
                self._writing = True
                self._room.notify_all()
            for block, since_ns in _joined(waiting):
                way = frames.FrameTiming(since_ns, self._held_ns)
                self._write(frames.pack_block(block, self._frames, way))
            for kind, payload in urgent:
                self._write(frames.pack(kind, self._frames, payload))

    def _write(self, pieces: list[frames.Buffer]) -> None:
        self._frames += 1
        try:
            frames.write_all(partial(os.writev, self._descriptor), pieces)
        except OSError:
            os._exit(1)  # nobody reads any more


def _gathered(taken: Gathered) -> _Waiting:
    start, end, (offset, code), levels_before, _, came_ns = taken
    return _Waiting(PackedBlock(start, end, offset, code, levels_before), came_ns)


def _joined(waiting: Sequence[_Waiting]) -> Iterator[_Waiting]:
    """Yield the same edges in fewer blocks, where that is worth it.

    A frame costs as much as copying a few thousand edges; joined offsets must fit 32 bits.
    """
    first = 0
    while first < len(waiting):
        start, edges, end = waiting[first].block.start_sample, 0, first
        while end < len(waiting):
            block = waiting[end].block
            edges += len(block.code)
            if end > first and (edges > _JOIN_EDGES or block.end_sample - start >= 1 << 32):
                break
            end += 1
        blocks = [each.block for each in waiting[first:end]]
        yield _Waiting(join_packed(blocks), waiting[first].since_ns)
        first = end
