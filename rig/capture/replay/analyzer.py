# SPDX-License-Identifier: GPL-3.0-or-later
"""A stored capture as an analyzer."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

from rig.capture.replay.capture_file import CaptureSource
from rig.closing import Closing
from rig.errors import InputError
from rig.instruments import (
    AnalyzerIdentity,
    Backlog,
    CaptureEnd,
    CaptureItem,
    EdgeBlock,
    Loss,
    LossKind,
)

_PAUSE_S = 0.01
_PATIENCE_S = 2.0
"""The time after the train's end by which a host has stopped, unless it waits in vain."""


class ReplayAnalyzer(Closing):
    """Implements rig.instruments.Analyzer: gives a source's items as fast as they are read.

    An analyzer ends when it is asked to. So the stored end is held back until `stop`, unless the
    host goes on reading after the train: then the capture is too short for what is asked of it.
    """

    identity: AnalyzerIdentity

    def __init__(
        self, source: CaptureSource, train_over: threading.Event, backlog: Backlog
    ) -> None:
        """`train_over` is set once the stimulus has nothing more to come.

        `backlog` is what the capture had when it was made: a stored one waits for its reader.
        """
        self.backlog = backlog
        self.identity = source.identity
        self._source = source
        self._train_over = train_over
        self._items: Iterator[CaptureItem] = iter(())
        self._end: CaptureEnd | None = None
        self._stopped = False
        self._gave_up = False
        self._over_since_s: float | None = None
        self._samples = 0
        """The number of samples read so far."""

    def start(self) -> None:
        """Begin again from sample 0."""
        self._items = self._source.items()
        self._end, self._over_since_s, self._samples = None, None, 0
        self._stopped = self._gave_up = False

    def read(self, timeout_s: float) -> CaptureItem | None:
        """Return the next item; None after the end, and while the end is held back.

        Raises InputError for what cannot be read; what follows is the end of the capture there.
        """
        if self._end is None:
            item = self._next()
            if not isinstance(item, CaptureEnd):
                return item
            self._end = item
        if self._stopped or self._gave_up:
            end, self._end = self._end, None
            return CaptureEnd(end.samples, asked=self._stopped)
        return self._wait(self._end, timeout_s)

    def _next(self) -> CaptureItem | None:
        try:
            item = next(self._items, None)
        except InputError:
            self._items = iter((CaptureEnd(self._samples, asked=False),))
            raise
        if isinstance(item, EdgeBlock):
            self._samples = item.end_sample
        return item

    def _wait(self, end: CaptureEnd, timeout_s: float) -> Loss | None:
        time.sleep(min(timeout_s, _PAUSE_S))
        if self._train_over.is_set():
            now_s = time.monotonic()
            self._over_since_s = self._over_since_s or now_s
            self._gave_up = now_s - self._over_since_s >= _PATIENCE_S
        if not self._gave_up:
            return None
        text = "the stored capture is shorter than the plan's response timeout asks"
        return Loss(LossKind.END_UNASKED, end.samples, text)

    def stop(self) -> None:
        """Note the wish to end; what is left of the capture still comes."""
        self._stopped = True

    def close(self) -> None:
        """Leave the source open, which belongs to whoever opened it."""
        self._items = iter(())
        self._end = None
