# SPDX-License-Identifier: GPL-3.0-or-later
"""The serial line to an agent, through pyserial."""

from __future__ import annotations

import contextlib
import termios

import serial

from rig.errors import BenchError
from rig.stimulus.port import obstacle, reason
from rig.target.stream import CHUNK, ByteStream, StreamLost

BITS_A_BYTE = 10
"""On the line: eight, a start and a stop bit."""


class SerialStream(ByteStream):
    """A serial port, eight bits, no parity, no flow control; raw, and nobody else's meanwhile."""

    strangers_first = True
    may_lose = True

    def __init__(self, device: str, baud: int) -> None:
        """Open the port. Raises BenchError."""
        self.name = f"serial:{device}"
        self.bytes_per_s = baud / BITS_A_BYTE
        try:
            self._serial = serial.Serial(device, baud, exclusive=True)
        except (OSError, ValueError, termios.error) as error:
            raise BenchError(
                f"target {self.name}: cannot be opened at {baud} baud: {obstacle(error)}"
            ) from None

    def read(self, timeout_s: float) -> bytes:
        """Read as `ByteStream.read`."""
        try:
            self._serial.timeout = timeout_s
            data = self._serial.read(1)
            if not data:
                raise TimeoutError
            return bytes(data + self._serial.read(min(self._serial.in_waiting, CHUNK)))
        except TimeoutError:
            raise
        except (OSError, termios.error) as error:
            raise _gone(error) from None

    def write(self, data: bytes, timeout_s: float) -> None:
        """Write as `ByteStream.write`."""
        try:
            self._serial.write_timeout = timeout_s
            self._serial.write(data)
        except serial.SerialTimeoutException:
            raise TimeoutError from None
        except (OSError, termios.error) as error:
            raise _gone(error) from None

    def close(self) -> None:
        """Close the port; may be called twice and never raises."""
        with contextlib.suppress(OSError, termios.error):
            self._serial.close()


def _gone(error: Exception) -> StreamLost:
    return StreamLost(f"the serial line is gone ({reason(error)}); plug it in again")
