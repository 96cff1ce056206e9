# SPDX-License-Identifier: GPL-3.0-or-later
"""Standard output and standard error of a command: what reaches a terminal, and what if it cannot.

All that a command prints passes through here. Text is escaped (rig/printable.py), except what a
console of rich has styled: that one escapes the text before it adds its own codes. A stream that
is full or closed never ends a command in the middle of a run: what is lost is remembered, and told
at the end by one line and the exit code.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from rig.printable import printable, printable_lines

LOST_EXIT_CODE = 5
"""The exit code of a command that did its work, but not all of whose output arrived."""
_STANDARD = 3


class GuardedStream:
    """A text stream that escapes what is written and never raises for what cannot be written.

    Everything else is that of the stream behind it.
    """

    def __init__(self, stream: TextIO | None, name: str) -> None:
        self._stream = stream
        self._name = name
        self._lost = ""
        self.styled = StyledStream(self)
        """The stream for text that is escaped already, with a terminal's codes in it."""

    def write(self, text: str) -> int:
        """Write escaped text; what cannot be written is lost, and `lost` has the reason."""
        self.write_escaped(printable_lines(text))
        return len(text)

    def write_escaped(self, text: str) -> None:
        """Write text as it is."""
        if self._lost:
            return
        try:
            if self._stream is None:
                raise ValueError("is closed")
            self._stream.write(self._encodable(text))
        except (OSError, ValueError) as error:
            self._failed(error)

    def writelines(self, lines: list[str]) -> None:
        """Write lines one after the other."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hand over what was written; what cannot be is lost."""
        if self._lost or self._stream is None:
            return
        try:
            self._stream.flush()
        except (OSError, ValueError) as error:
            self._failed(error)

    @property
    def lost(self) -> str:
        """The reason why not all output arrived; "" if it did."""
        return self._lost

    def _failed(self, error: Exception) -> None:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        self._lost = f"{self._name}: not all of it was written ({reason})"
        if self._stream is not None:
            _drop_rest(self._stream)

    def _encodable(self, text: str) -> str:
        """Escape what the stream's encoding lacks too, such as that of an old locale."""
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        try:
            text.encode(encoding)
        except UnicodeEncodeError:
            return text.encode(encoding, "backslashreplace").decode(encoding)
        return text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class StyledStream:
    """The stream that a console of rich writes to, see GuardedStream."""

    def __init__(self, guarded: GuardedStream) -> None:
        self._guarded = guarded

    def write(self, text: str) -> int:
        """Write text as it is."""
        self._guarded.write_escaped(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream behind it."""
        self._guarded.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._guarded, name)


def _drop_rest(stream: TextIO) -> None:
    """Drop what is left in the buffer: the interpreter would try again as it ends."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        stream.flush()


@contextmanager
def guarded_streams() -> Iterator[tuple[GuardedStream, GuardedStream]]:
    """Guard standard output and standard error for a command; yield both."""
    before = sys.stdout, sys.stderr
    out = GuardedStream(sys.stdout, "standard output")
    errors = GuardedStream(sys.stderr, "standard error")
    sys.stdout, sys.stderr = out, errors
    try:
        yield out, errors
    finally:
        out.flush()
        errors.flush()
        sys.stdout, sys.stderr = before


def fill_standard_descriptors() -> None:
    """Give descriptors 0 to 2 that are closed to the null device.

    Else the next file opened, a run file too, would get the number that libraries print to.
    """
    for number in range(_STANDARD):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one


def say(text: object = "", *, error: bool = False, end: str = "\n", flush: bool = False) -> None:
    """Print one line, on standard error if `error` (or progress); its line breaks are escaped."""
    say_lines(printable(str(text)), error=error, end=end, flush=flush)


def say_lines(text: str, *, error: bool = False, end: str = "\n", flush: bool = False) -> None:
    """Print a text of several lines, of this program's own words."""
    stream = sys.stderr if error else sys.stdout
    stream.write(f"{text}{end}")
    if flush:
        stream.flush()
