# SPDX-License-Identifier: GPL-3.0-or-later
"""A serial port that is read as bytes come: one call of the system's for all that is there.

pyserial opens and sets it. Its own `read` looks at port and clock again for every part of a reply,
which took more time than all else that a host does with the captures of a train.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import termios
from typing import Final

import serial

from rig.closing import Closing

READ_BYTES = 1 << 12
_IN_USE: Final = "another program uses it: end that one, then try again"
_OBSTACLES: Final = {
    errno.ENOENT: "there is no such port: plug the board in; `rig doctor` lists ports",
    errno.EACCES: "no permission: sudo usermod -aG dialout $USER, then log in again",
    errno.EAGAIN: _IN_USE,
    errno.EBUSY: _IN_USE,
    errno.ENOTTY: "this is no serial port; `rig doctor` lists ports",
}
"""What keeps a port from being opened, by the system's error."""


class SerialPort(Closing):
    """A serial port with eight bits, no parity, nobody else's meanwhile.

    All methods raise OSError and termios.error, as pyserial does.
    """

    def __init__(self, device: str, baud: int, write_timeout_s: float) -> None:
        """Open the port. Raises ValueError, too, for a name or a rate that cannot be."""
        self._serial = serial.Serial(device, baud, write_timeout=write_timeout_s, exclusive=True)
        with contextlib.suppress(ValueError, OSError):
            # An FTDI chip keeps what it receives for 16 ms otherwise; others know nothing of it.
            self._serial.set_low_latency_mode(True)
        self._poll = select.poll()
        self._poll.register(self._serial.fileno(), select.POLLIN)

    @property
    def is_open(self) -> bool:
        """Whether the port is open, until `close`."""
        return bool(self._serial.is_open)

    def read(self, timeout_s: float) -> bytes:
        """Read what has arrived; wait for it if there is nothing; return b"" if nothing came."""
        descriptor = self._serial.fileno()
        if not self._poll.poll(timeout_s * 1000):
            return b""
        try:
            data = os.read(descriptor, READ_BYTES)
        except BlockingIOError:  # somebody else took it
            return b""
        if not data:  # ready, and nothing there: a device that was unplugged
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return data

    def write(self, data: bytes) -> None:
        """Write all of it; wait for room as long as the port was opened with."""
        try:
            sent = os.write(self._serial.fileno(), data)
        except BlockingIOError:
            sent = 0
        if sent < len(data):
            self._serial.write(data[sent:])

    def close(self) -> None:
        """Close the port; may be called twice."""
        self._serial.close()


def reason(error: Exception) -> str:
    """Return the system's own error text; pyserial repeats port and number around it."""
    number = _errno(error)
    return os.strerror(number) if number else str(error)


def obstacle(error: Exception) -> str:
    """Return why a port cannot be opened, and what to do."""
    return _OBSTACLES.get(_errno(error)) or reason(error)


def _errno(error: Exception) -> int:
    """Return the system's number of an error; 0 if it has none."""
    cause = error.__context__ if isinstance(error.__context__, termios.error) else error
    first = cause.args[0] if cause.args else 0
    return getattr(cause, "errno", None) or (first if isinstance(first, int) else 0)
