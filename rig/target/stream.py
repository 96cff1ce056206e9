# SPDX-License-Identifier: GPL-3.0-or-later
"""Byte streams to an agent, over which the line protocol runs."""

from __future__ import annotations

import socket
from abc import abstractmethod
from typing import Self

from rig.closing import Closing
from rig.errors import BenchError

CONNECT_TIMEOUT_S = 5.0
CHUNK = 1 << 16
"""The most bytes that are read at a time."""


class StreamLost(Exception):  # noqa: N818 - not for the user: the link makes it a BenchError
    """The stream has ended or failed; its text says why and what to do, without naming the peer."""


class ByteStream(Closing):
    """A two-way stream of bytes. One thread at a time."""

    name: str
    """The name of the peer, for messages: `tcp:HOST:PORT`, `ssh:HOST`, `serial:DEVICE`."""
    greeting_timeout_s: float = 10.0
    """The longest time from opening it to the agent's first answer."""
    strangers_first: bool = False
    """Whether other text may precede the agent's first answer: boot messages, a shell's words."""
    bytes_per_s: float | None = None
    """The most that it carries; None: not known."""
    may_lose: bool = False
    """Whether what is sent before the agent listens is lost, so that it must be sent again."""

    @abstractmethod
    def read(self, timeout_s: float) -> bytes:
        """Read at least one byte.

        Raises:
            TimeoutError: none came in time.
            StreamLost: none will come any more.
        """

    @abstractmethod
    def write(self, data: bytes, timeout_s: float) -> None:
        """Write all of it. Raises as `read`."""


class SocketStream(ByteStream):
    """A connected socket."""

    def __init__(self, name: str, connection: socket.socket) -> None:
        self.name = name
        self._socket = connection

    @classmethod
    def connect(cls, host: str, port: int) -> Self:
        """Connect to an agent that listens on TCP. Raises BenchError if none does."""
        name = f"tcp:{host}:{port}"
        try:
            return cls(name, socket.create_connection((host, port), CONNECT_TIMEOUT_S))
        except OSError as error:
            raise BenchError(
                f"target {name}: no connection ({error.strerror or error}); is the agent "
                "running there, and is the port right?"
            ) from None

    def read(self, timeout_s: float) -> bytes:
        """Read as `ByteStream.read`."""
        try:
            self._socket.settimeout(timeout_s)
            data = self._socket.recv(CHUNK)
        except TimeoutError:
            raise
        except OSError as error:
            raise _closed(error) from None
        if not data:
            raise _closed(None)
        return data

    def write(self, data: bytes, timeout_s: float) -> None:
        """Write as `ByteStream.write`."""
        try:
            self._socket.settimeout(timeout_s)
            self._socket.sendall(data)
        except TimeoutError:
            raise
        except OSError as error:
            raise _closed(error) from None

    def close(self) -> None:
        """Close the socket; may be called twice and never raises."""
        self._socket.close()


def _closed(error: OSError | None) -> StreamLost:
    why = f" ({error.strerror or error})" if error else ""
    return StreamLost(f"the agent closed the connection{why}; check the target")
