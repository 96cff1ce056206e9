# SPDX-License-Identifier: GPL-3.0-or-later
"""The node of an emulated USB device: what a process gets that opens /dev/bus/usb/001/002.

The node is a terminal, as a process polls it for two things that usbfs gives and few other files
have: that it can be written means that a transfer is done, and is switched by stopping the
terminal's output; that it has hung up means that the device is gone. Its ioctls come on a socket,
one connection for each open file, as umockdev's library sends them (src/ioctl_tree, 0.16 on).
"""

from __future__ import annotations

import contextlib
import os
import pty
import socket
import struct
import subprocess
import termios
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Final

from rig.virtual.capture import send_all

_MESSAGE: Final = struct.Struct("=qQQ")
_CALL, _DONE, _READ, _WRITE = 1, 3, 5, 6
_SEND_BUFFER_BYTES: Final = 1 << 20
_MINUS_ONE: Final = (1 << 64) - 1
_OWNER: Final = 'exec 3<>"$0"; echo; exec cat'
"""Opens the terminal, says so, and ends when its standard input does."""


class HostFile:
    """A file that the host has open on the node, and the memory of its process."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._answer: list[memoryview] = []

    def read(self, address: int, size: int) -> bytes:
        """Read the host's memory."""
        self._connection.sendall(_MESSAGE.pack(_READ, address, size))
        return self._exactly(size)

    def write(self, address: int, *pieces: bytes | memoryview) -> None:
        """Write the host's memory, once its call returns."""
        size = sum(map(len, pieces))
        self._answer += map(memoryview, (_MESSAGE.pack(_WRITE, address, size), *pieces))

    def next_call(self) -> tuple[int, int]:
        """Wait for the host's next ioctl, and return its request and argument. Raises EOFError."""
        kind, request, argument = _MESSAGE.unpack(self._exactly(_MESSAGE.size))
        if kind != _CALL:
            raise EOFError(f"message {kind} of another version of umockdev")
        return request, argument

    def finish(self, error: int = 0, result: int = 0) -> None:
        """Let the host's call return."""
        if error:
            self._answer, result = [], _MINUS_ONE
        self._answer.append(memoryview(_MESSAGE.pack(_DONE, result, error)))
        pieces, self._answer = self._answer, []
        send_all(self._connection, pieces)

    def _exactly(self, size: int) -> bytes:
        gathered = b""
        while len(gathered) < size:
            piece = self._connection.recv(size - len(gathered))
            if not piece:
                raise EOFError
            gathered += piece
        return gathered


class NodeOwner(ABC):
    """What is behind a node. Each file is served by a thread of its own."""

    @abstractmethod
    def call(self, file: HostFile, request: int, argument: int) -> int:
        """Return the result of an ioctl. Raises OSError with its errno."""

    @abstractmethod
    def closed(self, file: HostFile) -> None:
        """Note that the host has closed a file."""


class UsbNode:
    """A node at a path, until it is unplugged."""

    def __init__(self, path: Path, socket_path: Path, owner: NodeOwner) -> None:
        self._path, self._socket_path, self._owner = path, socket_path, owner
        self._terminal, self._line = pty.openpty()
        name = os.ttyname(self._line)
        # The worker leads its session: a terminal that nobody controls would become its own when
        # it is opened, and unplugging would kill the worker by SIGHUP.
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _OWNER, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._keeper.stdout is not None  # noqa: S101 - it is a pipe
        self._keeper.stdout.readline()
        self._ready = True
        self.signal(ready=False)
        path.symlink_to(name)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(socket_path))
        self._listener.listen(8)
        threading.Thread(target=self._accept, name="USB node", daemon=True).start()

    def signal(self, *, ready: bool) -> None:
        """Tell who polls the node whether a transfer is done. From one thread at a time."""
        if ready != self._ready:
            self._ready = ready
            termios.tcflow(self._line, termios.TCOON if ready else termios.TCOOFF)

    def unplug(self) -> None:
        """Let the device vanish for all who have its node open."""
        for path in (self._path, self._socket_path):
            path.unlink(missing_ok=True)
        os.close(self._terminal)
        os.close(self._line)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._keeper.communicate()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
            threading.Thread(
                target=self._serve, args=(connection,), name="USB host", daemon=True
            ).start()

    def _serve(self, connection: socket.socket) -> None:
        file = HostFile(connection)
        with connection:
            try:
                while True:
                    request, argument = file.next_call()
                    try:
                        result = self._owner.call(file, request, argument)
                    except OSError as error:
                        file.finish(error=error.errno or 0)
                    else:
                        file.finish(result=result)
            except (EOFError, OSError):
                pass  # the host has closed the file
            finally:
                self._owner.closed(file)
