# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m gui.engine`: one job from standard input, messages on standard output.

The first line is the job, a JSON object; "stop" on a line of its own, the end of standard input
(the window is gone) and SIGTERM end the run in order, and its file is kept.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator

from gui.engine.job import measure
from gui.engine.messages import Message
from gui.engine.outcome import FAILED
from gui.engine.publisher import Publisher
from gui.engine.request import job_of
from rig.errors import RefusedError, RigError

LINE_MAX = 1 << 16


def main() -> int:
    """Carry out one job; the exit code says only whether messages told how it ended."""
    stop = threading.Event()
    # Ctrl-C at the terminal reaches the window too, which asks for the end in its own way.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    pipe = _own_output()
    lines = _lines()
    line = next(lines, b"")
    if not line:
        return 0
    threading.Thread(target=_listen, args=(lines, stop), name="listener", daemon=True).start()
    with Publisher(pipe, stop) as publisher:
        try:
            measure(job_of(json.loads(line)), publisher, stop)
        except RigError as error:
            refused = isinstance(error, RefusedError)
            fields = {"message": str(error), "details": "", "refused": refused}
            publisher.send(Message(FAILED, fields))
        except Exception as error:  # noqa: BLE001 - whatever it is, the window has to be told
            message = f"the measuring process met an error of its own: {error!r}"
            details = traceback.format_exc()
            publisher.send(Message(FAILED, {"message": message, "details": details}))
    return 0


def _own_output() -> int:
    """Standard output for messages alone: what else prints goes to standard error."""
    pipe = os.dup(1)
    os.dup2(2, 1)
    return pipe


def _lines() -> Iterator[bytes]:
    """Of standard input. Unbuffered: a reader's lock would be held when the interpreter ends."""
    heard = b""
    while piece := os.read(0, LINE_MAX):
        *lines, heard = (heard + piece).split(b"\n")
        yield from lines
        heard = heard[:LINE_MAX]


def _listen(lines: Iterator[bytes], stop: threading.Event) -> None:
    for line in lines:
        if line.strip() == b"stop":
            stop.set()
    stop.set()


if __name__ == "__main__":
    sys.exit(main())
