# SPDX-License-Identifier: GPL-3.0-or-later
"""The serial line to the stimulus: SCPI lines, and IEEE 488.2 blocks with a CRC."""

from __future__ import annotations

import binascii
import os
import termios
import threading
import time
from typing import NoReturn

from rig.errors import BenchError
from rig.stimulus.port import SerialPort

BAUD = 500_000
REPLY_TIMEOUT_S = 5.0
"""The time for a reply of a busy emulator; the firmware itself answers within 20 ms."""

_POLL_S = 0.05
_ASK_AGAIN_S = 0.5
_LINE_MAX = 1024
_BLOCK_MAX = 4096
_CRC_BYTES = 2
_NO_ERROR = '0,"No error"'
_UNKNOWN = "-113,"
"""The error of an undefined header, in SCPI."""


class ScpiLink:
    """One serial port, one exchange at a time.

    Opening the port raises DTR, which resets an Arduino: so it is opened once and kept. Any
    thread may call; a lock makes the others wait until an exchange is complete.
    """

    def __init__(self, port: str, reply_timeout_s: float = REPLY_TIMEOUT_S) -> None:
        """Open the port.

        Args:
            port: the serial port's device file.
            reply_timeout_s: longest time for a reply for which the firmware need not wait.

        Raises:
            BenchError: it does not exist, is in use or may not be opened.
        """
        self.port = port
        self._reply_timeout_s = reply_timeout_s
        self._lock = threading.Lock()
        self._received = bytearray()
        self._known = False
        """Whether the firmware has greeted: to anything else nothing is sent but the question."""
        try:
            self._serial = SerialPort(port, BAUD, reply_timeout_s)
        except (OSError, ValueError, termios.error) as error:
            raise BenchError(
                f"{port}: the stimulus's serial port cannot be opened ({_reason(error)}); check "
                "that it is plugged in, that no other program uses it, and that you are in group "
                "dialout"
            ) from error

    def close(self) -> None:
        """Stop a train that may be running, as far as the line still works, and close the port."""
        if not self._serial.is_open:
            return
        try:
            if self._known:
                self._serial.write(b"\nABOR\n")
        except (OSError, termios.error):
            pass  # the line is gone, and with it what could be stopped
        finally:
            self._serial.close()

    def write(self, line: str) -> None:
        """Send one line that has no reply."""
        with self._lock:
            self._send(line)

    def query(self, line: str) -> str:
        """Send one line and return the line that answers it."""
        with self._lock:
            self._send(line)
            return self._read_line(line, self._deadline())

    def query_if_known(self, line: str) -> str | None:
        """Query as `query`, but return None from a firmware without this line.

        Raises:
            BenchError: the firmware refuses it for another reason.
        """
        with self._lock:
            self._send(f"{line}\nSYST:ERR?")
            reply = self._read_line(line, self._deadline())
            if reply.startswith(_UNKNOWN):
                return None
            error = self._read_line(line, self._deadline())
        if error != _NO_ERROR:
            raise BenchError(f"{self.port}: the stimulus refused {line!r}: {error}")
        return reply

    def command(self, line: str) -> None:
        """Send one line that has no reply and ask how it went.

        Raises:
            BenchError: the firmware refused it; the text has its SCPI error.
        """
        with self._lock:
            self._send(f"{line}\nSYST:ERR?")
            error = self._read_line(line, self._deadline())
        if error != _NO_ERROR:
            raise BenchError(f"{self.port}: the stimulus refused {line!r}: {error}")

    def query_block(self, line: str, wait_s: float) -> bytes:
        """Send one line and return the payload of the block that answers it, its CRC removed.

        Args:
            line: the query.
            wait_s: how long the firmware may wait before it replies.

        Raises:
            BenchError: the reply is no block, is too long, or its CRC is wrong.
        """
        with self._lock:
            self._send(line)
            deadline = self._deadline() + wait_s
            head = self._read(2, line, deadline)
            if head[:1] != b"#" or head[1:] not in (b"1", b"2", b"3", b"4"):
                self._refuse(line, head)
            digits = self._read(int(head[1:]), line, deadline)
            if not digits.isdigit() or not _CRC_BYTES <= int(digits) <= _BLOCK_MAX:
                self._refuse(line, head + digits)
            block = self._read(int(digits) + 1, line, deadline)
        payload, crc = block[: -1 - _CRC_BYTES], block[-1 - _CRC_BYTES : -1]
        if block[-1:] != b"\n" or binascii.crc_hqx(payload, 0).to_bytes(2, "little") != crc:
            raise BenchError(
                f"{self.port}: the reply to {line!r} was damaged on the serial line (wrong CRC); "
                "check cable and ground"
            )
        return payload

    def synchronize(self, timeout_s: float, greeting: str) -> None:
        """Get in step with a firmware that may be starting, running or in the middle of a reply.

        A chip that was reset by the opening of its port says `greeting` when it is up; one that
        was running already (a pty resets nothing) answers a query. Asking again and again covers
        both. Afterwards the chip is at its defaults and no reply is under way.

        Until it has greeted nothing but `*IDN?` is sent: power supplies and oscilloscopes sit on
        such ports, too, and `*RST` would switch their outputs.

        Raises:
            BenchError: no answer in time.
        """
        deadline = time.monotonic() + timeout_s
        with self._lock:
            while True:
                # The empty line ends one that a dead host has left half sent.
                self._send("\n*IDN?")
                pause = min(time.monotonic() + _ASK_AGAIN_S, deadline)
                if self._skip_to(greeting.encode("ascii"), pause):
                    break
                if time.monotonic() >= deadline:
                    self._silent(timeout_s)
            self._known = True
            # Replies keep their order: what comes before this one belongs to the past.
            self._send("\nABOR\n*RST\n*CLS\n*OPC?")
            deadline = self._deadline()
            while self._skip_line(deadline) != b"1":
                pass

    def _silent(self, timeout_s: float) -> NoReturn:
        said = f"; it said {bytes(self._received[:40])!r}" if self._received else ""
        raise BenchError(
            f"{self.port}: no stimulus answered within {timeout_s:g} s{said}; check that the "
            "fixture names the right port, or flash the firmware (firmware/README.md)"
        )

    def _skip_line(self, deadline: float) -> bytes:
        """Read the next line, whatever it is."""
        while (end := self._received.find(b"\n")) < 0:
            self._await("*OPC?", deadline)
        return self._read(end + 1, "*OPC?", deadline).strip()

    def _deadline(self) -> float:
        return time.monotonic() + self._reply_timeout_s

    def _send(self, line: str) -> None:
        try:
            self._serial.write(line.encode("ascii") + b"\n")
        except (OSError, termios.error) as error:
            self._lost(error)

    def _fill(self) -> None:
        """Take what has arrived, or wait a little for it."""
        try:
            self._received += self._serial.read(_POLL_S)
        except (OSError, termios.error) as error:
            self._lost(error)

    def _await(self, line: str, deadline: float) -> None:
        """Wait a little for more of the reply to `line`."""
        if time.monotonic() >= deadline:
            raise BenchError(
                f"{self.port}: the stimulus did not answer {line!r} in time; "
                "reset it and check the cable"
            )
        self._fill()

    def _read(self, count: int, line: str, deadline: float) -> bytes:
        while len(self._received) < count:
            self._await(line, deadline)
        data = bytes(self._received[:count])
        del self._received[:count]
        return data

    def _read_line(self, line: str, deadline: float) -> str:
        while (end := self._received.find(b"\n", 0, _LINE_MAX + 1)) < 0:
            if len(self._received) > _LINE_MAX:
                self._refuse(line, bytes(self._received))
            self._await(line, deadline)
        reply = self._read(end + 1, line, deadline)
        if reply.startswith(b"READY"):
            self._refuse(line, reply)
        return reply.decode("ascii", errors="replace").strip()

    def _skip_to(self, greeting: bytes, deadline: float) -> bool:
        """Drop what arrives up to a line with the greeting; return False when time is up."""
        while time.monotonic() < deadline:
            self._fill()
            del self._received[:-_BLOCK_MAX]
            begin = self._received.find(greeting)
            end = self._received.find(b"\n", begin)
            if begin >= 0 and end >= 0:
                del self._received[: end + 1]
                return True
        return False

    def _refuse(self, line: str, reply: bytes) -> NoReturn:
        if reply.startswith(b"RE"):
            raise BenchError(
                f"{self.port}: the stimulus was reset before it answered {line!r}; "
                "check its supply and its USB cable"
            )
        raise BenchError(f"{self.port}: {line!r} was answered by {reply[:40]!r}, which is no reply")

    def _lost(self, error: Exception) -> NoReturn:
        raise BenchError(
            f"{self.port}: the serial line to the stimulus is gone ({_reason(error)}); "
            "plug it in again and start anew"
        ) from error


def _reason(error: Exception) -> str:
    """Return the system's own error text; pyserial repeats port and number around it."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error)
