# SPDX-License-Identifier: GPL-3.0-or-later
"""The analyzer during a step: every edge on every channel, kept while other things are done."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from calibration.context import StepContext
from rig.errors import BenchError
from rig.instruments import (
    CaptureEnd,
    CaptureItem,
    EdgeBlock,
    Int64Array,
    Loss,
    LossKind,
    SamplesTaken,
    UInt8Array,
)

FIRST_S = 10.0
"""The first samples of a capture come within this."""
PATIENCE_S = 3.0
"""An analyzer that is this much behind its rate is not waited for."""
END_S = 10.0
EDGES_MAX = 4_000_000
"""A floating input can make any number of edges; more than these are not kept."""


@dataclass(frozen=True)
class Recording:
    """What a capture held. Edges in order of (index, channel), as in rig.instruments.EdgeBlock."""

    index: Int64Array
    """Shape (n,), sample indexes from 0."""
    channel: UInt8Array
    level: UInt8Array
    first_levels: int
    """Bit mask of the levels of sample 0."""
    samples: int
    losses: tuple[Loss, ...]
    """Signs that samples are missing."""

    def of_channel(self, channel: int) -> tuple[Int64Array, UInt8Array]:
        """Indexes and levels of one channel's edges."""
        mine = self.channel == channel
        return self.index[mine], self.level[mine]


class Listener:
    """A capture under way. Use `listening`; call `pump` between other things."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._analyzer = context.bench.analyzer
        self._blocks: list[EdgeBlock] = []
        self._edges = 0
        self._full = False
        self._losses: list[Loss] = []
        self._ended = False
        self.samples = 0

    def begin(self) -> None:
        """Start, and wait for the first samples. Raises BenchError."""
        self._analyzer.start()
        deadline_s = time.monotonic() + FIRST_S
        while not self.samples:
            self._context.check_stop()
            self._take(self._analyzer.read(0.1))
            if self._ended or time.monotonic() > deadline_s:
                raise BenchError(
                    f"{self._analyzer.identity.driver}: no samples came; "
                    "disconnect the analyzer, connect it again, and try once more"
                )

    def pump(self) -> None:
        """Take all that has come so far."""
        while (item := self._analyzer.read(0)) is not None:
            self._take(item)

    def read_until(self, samples: int) -> None:
        """Take samples until there are so many, or the analyzer turns out to be much slower."""
        best, since_s = self.samples, time.monotonic()
        deadline_s = since_s + PATIENCE_S
        while self.samples < samples and not self._ended:
            self._context.check_stop()
            self._take(self._analyzer.read(0.1))
            now_s = time.monotonic()
            # A host that is short of time gets more of it as long as samples flow at full rate.
            rate_hz = self._analyzer.identity.sample_rate_hz
            if self.samples - best >= rate_hz * (now_s - since_s) / 10 and now_s > since_s + 0.5:
                best, since_s, deadline_s = self.samples, now_s, now_s + PATIENCE_S
            if now_s > deadline_s:
                return

    def end(self) -> Recording:
        """Stop; all that was heard. Raises BenchError if the analyzer does not end."""
        self.close()
        blocks = self._blocks
        empty = np.empty(0, np.int64)
        return Recording(
            index=np.concatenate([b.index for b in blocks]) if blocks else empty,
            channel=np.concatenate([b.channel for b in blocks]) if blocks else empty.astype("u1"),
            level=np.concatenate([b.level for b in blocks]) if blocks else empty.astype("u1"),
            first_levels=blocks[0].levels_before if blocks else 0,
            samples=self.samples,
            losses=tuple(self._losses),
        )

    def close(self) -> None:
        """Stop and read to the end, so that the analyzer can begin again."""
        self._analyzer.stop()
        deadline_s = time.monotonic() + END_S
        while not self._ended and time.monotonic() < deadline_s:
            self._take(self._analyzer.read(0.1))

    def _keep(self, block: EdgeBlock) -> None:
        """The first blocks until there are too many edges, which is told once."""
        if self._full:
            return
        self._full = bool(self._blocks) and self._edges + len(block.index) > EDGES_MAX
        if self._full:
            text = f"more than {EDGES_MAX} edges; is an input hanging free, or a signal ringing?"
            self._losses.append(Loss(LossKind.BACKLOG, block.start_sample, text))
            return
        self._blocks.append(block)
        self._edges += len(block.index)

    def _take(self, item: CaptureItem | None) -> None:
        match item:
            case EdgeBlock():
                self._keep(item)
                self.samples = item.end_sample
            case Loss():
                self._losses.append(item)
            case CaptureEnd():
                self._ended = True
            case SamplesTaken():
                raise BenchError(
                    "a calibration goes on by the edges it sees, and this analyzer shows them only "
                    "at the end; calibrate with an analyzer of libsigrok"
                )


@contextmanager
def listening(context: StepContext) -> Iterator[Listener]:
    """A capture that is ended on every path. Raises BenchError."""
    listener = Listener(context)
    listener.begin()
    try:
        yield listener
    finally:
        listener.close()
