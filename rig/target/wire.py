# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and blocks over a stream; what is wrong with the stream as one line that names the peer."""

from __future__ import annotations

import contextlib
import re
import time

from rig.closing import Closing
from rig.errors import BenchError
from rig.target.protocol import MAX_LINE
from rig.target.stream import ByteStream, StreamLost

REPLY_TIMEOUT_S = 10.0
STRANGERS_MAX = 1 << 20
"""Bytes that may come before the agent's first answer; a kernel's boot messages are some 100 kB."""

_ASK_AGAIN_S = 1.0
_SHOWN = 60


class AgentExchange(Closing):
    """One exchange at a time. Its methods raise BenchError for whatever goes wrong."""

    def __init__(self, stream: ByteStream) -> None:
        self.name = stream.name
        self.stream = stream
        self._buffer = bytearray()
        self._last = ""
        """The last line that was skipped."""

    def send(self, line: str) -> None:
        """Send one line."""
        try:
            self.stream.write(line.encode("ascii") + b"\n", REPLY_TIMEOUT_S)
        except TimeoutError:
            raise self._silent() from None
        except StreamLost as lost:
            raise self.error(str(lost)) from None

    def line(self, timeout_s: float = REPLY_TIMEOUT_S) -> str:
        """The next line, at most MAX_LINE bytes, of which none may be silent for so long."""
        while (end := self._buffer.find(b"\n", 0, MAX_LINE + 1)) < 0:
            if len(self._buffer) > MAX_LINE:
                raise self.error(f"reply longer than {MAX_LINE} bytes")
            self._fill(timeout_s)
        return _text(self._take(end + 1))

    def bytes(self, size: int) -> bytes:
        """The next `size` bytes."""
        while len(self._buffer) < size:
            self._fill()
        return bytes(self._take(size))

    def ask_until(self, question: str, wanted: re.Pattern[str], timeout_s: float) -> str:
        """Send a line, again and again where it may be lost, and skip to the answer wanted.

        The answer is what the pattern's group matches at the end of a line: others may not have
        ended theirs. What is skipped is bounded in bytes and time.
        """
        deadline_s = time.monotonic() + timeout_s
        skipped = 0
        again = self.stream.may_lose
        while (now_s := time.monotonic()) < deadline_s:
            # The empty line ends one that somebody left half typed.
            self.send(f"\n{question}" if again else question)
            until_s = min(now_s + _ASK_AGAIN_S, deadline_s) if again else deadline_s
            while (left_s := until_s - time.monotonic()) > 0:
                with contextlib.suppress(TimeoutError):
                    self._receive(left_s)
                answer, size = self._skip_to(wanted)
                skipped += size
                if answer is not None:
                    return answer
                if skipped > STRANGERS_MAX:
                    raise self.error(f"{skipped} bytes came and none were an agent's")
        said = (self._last + _text(self._buffer))[-_SHOWN:].strip()
        heard = f', only "{said}"' if said else ""
        raise self.error(
            f"no agent answered within {timeout_s:g} s{heard}; start one there "
            "(docs/how-to/bring-your-own-target.md)"
        )

    def error(self, words: str) -> BenchError:
        """An error that names the peer."""
        return BenchError(f"target {self.name}: {words}")

    def close(self) -> None:
        """Close the stream; may be called twice and never raises."""
        with contextlib.suppress(TimeoutError, StreamLost):
            self.stream.write(b"QUIT\n", 1.0)
        self.stream.close()

    def _skip_to(self, wanted: re.Pattern[str]) -> tuple[str | None, int]:
        """The first such answer in the buffer, and how many bytes were dropped on the way to it."""
        skipped = 0
        while (end := self._buffer.find(b"\n")) >= 0:
            line = _text(self._take(end + 1))
            if match := wanted.search(line):
                return match[1], skipped
            self._last = f"{line[-_SHOWN:]} "
            skipped += end + 1
        # An answer is short: of what never ends a line only the end can become one.
        excess = max(0, len(self._buffer) - MAX_LINE)
        self._take(excess)
        return None, skipped + excess

    def _take(self, size: int) -> bytearray:
        taken = self._buffer[:size]
        del self._buffer[:size]
        return taken

    def _fill(self, timeout_s: float = REPLY_TIMEOUT_S) -> None:
        try:
            self._receive(timeout_s)
        except TimeoutError:
            raise self._silent(timeout_s) from None

    def _receive(self, timeout_s: float) -> None:
        try:
            self._buffer += self.stream.read(timeout_s)
        except StreamLost as lost:
            raise self.error(str(lost)) from None

    def _silent(self, timeout_s: float = REPLY_TIMEOUT_S) -> BenchError:
        return self.error(f"no reply within {timeout_s:.0f} s; is the target hung?")


def _text(data: bytes | bytearray) -> str:
    return data.decode("ascii", "replace").strip()
