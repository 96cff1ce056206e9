# SPDX-License-Identifier: GPL-3.0-or-later
"""The serial line to the stimulus: SCPI lines, and IEEE 488.2 blocks with a CRC."""

from __future__ import annotations

import binascii
import termios
import threading
import time
from typing import NoReturn

from rig.errors import BenchError
from rig.stimulus.port import SerialPort, obstacle, reason

BAUD = 500_000
REPLY_TIMEOUT_S = 5.0
"""The time for a reply of a busy emulator; the firmware itself answers within 20 ms."""

_POLL_S = 0.05
_QUIET_S = 0.15
"""A reply that has not gone on for so long may have lost bytes; the firmware is asked for more."""
_ASK_AGAIN_S, _SETTLE_S = 0.5, 2.0
_LINE_MAX = 1024
_BLOCK_MAX = 4096
_CRC_BYTES = 2
_NO_ERROR = '0,"No error"'
_READY = b"READY "
_UNKNOWN = "-113,"
"""The error of an undefined header, in SCPI."""


class DamagedReplyError(BenchError):
    """A reply that was damaged or lost on the serial line; the next exchange is in step again."""


class ScpiLink:
    """One serial port, one exchange at a time.

    Opening the port raises DTR, which resets an Arduino: so it is opened once and kept. Any
    thread may call; a lock makes the others wait until an exchange is complete.
    """

    def __init__(self, port: str, greeting: str, reply_timeout_s: float = REPLY_TIMEOUT_S) -> None:
        """Open the port.

        Args:
            port: the serial port's device file.
            greeting: how the answer to `*IDN?` begins.
            reply_timeout_s: longest time for a reply for which the firmware need not wait.

        Raises:
            BenchError: it does not exist, is in use or may not be opened.
        """
        self.port = port
        self._reply_timeout_s = reply_timeout_s
        self._lock = threading.Lock()
        self._received = bytearray()
        self._greeting = greeting.encode("ascii")
        self._greeted = False
        """Whether it has come: before, nothing is sent but the question."""
        try:
            self._serial = SerialPort(port, BAUD, reply_timeout_s)
        except (OSError, ValueError, termios.error) as error:
            raise BenchError(
                f"{port}: the stimulus's serial port cannot be opened: {obstacle(error)}"
            ) from error

    def close(self) -> None:
        """Stop a train that may be running, as far as the line still works, and close the port."""
        if not self._serial.is_open:
            return
        try:
            if self._greeted:
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

    def resynchronize(self) -> None:
        """Get in step again after a reply that was damaged or lost; a train goes on meanwhile.

        Raises:
            BenchError: no answer in time.
        """
        with self._lock:
            self._resynchronize()

    def query_if_known(self, line: str) -> str | None:
        """Query as `query`, but return None from a firmware without this line.

        Raises:
            DamagedReplyError: the answer is not without an error.
        """
        with self._lock:
            self._send(f"{line}\nSYST:ERR?")
            reply = self._read_line(line, self._deadline())
            if reply.startswith(_UNKNOWN):
                return None
            error = self._read_line(line, self._deadline())
        if error != _NO_ERROR:
            raise DamagedReplyError(f"{self.port}: the stimulus refused {line!r}: {error}")
        return reply

    def outcome(self, line: str) -> str:
        """Send one line that has no reply; return its SCPI error, "" if there is none."""
        with self._lock:
            self._send(f"{line}\nSYST:ERR?")
            error = self._read_line(line, self._deadline())
        return "" if error == _NO_ERROR else error

    def query_block(self, line: str, wait_s: float) -> bytes:
        """Send one line and return the payload of the block that answers it, its CRC removed.

        Args:
            line: the query.
            wait_s: how long the firmware may wait before it replies.

        Raises:
            DamagedReplyError: the reply is no block, not whole, or its CRC is wrong.
            BenchError: no answer in time, or the firmware was reset.
        """
        with self._lock:
            self._send(line)
            asked = self._receive_block(line, wait_s)
            end = self._block_end(line)
            payload = _checked(bytes(self._received[:end]))
            damaged = bytes(self._received[:24])
            if payload is not None:
                del self._received[:end]
            if payload is None or asked:
                self._resynchronize(asked)
        if payload is None:
            raise DamagedReplyError(
                f"{self.port}: the reply to {line!r} was damaged on the serial line, it begins "
                f"with {damaged!r}; check cable and ground"
            )
        return payload

    def _receive_block(self, line: str, wait_s: float) -> int:
        """Wait until a block is here, or is known to be none; return how often was asked for more.

        A block that lacks bytes, or whose query got lost, ends with the answer to that.
        """
        deadline = self._deadline() + wait_s
        asked, quiet_s = 0, _QUIET_S
        quiet_at = time.monotonic() + wait_s + quiet_s
        while self._block_end(line) > len(self._received):
            if asked and self._greeting_place() is not None:
                break
            if self._await(line, deadline):
                quiet_at = time.monotonic() + quiet_s
            elif time.monotonic() >= quiet_at:
                self._ask_who()
                asked, quiet_s = asked + 1, _ASK_AGAIN_S
                quiet_at = time.monotonic() + quiet_s
        return asked

    def _block_end(self, line: str) -> int:
        """Return how many bytes the block has that is being received; what is none ends at once."""
        head = bytes(self._received[:2])
        if head[:2] == b"RE":
            self._refuse(line, bytes(self._received))
        if not b"#".startswith(head[:1]) or head[1:] not in (b"", b"1", b"2", b"3", b"4"):
            return 0
        if len(head) < 2 or len(self._received) < (first := 2 + int(head[1:])):
            return len(self._received) + 1
        digits = bytes(self._received[2:first])
        if not digits.isdigit() or not _CRC_BYTES <= int(digits) <= _BLOCK_MAX:
            return 0
        return first + int(digits) + 1

    def _resynchronize(self, asked: int = 0) -> None:
        """Drop what arrives up to the answer to `*IDN?`, which was asked so often already."""
        deadline = self._deadline()
        if not asked:
            self._ask_who()
            asked = 1
        while not self._skip_to(min(time.monotonic() + _ASK_AGAIN_S, deadline)):
            if time.monotonic() >= deadline:
                self._silent(self._reply_timeout_s)
            self._ask_who()
            asked += 1
        if asked > 1:  # other answers may be on their way
            self._settle("*CLS")

    def _ask_who(self) -> None:
        """Send an empty line, which ends one that was cut off, and the question who is there."""
        self._send("\n*CLS\n*IDN?")

    def _settle(self, lines: str) -> None:
        """Have lines executed. Replies keep their order: what came before belongs to the past."""
        deadline = self._deadline()
        while True:
            self._send(f"\n{lines}\n*OPC?")
            try:
                while self._skip_line(min(time.monotonic() + _SETTLE_S, deadline)) != b"1":
                    pass
            except DamagedReplyError:
                if time.monotonic() >= deadline:
                    raise
            else:
                return

    def synchronize(self, timeout_s: float) -> None:
        """Get in step with a firmware that may be starting, running or in the middle of a reply.

        A chip that was reset by the opening of its port greets when it is up; one that
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
                if self._skip_to(pause):
                    break
                if time.monotonic() >= deadline:
                    self._silent(timeout_s)
            self._greeted = True
            self._settle("ABOR\n*RST\n*CLS")

    def _silent(self, timeout_s: float) -> NoReturn:
        if self._greeted:
            raise BenchError(
                f"{self.port}: the stimulus does not answer any more; reset it and check the cable"
            )
        said = f"; it said {bytes(self._received[:40])!r}" if self._received else ""
        raise BenchError(
            f"{self.port}: no stimulus answered within {timeout_s:g} s{said}; check that the "
            "fixture names the right port, or flash the firmware: `rig stimulus flash`"
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

    def _fill(self) -> bool:
        """Take what has arrived, or wait a little for it; return whether something came."""
        try:
            data = self._serial.read(_POLL_S)
        except (OSError, termios.error) as error:
            self._lost(error)
        self._received += data
        return bool(data)

    def _await(self, line: str, deadline: float) -> bool:
        """Wait a little for more of the reply to `line`; return whether something came."""
        if time.monotonic() >= deadline:
            raise DamagedReplyError(
                f"{self.port}: the stimulus did not answer {line!r} in time; "
                "reset it and check the cable"
            )
        return self._fill()

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
        if reply.startswith(_READY.strip()):
            self._refuse(line, reply)
        return reply.decode("ascii", errors="replace").strip()

    def _greeting_place(self) -> tuple[int, int] | None:
        """Return where the greeting is in what has arrived: its line from, and to."""
        begin = self._received.find(self._greeting)
        end = self._received.find(b"\n", begin) + 1
        return (begin, end) if begin >= 0 and end > 0 else None

    def _skip_to(self, deadline: float) -> bool:
        """Drop what arrives up to a line with the greeting; return False when time is up.

        Raises:
            BenchError: it is the one of a start, which should not have been.
        """
        while (place := self._greeting_place()) is None:
            if time.monotonic() >= deadline:
                return False
            self._fill()
            del self._received[:-_BLOCK_MAX]
        begin, end = place
        if self._greeted and self._received[:begin].endswith(_READY):
            self._refuse("*IDN?", _READY)
        del self._received[:end]
        return True

    def _refuse(self, line: str, reply: bytes) -> NoReturn:
        if reply.startswith(b"RE"):
            raise BenchError(
                f"{self.port}: the stimulus was reset before it answered {line!r}; "
                "check its supply and its USB cable"
            )
        raise DamagedReplyError(
            f"{self.port}: {line!r} was answered by {reply[:40]!r}, which is no reply"
        )

    def _lost(self, error: Exception) -> NoReturn:
        raise BenchError(
            f"{self.port}: the serial line to the stimulus is gone ({reason(error)}); "
            "plug it in again and start anew"
        ) from error


def _checked(block: bytes) -> bytes | None:
    """Return the payload of a whole block; None if it is damaged or none at all."""
    if not block:
        return None
    payload, crc = block[2 + int(block[1:2]) : -1 - _CRC_BYTES], block[-1 - _CRC_BYTES : -1]
    whole = binascii.crc_hqx(payload, 0).to_bytes(_CRC_BYTES, "little") == crc
    return payload if whole and block.endswith(b"\n") else None
