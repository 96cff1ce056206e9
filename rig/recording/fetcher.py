# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches the stimulus's captured edges while the run goes on, on a thread of its own.

The firmware holds a request until enough edges are there, so this thread mostly waits on the port.
"""

from __future__ import annotations

import threading

import numpy as np

from rig.errors import RigError
from rig.instruments import CaptureBlock, Int64Array, Stimulus, StimulusState, StimulusStatus

AT_LEAST = 64
"""Half the firmware's buffer: the other half takes what comes while this one is on its way."""
WAIT_MS = 20


class CaptureFetcher:
    """Collects captured edges until `finish`. The stimulus belongs to it meanwhile."""

    def __init__(self, stimulus: Stimulus) -> None:
        self._stimulus = stimulus
        self._lock = threading.Lock()
        self._parts: list[Int64Array] = []
        self._stop = threading.Event()
        self.done = threading.Event()
        """Set once the train has ended."""
        self.sent = 0
        """Pulses sent; valid once `done` is set."""
        self.lost = 0
        """Captured edges that the serial line has lost."""
        self.damaged = 0
        """Replies that were damaged on the serial line, and asked for again."""
        self.error: RigError | None = None
        self._thread = threading.Thread(target=self._run, name="capture fetcher", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                block = self._stimulus.fetch(AT_LEAST, WAIT_MS)
                self._keep(block)
                if not block.running and not self.done.is_set():
                    status = self._stimulus.status()
                    self.sent = status.sent
                    if status.state is not StimulusState.RUNNING:
                        self.done.set()
        except RigError as error:
            self.error = error

    def _keep(self, block: CaptureBlock) -> None:
        self.lost += block.lost
        self.damaged += block.damaged
        if len(block.ticks):
            with self._lock:
                self._parts.append(block.ticks)

    def take(self) -> Int64Array:
        """Edges fetched since the last call, shape (n,), ticks since INIT."""
        with self._lock:
            parts, self._parts = self._parts, []
        return np.concatenate([np.empty(0, np.int64), *parts])

    def finish(self) -> StimulusStatus:
        """End the thread, fetch what is left, return the final status. Raises BenchError.

        A response line that never rests captures more meanwhile: what comes after this call is
        left there.
        """
        self._stop.set()
        self._thread.join()
        if self.error is not None:
            raise self.error
        captured = self._stimulus.status().captured
        while len((block := self._stimulus.fetch(0, 0)).ticks):
            self._keep(block)
            if block.first + len(block.ticks) >= captured:
                break
        return self._stimulus.status()
