# SPDX-License-Identifier: GPL-3.0-or-later
"""The far end of a pseudo-terminal, answering each line from a script."""

from __future__ import annotations

import binascii
import os
import pty
import select
import struct
import threading
import tomllib
import tty
from collections.abc import Iterator
from contextlib import contextmanager

from rig.resources import firmware_manifest

IDENTITY = b"Latency Rig,Stimulus ATmega328P,7,0.1.0\n"


DESCRIPTION = (
    tomllib.loads(firmware_manifest("atmega328p").read_text())["description"] + "\n"
).encode()


def block(now_ticks: int, ticks: list[int], first: int = 0, flags: int = 0) -> bytes:
    """A reply to FETC? with these edges, whole ticks: their low 32 bits are sent."""
    payload = struct.pack("<BBHIQ", 1, flags, len(ticks), first, now_ticks)
    payload += b"".join(struct.pack("<I", tick & 0xFFFFFFFF) for tick in ticks)
    return framed(payload)


def framed(payload: bytes) -> bytes:
    """The payload with length and CRC."""
    data = payload + struct.pack("<H", binascii.crc_hqx(payload, 0))
    return f"#{len(str(len(data)))}{len(data)}".encode() + data + b"\n"


class FakeFirmware:
    """Answers lines on a pseudo-terminal until it is ended; `replies` may be changed any time.

    One that is a list is given word by word, its elements one after the other.
    """

    def __init__(self) -> None:
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        self.port = os.ttyname(slave)
        self._slave = slave  # kept open: the host may come and go
        self.replies: dict[str, bytes | list[bytes]] = {
            "*IDN?": IDENTITY,
            "*OPC?": b"1\n",
            "SYST:INT?": b"2\n",
            "SYST:CHIP?": DESCRIPTION,
            "SYST:ERR?": b'0,"No error"\n',
        }
        self.lines: list[str] = []
        self._wake_read, self._wake_write = os.pipe()
        self._arrival = threading.Condition()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def say(self, data: bytes) -> None:
        """Send bytes nobody asked for."""
        os.write(self.master, data)

    def await_line(self, text: str) -> bool:
        """Wait until this line has come; False if it does not."""
        with self._arrival:
            return self._arrival.wait_for(lambda: text in self.lines, timeout=10)

    def end(self) -> None:
        """Unplug: every descriptor of this end is closed."""
        if self._thread.is_alive():
            os.write(self._wake_write, b".")
            self._thread.join()
            for descriptor in (self.master, self._slave, self._wake_read, self._wake_write):
                os.close(descriptor)

    def _serve(self) -> None:
        received = b""
        while True:
            readable, _, _ = select.select([self.master, self._wake_read], [], [])
            if self._wake_read in readable:
                return
            received += os.read(self.master, 4096)
            *lines, received = received.split(b"\n")
            for line in lines:
                text = line.decode()
                with self._arrival:
                    self.lines.append(text)
                    self._arrival.notify_all()
                if text.startswith("SOUR:") and " " in text:
                    header, value = text.split(" ", 1)
                    self.replies[f"{header}?"] = value.encode() + b"\n"
                reply = self.replies.get(text, b"")
                os.write(self.master, reply.pop(0) if isinstance(reply, list) else reply)


@contextmanager
def fake_firmware() -> Iterator[FakeFirmware]:
    """A firmware that is ended in any case."""
    firmware = FakeFirmware()
    try:
        yield firmware
    finally:
        firmware.end()
