# SPDX-License-Identifier: GPL-3.0-or-later
"""The other end: the common part of the window's own processes beside their work. No Qt.

The first line of standard input is the request, a JSON object; what more lines say is the work's
affair. The end of standard input (the window is gone, or wants no more) and SIGTERM end the work
in order. Messages go to standard output, and what else prints to standard error.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gui.processes.messages import FAILED, LINE_MAX, Message, packed
from rig.errors import RefusedError, RigError

PIECE: Final = 1 << 16


class ParentWindow:
    """The window that started a process, as the process sees it."""

    def __init__(self) -> None:
        """Take over standard input and output; in the main thread."""
        self.stop = threading.Event()
        """The request that the work end in order."""
        self.requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        """The requests in further lines, as JSON has them; None once there will be no more."""
        # Ctrl-C at the terminal reaches the window too, which asks for the end in its own way.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda _number, _frame: self.stop.set())
        self._pipe = os.dup(1)
        os.dup2(2, 1)
        self._lines = _lines()

    def first_request(self) -> Mapping[str, Any] | None:
        """Return the first line and begin to read further ones; None: the window is gone."""
        line = next(self._lines, None)
        if line is None:
            return None
        threading.Thread(target=self._listen, name="requests", daemon=True).start()
        request: Mapping[str, Any] = json.loads(line)
        return request

    def send(self, message: Message) -> None:
        """Send a message; a window that reads no more ends the work."""
        left = memoryview(packed(message))
        try:
            while left:
                left = left[os.write(self._pipe, left) :]
        except OSError:
            self.stop.set()

    def _listen(self) -> None:
        for line in self._lines:
            self.requests.put(json.loads(line))
        self.stop.set()
        self.requests.put(None)


def serve(work: Callable[[Mapping[str, Any], ParentWindow], None]) -> int:
    """Do one piece of work for the window; exit code 1 if it failed, which a message tells."""
    window = ParentWindow()
    request = window.first_request()
    if request is None:
        return 0
    try:
        work(request, window)
    except RigError as error:
        refused = isinstance(error, RefusedError)
        window.send(Message(FAILED, {"text": str(error), "details": "", "refused": refused}))
    except Exception as error:  # noqa: BLE001 - whatever it is, the window has to be told
        text = f"the process met an error of its own: {error!r}"
        details = traceback.format_exc()
        window.send(Message(FAILED, {"text": text, "details": details, "refused": False}))
    else:
        return 0
    return 1


def _lines() -> Iterator[bytes]:
    """Yield the lines of standard input, unbuffered: a lock would be held when Python ends."""
    rest = b""
    while piece := os.read(0, PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > LINE_MAX:
            return
