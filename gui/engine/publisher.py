# SPDX-License-Identifier: GPL-3.0-or-later
"""The sending of messages, which never keeps the measurement waiting.

A window that does not read blocks the pipe, and with it this thread, but not the run: of snapshots
only the newest waits to be sent. All other messages wait their turn.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

from gui.engine.snapshot import Snapshot
from gui.processes.messages import Message
from rig.closing import Closing


class Publisher(Closing):
    """A thread that writes messages."""

    def __init__(self, write: Callable[[Message], None]) -> None:
        """Start the thread; `write` may take as long as the window takes to read."""
        self._write = write
        self._wake = threading.Condition()
        self._queue: deque[Message] = deque()
        self._newest: Snapshot | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._write_all, name="publisher", daemon=True)
        self._thread.start()

    def send(self, message: Message) -> None:
        """Queue a message after all before it, and after the newest snapshot."""
        with self._wake:
            if self._newest is not None:
                self._queue.append(self._newest.message())
                self._newest = None
            self._queue.append(message)
            self._wake.notify()

    def snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot to be sent unless a newer one comes first."""
        with self._wake:
            self._newest = snapshot
            self._wake.notify()

    def close(self) -> None:
        """Send what waits, then end. That takes as long as the window takes to read, or to die."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join()

    def _next(self) -> Message | None:
        with self._wake:
            self._wake.wait_for(lambda: self._queue or self._newest is not None or self._closed)
            if self._queue:
                return self._queue.popleft()
            newest, self._newest = self._newest, None
        return None if newest is None else newest.message()

    def _write_all(self) -> None:
        while (message := self._next()) is not None:
            self._write(message)
