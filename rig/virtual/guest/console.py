# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest's serial console: watched for what ends a run, kept for the last words."""

from __future__ import annotations

import re
import threading
from collections import deque
from typing import IO

READY = "rig-guest: ready"
FAILED = "rig-guest: failed: "
_PANIC = "Kernel panic"
_KEEP_LINES = 40
_MAX_LINE_BYTES = 4096
_NOISE = re.compile(r"^\[ *[0-9.]+\] |\x1b\[[0-9;?]*[a-zA-Z]")


class Console:
    """Reads a stream to its end, on a thread of its own."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lines: deque[str] = deque(maxlen=_KEEP_LINES)
        self.ready = False
        """The guest's agent is about to start."""
        self.fault = ""
        """The reason why the guest cannot go on, or ""."""
        self._thread = threading.Thread(target=self._read, name="console", daemon=True)
        self._thread.start()

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines so far."""
        return tuple(self._lines)

    def last_words(self, timeout_s: float) -> str:
        """The fault, or else the last line; for a guest that has ended, once all is read."""
        self._thread.join(timeout_s)
        return self.fault or (self._lines[-1] if self._lines else "")

    def _read(self) -> None:
        while line := self._stream.readline(_MAX_LINE_BYTES):
            self._look(_NOISE.sub("", line.decode("ascii", "replace").strip()))

    def _look(self, line: str) -> None:
        if not line:
            return
        self._lines.append(line)
        if line.startswith(READY):
            self.ready = True
        elif not self.fault and _PANIC in line:
            self.fault = line[line.index(_PANIC) :]
        elif not self.fault and line.startswith(FAILED):
            self.fault = line.removeprefix(FAILED)
