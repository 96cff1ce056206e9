# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's end of the capture worker: its process and its three pipes."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from rig.capture import frames, worker

_READ_BYTES = 1 << 16
"""The bytes of the worker's standard error that are read at once."""
_READ_FRAMES = 16
"""The frames read at once: a reader gets to see what came, however much follows."""
_MAX_LINE_BYTES = 500
_EXIT_S = 2.0


@dataclass(frozen=True)
class Frame:
    """A message of the worker."""

    kind: frames.FrameKind
    payload: bytearray

    @property
    def text(self) -> str:
        """The payload of a frame that carries text."""
        return self.payload.decode("utf-8", "replace")


@dataclass(frozen=True)
class Warned:
    """A line on the worker's standard error, cut if it is long."""

    text: str


@dataclass(frozen=True)
class Gone:
    """The last message: the worker has ended."""

    text: str


Message = Frame | Warned | Gone


class WorkerLink:
    """A link that starts a worker and talks with it."""

    def __init__(
        self, spec: worker.WorkerSpec, environment: Mapping[str, str] | None = None
    ) -> None:
        """`environment`: what the worker has there beside this process's own."""
        self.spec = spec
        self._environment = environment
        # -P: nothing in the current directory may stand in for a module.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", worker.__name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **(environment or {})},
            start_new_session=True,  # Ctrl-C is for the controller, which then stops the capture
        )
        if not (self._process.stdin and self._process.stdout and self._process.stderr):
            raise AssertionError("Popen was asked for three pipes")
        self._commands = self._process.stdin
        self._frames = self._process.stdout
        self._errors = self._process.stderr
        os.set_blocking(self._errors.fileno(), False)
        os.set_blocking(self._frames.fileno(), False)
        self._poll = select.poll()
        self._poll.register(self._frames, select.POLLIN)
        self._poll.register(self._errors, select.POLLIN)
        self._reader = frames.FrameReader()
        self._line = b""
        self._errors_ended = False
        self._gone: Gone | None = None
        self.send(json.dumps(asdict(spec)).encode() + b"\n")

    @property
    def pid(self) -> int:
        """The process id of the worker."""
        return self._process.pid

    def again(self) -> WorkerLink:
        """Start another worker like this one."""
        return WorkerLink(self.spec, self._environment)

    def send(self, command: bytes) -> None:
        """Send a command; a worker that has ended takes none, and `receive` returns its end."""
        with contextlib.suppress(OSError, ValueError):
            self._commands.write(command)

    def receive(self, timeout_s: float) -> list[Message]:
        """Return the worker's messages; empty if none came in time. After Gone, Gone again.

        A warning that was printed before a frame was sent comes before that frame.
        """
        if self._gone is not None:
            return [self._gone]
        ready = {descriptor for descriptor, _ in self._poll.poll(max(0.0, timeout_s * 1000))}
        frames_ready = self._frames.fileno() in ready
        messages: list[Message] = []
        trouble = ""
        try:
            for frame in self._read() if frames_ready else ():
                messages.append(frame)  # those before the damage count
        except frames.FrameError as error:
            self.kill()
            trouble = f"the capture process was ended, as it sent {error}"
        except EOFError:
            trouble = "the capture process ended"
        # Read after the frames and put before them: it may have been printed before they were sent.
        warnings: list[Message] = list(self._warnings()) if ready else []
        return [*warnings, *messages, *(self._end(trouble) if trouble else ())]

    def _read(self) -> Iterator[Frame]:
        """Yield the frames that have come. Raises EOFError at the pipe's end, FrameError."""
        whole = 0
        while whole < _READ_FRAMES:
            try:
                count = os.readv(self._frames.fileno(), [self._reader.room()])
            except BlockingIOError:
                return
            if not count:
                raise EOFError
            if (frame := self._reader.filled(count)) is not None:
                whole += 1
                yield Frame(*frame)

    def kill(self) -> None:
        """End the worker at once."""
        self._process.kill()

    def close(self) -> None:
        """End the worker, by force if need be, and reap it. May be called twice."""
        with contextlib.suppress(OSError):
            self._commands.close()
        self._reap()
        self._frames.close()
        self._errors.close()
        self._gone = self._gone or Gone("the capture process was closed")

    def _reap(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_S)
            return
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_EXIT_S)  # a process stuck in the kernel cannot be reaped

    def _end(self, what: str) -> Iterator[Message]:
        self._reap()
        yield from self._warnings()
        self._gone = Gone(f"{what} ({_status_text(self._process.returncode)})")
        yield self._gone

    def _warnings(self) -> Iterator[Warned]:
        try:
            data = os.read(self._errors.fileno(), _READ_BYTES)
        except BlockingIOError:
            return
        if not data and not self._errors_ended:
            self._errors_ended = True
            self._poll.unregister(self._errors)
        *lines, rest = (self._line + data).split(b"\n")
        self._line = rest[:_MAX_LINE_BYTES]
        for line in lines:
            text = line[:_MAX_LINE_BYTES].decode("utf-8", "replace").removeprefix("sr: ").strip()
            if text:
                yield Warned(text)


def _status_text(status: int | None) -> str:
    if status is None:
        return "it cannot be killed"
    if status >= 0:
        return f"exit status {status}"
    return f"killed by {signal.Signals(-status).name}"
