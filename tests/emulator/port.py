# SPDX-License-Identifier: GPL-3.0-or-later
"""The host's end of the serial port, for tests that must not block."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rig.virtual.emulator import Emulator, EmulatorReport

STEP_CYCLES = 16_000
PATIENCE_S = 30.0


class Port:
    """The host's end of the serial port, raw, never blocking."""

    def __init__(self, name: str) -> None:
        self.fd = os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._kept = b""

    def write(self, data: bytes) -> None:
        assert os.write(self.fd, data) == len(data)

    def read(self) -> bytes:
        """What is there now."""
        try:
            data = self._kept + os.read(self.fd, 65536)
        except BlockingIOError:
            data = self._kept
        self._kept = b""
        return data

    def wait(self, count: int) -> bytes:
        """At least so many bytes."""
        end = time.monotonic() + PATIENCE_S
        while len(self._kept) < count:
            ready, _, _ = select.select([self.fd], [], [], end - time.monotonic())
            assert ready, f"only {self._kept!r} came"
            self._kept += os.read(self.fd, 65536)
        return self.read()

    def close(self) -> None:
        os.close(self.fd)


@contextmanager
def open_port(name: str) -> Iterator[Port]:
    port = Port(name)
    try:
        yield port
    finally:
        port.close()


def run_for_lines(emulator: Emulator, port: Port, count: int, limit_cycle: int) -> list[bytes]:
    """Let time go on until the firmware has sent so many lines, at the latest until the limit."""
    text = b""
    report: EmulatorReport | None = None
    while text.count(b"\n") < count and (report is None or report.cycle < limit_cycle):
        report = emulator.run((report.cycle if report else 0) + STEP_CYCLES)
        text += port.read()
    return text.splitlines()
