# SPDX-License-Identifier: GPL-3.0-or-later
"""A child process whose standard input and output are a stream, its standard error its last words.

Everything is polled from the caller's thread, and standard error is read whenever anything is: a
child that complains at length is never held up, and nothing is left to join when it ends. What it
left behind in the background (a shared connection of ssh's) may hold standard error open for ever,
so nothing waits for that to end.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from typing import IO

from rig.closing import Closing
from rig.errors import BenchError
from rig.target.stream import CHUNK

_WORDS_MAX = 1 << 14
"""The bytes kept of standard error: the last ones."""
_SHOWN_MAX = 300
_END_S = 2.0
"""The time to end by itself, then to end when asked to."""


class ChildEnded(Exception):  # noqa: N818 - how every child ends, sooner or later
    """The child closed its standard output, or does not read its input any more."""


class Child(Closing):
    """A process started from an argument list, in a session of its own: Ctrl-C does not reach it.

    If this process dies the child sees the end of its standard input.
    """

    def __init__(self, words: Sequence[str]) -> None:
        """Start it. Raises BenchError if there is no such program."""
        self._words = bytearray()
        try:
            self._process = subprocess.Popen(
                list(words),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # ValueError: a word with a null character
            why = getattr(error, "strerror", None) or error
            remedy = "is it installed?" if isinstance(error, FileNotFoundError) else "try others"
            raise BenchError(f"{words[0]}: cannot be started ({why}); {remedy}") from None
        self._in = _pipe(self._process.stdin)
        self._out = _pipe(self._process.stdout)
        self._err = _pipe(self._process.stderr)
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe.fileno(), False)

    def read(self, timeout_s: float) -> bytes:
        """Read at least one byte of its output. Raises TimeoutError, ChildEnded."""
        self._wait(self._out.fileno(), selectors.EVENT_READ, time.monotonic() + timeout_s)
        data = os.read(self._out.fileno(), CHUNK)
        if not data:
            raise ChildEnded
        return data

    def write(self, data: bytes, timeout_s: float) -> None:
        """Write all of it to its input. Raises TimeoutError, ChildEnded; also if it was closed."""
        if self._in.closed:
            raise ChildEnded
        deadline_s = time.monotonic() + timeout_s
        rest = memoryview(data)
        while rest:
            self._wait(self._in.fileno(), selectors.EVENT_WRITE, deadline_s)
            try:
                rest = rest[os.write(self._in.fileno(), rest) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise ChildEnded from None

    def end_input(self) -> None:
        """Close its input."""
        with contextlib.suppress(OSError):
            self._in.close()

    def end(self, timeout_s: float = _END_S) -> int | None:
        """Return its exit status if it ends in this time (negative: the signal that ended it)."""
        try:
            return self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            self._listen()

    @property
    def errors(self) -> str:
        """The end of its standard error."""
        return self._words.decode("utf-8", "replace")

    @property
    def last_words(self) -> str:
        """The end of its standard error as one line, cut to fit a message."""
        lines = [line.strip() for line in self.errors.splitlines() if line.strip()]
        said = "; ".join(lines)
        return said if len(said) <= _SHOWN_MAX else "..." + said[-_SHOWN_MAX:]

    def close(self) -> None:
        """Let it end, or make it end, and reap it. May be called twice; never raises."""
        self.end_input()
        with contextlib.suppress(OSError):
            self._out.close()
        for stop in (None, signal.SIGTERM, signal.SIGKILL):
            if stop is not None:
                self._process.send_signal(stop)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)
                break
        with contextlib.suppress(OSError):
            self._err.close()

    def _wait(self, descriptor: int, event: int, deadline_s: float) -> None:
        """Wait until this pipe is ready, reading standard error meanwhile."""
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            selector.register(self._err, selectors.EVENT_READ)
            while True:
                ready = selector.select(max(0.0, deadline_s - time.monotonic()))
                if not ready:
                    raise TimeoutError
                for key, _ in ready:
                    if key.fd == self._err.fileno() and not self._listen():
                        selector.unregister(self._err)
                if any(key.fd == descriptor for key, _ in ready):
                    return

    def _listen(self) -> bool:
        """Take what is there of standard error; return False at its end."""
        while not self._err.closed:
            try:
                data = os.read(self._err.fileno(), CHUNK)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._words += data
            del self._words[:-_WORDS_MAX]
        return False


def _pipe(file: IO[bytes] | None) -> IO[bytes]:
    if file is None:  # never: all three were asked for
        raise BenchError("no pipe to a child process")
    return file
