# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples of one capture of the virtual analyzer, from levels on the lines to the host's socket.

Most samples are like the one before: a run of them is made once and sent from there as often as it
is needed, so that no sample is copied but by the kernel.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from rig.instruments import Int64Array
from rig.virtual.clock import VirtualClock

_BLOCK_BYTES: Final = 1 << 18
"""The bytes that are gathered before they are sent."""
_BLOCKS: Final = 8
_RUN_BYTES: Final = 1 << 16
_RUNS_MAX: Final = 256
_SHORT_BYTES: Final = 1 << 10
"""Runs up to this length are not kept."""
_PIECES_MAX: Final = 512
"""The kernel takes up to 1024 pieces at once."""


@dataclass(frozen=True)
class Drop:
    """Samples that were taken but never sent, and of which the host is not told."""

    sample: int
    """Number of the first sample behind the hole, as the host counts what it receives."""
    time_ps: int
    """The true time at which the hole begins."""
    samples: int
    """The number of missing samples."""


class SampleSink(Protocol):
    """The way of one capture's samples to the host."""

    @property
    def sample_bytes(self) -> int:
        """The bytes of each sample."""

    def put(self, pieces: list[memoryview]) -> None:
        """Send these pieces, unless closed; wait while the host has too much before it."""

    def close(self) -> None:
        """Send nothing more."""


class SampleCapture:
    """The samples of one capture, gathered for its stream."""

    def __init__(self, stream: SampleSink, origin_ps: int, clock: VirtualClock) -> None:
        self.stream = stream
        self.origin_ps = origin_ps
        self._clock = clock
        self._sample_bytes = stream.sample_bytes
        self._mask: int = 256**stream.sample_bytes - 1
        self._next_sample = 0
        self._holes: deque[tuple[int, int, int]] = deque()
        self._lost = 0
        self.drops: list[Drop] = []
        self._runs: dict[int, memoryview] = {}
        self._pieces: list[memoryview] = []
        self._bytes = 0

    def sample_at(self, time_ps: int) -> int:
        """Number of the first sample at or after a time."""
        return self._clock.ticks_at_or_after(time_ps - self.origin_ps)

    def samples_at(self, times_ps: Int64Array) -> Int64Array:
        """Return `sample_at` of each time."""
        return self._clock.ticks_at_or_after_of(times_ps - self.origin_ps)

    def time_of(self, sample: int) -> int:
        """True time of a sample, in ps, rounded up."""
        return self.origin_ps + self._clock.time_ps(sample)

    def fill(self, until_sample: int, levels: int) -> None:
        """Gather samples of these levels up to, not including, number `until_sample`.

        Numbers are those of the samples taken; the host counts only those that are sent.
        """
        while self._holes and self._holes[0][0] < until_sample:
            first, end, time_ps = self._holes[0]
            self._gather(first - self._next_sample, levels)
            self._next_sample = max(self._next_sample, min(end, until_sample))
            if until_sample < end:
                return
            self._holes.popleft()
            self.drops.append(Drop(first - self._lost, time_ps, end - first))
            self._lost += end - first
        self._gather(until_sample - self._next_sample, levels)

    @property
    def holes(self) -> bool:
        """Whether samples lie ahead that will not be sent."""
        return bool(self._holes)

    def fill_many(self, until_samples: Int64Array, levels: Int64Array) -> None:
        """Gather samples as `fill` for each pair; no holes are ahead."""
        counts = np.diff(until_samples, prepend=self._next_sample)
        for count, level in zip(counts.tolist(), levels.tolist(), strict=True):
            if count > 0:
                self._gather(count, level)

    def leave_out(self, first_ps: int, end_ps: int) -> None:
        """Leave the samples of this stretch unsent."""
        first, end = self.sample_at(first_ps), self.sample_at(end_ps)
        if first < end:
            self._holes.append((first, end, first_ps))

    def _gather(self, missing: int, levels: int) -> None:
        if missing <= 0:
            return
        self._next_sample += missing
        size = missing * self._sample_bytes
        if size <= _SHORT_BYTES:
            self._append(memoryview(self._sample(levels) * missing))
            return
        run = self._runs.get(levels) or self._run_of(levels)
        while size > _RUN_BYTES:
            self._append(run)
            size -= _RUN_BYTES
        self._append(run[:size])

    def _append(self, piece: memoryview) -> None:
        self._pieces.append(piece)
        self._bytes += len(piece)
        if self._bytes >= _BLOCK_BYTES:
            self.flush()

    def _run_of(self, levels: int) -> memoryview:
        """Return many samples of the same levels: sent as often as needed, made only once."""
        if len(self._runs) == _RUNS_MAX:
            self._runs.clear()
        count = _RUN_BYTES // self._sample_bytes
        run = self._runs[levels] = memoryview(self._sample(levels) * count)
        return run

    def _sample(self, levels: int) -> bytes:
        sample: bytes = (levels & self._mask).to_bytes(self._sample_bytes, "little")
        return sample

    def flush(self) -> None:
        """Hand over what has been gathered; waits for the host."""
        if self._pieces:
            self.stream.put(self._pieces)
            self._pieces, self._bytes = [], 0


class SampleStream:
    """Samples on their way to the host, sent by a thread of their own."""

    def __init__(self, client: socket.socket, sample_bytes: int) -> None:
        self._client = client
        self.sample_bytes = sample_bytes
        self._changed = threading.Condition()
        self._waiting: deque[list[memoryview]] = deque()
        self._open = True
        self._sender = threading.Thread(target=self._send, name="sample sender", daemon=True)
        self._sender.start()

    def put(self, pieces: list[memoryview]) -> None:
        """Send these pieces, unless closed; wait while the host has too much before it."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._waiting) < _BLOCKS or not self._open)
            if self._open:
                self._waiting.append(pieces)
                self._changed.notify_all()

    def close(self) -> None:
        """Send nothing more. Waits for the send under way, which the host drains or refuses."""
        with self._changed:
            self._open = False
            self._changed.notify_all()
        self._sender.join()

    def _send(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or not self._open)
                if not self._open:
                    return
                pieces = self._waiting.popleft()
                self._changed.notify_all()
            try:
                send_all(self._client, pieces)
            except OSError:  # the host has vanished; the conversation notices it as well
                with self._changed:
                    self._open = False
                    self._changed.notify_all()
                return


def send_all(client: socket.socket, pieces: list[memoryview]) -> None:
    """Send pieces in one call of the kernel's if it takes them all, and without a copy."""
    if len(pieces) > _PIECES_MAX:
        pieces = [memoryview(b"".join(pieces))]
    sent = client.sendmsg(pieces)
    for piece in pieces:
        if sent >= len(piece):
            sent -= len(piece)
        else:
            client.sendall(piece[sent:])
            sent = 0
