# SPDX-License-Identifier: GPL-3.0-or-later
"""An analyzer with a Cypress FX2 on an emulated USB: what all of them have in common.

The chip's own request takes firmware (libsigrok 0.5.2, src/ezusb.c). Its samples go through a
buffer of 2 KiB. The host has to take them in time: else the buffer is full.

On the bench's time line a host that is slow is waited for. So the buffer overflows only where that
is asked for, on a bus that is too slow, or once the host has gone.
"""

from __future__ import annotations

import errno
import struct
import threading
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Final

from rig.config.virtual.usb import UsbSettings
from rig.virtual.usb.bus import UsbBus
from rig.virtual.usb.device import HIGH_SPEED_MBIT, Urb, UsbDevice
from rig.virtual.usb.node import HostFile

_UPLOAD: Final = 0xA0
_RESET_REGISTER: Final = 0xE600
_BUFFER_BYTES: Final = 2048
_FULL_SPEED_BYTES_PER_S: Final = 19 * 64 * 1000
"""The most that bulk transfers carry: 19 packets a millisecond."""
_QUEUED_BYTES: Final = 1 << 19
_GONE_S: Final = 1.0
_RESTART_S, _ABSENT_S = 0.05, 0.3
"""The time until a firmware that was uploaded starts, and until the host sees it."""


class Fx2Board(UsbDevice):
    """`on_start` is called for each capture, `on_stop` at its end; the lock is held."""

    def __init__(
        self,
        bus: UsbBus,
        settings: UsbSettings,
        on_start: Callable[[UsbStream], None],
        on_stop: Callable[[], None],
        port: str = "1-1",
    ) -> None:
        self._settings = settings
        self._on_start, self._on_stop = on_start, on_stop
        self._stream: UsbStream | None = None
        self.has_firmware = not settings.blank
        self._refusal: int | None = None
        """The status with which every request for samples comes back at once, without any."""
        self.uploaded_bytes = 0
        self.rate_hz = 24_000_000
        super().__init__(bus, port, settings.speed_mbit)

    @property
    @abstractmethod
    def ids(self) -> tuple[int, int]:
        """Vendor and product."""

    @abstractmethod
    def command(self, file: HostFile, request: int, data: bytes) -> bool:
        """Take a request of the firmware's own. False: it is refused."""

    @property
    def descriptors(self) -> bytes:
        texts = (1, 2, 0) if self.has_firmware else (0, 0, 0)
        packet = 512 if self._settings.speed_mbit == HIGH_SPEED_MBIT else 64
        ends = (0x01, 0x82, 0x02, 0x86)
        endpoints = b"".join(struct.pack("<BBBBHB", 7, 5, end, 2, packet, 0) for end in ends)
        interface = bytes([9, 4, 0, 0, len(ends), 0xFF, 0xFF, 0xFF, 0]) + endpoints
        head = struct.pack("<BBHBBBBB", 9, 2, 9 + len(interface), 1, 1, 0, 0x80, 50)
        device = (18, 1, 0x200, 0xFF, 0xFF, 0xFF, 64, *self.ids, 1, *texts, 1)
        return struct.pack("<BBHBBBBHHHBBBB", *device) + head + interface

    def told(self, file: HostFile, request: int, value: int, data: bytes) -> bool:
        if request == _UPLOAD:
            self._upload(value, data)
            return True
        return self.has_firmware and self.command(file, request, data)

    def begin(self, stream: UsbStream) -> None:
        """Start a capture. Lock held."""
        self.stop()
        self._refusal = None
        self.empty_requests()
        self._stream = stream
        self._on_start(stream)
        stream.fill()

    def submitted(self) -> None:
        if self._stream is not None:
            self._stream.fill()
        if self._refusal is not None:
            for urb in list(self.waiting):
                self.complete(urb, self._refusal)

    def keeps(self, urb: Urb) -> bool:
        """Return whether a cancelled request waits on for samples: one that has timed out.

        The driver takes an analyzer for dead that sends nothing for a second; the bench, which may
        pause longer, is not.
        """
        return self._stream is not None and not urb.actual

    def left(self, file: HostFile) -> None:
        if self._stream is not None and self._stream.file is file:
            self.stop()

    def ended(self, stream: UsbStream) -> None:
        """Note that a capture has ended. Lock held."""
        if self._stream is stream:
            self.stop()

    def fail(self, fault: str, stream: UsbStream, urb: Urb) -> None:
        """Let a fault begin with a request that is being filled. Lock held."""
        if fault == "short":
            self.complete(urb)
        elif fault == "error":
            self.complete(urb, -errno.EPROTO)
        else:
            self.ended(stream)
        if fault == "stall":
            self.hangs = True
        elif fault == "unplug":
            threading.Thread(target=self.unplug, name="USB unplug", daemon=True).start()
        elif fault in ("empty", "halt"):
            self._refusal = 0 if fault == "empty" else -errno.EPIPE
            self.submitted()

    def stop(self) -> None:
        """End the capture, if there is one. Lock held."""
        stream, self._stream = self._stream, None
        if stream is None:
            return
        stream.is_open = False
        for urb in [urb for urb in self.waiting if urb.cancelled]:
            self.complete(urb, -errno.ENOENT)
        self.lock.notify_all()
        self._on_stop()

    def fault(self, bytes_per_s: int, unit_bytes: int) -> tuple[str, int] | None:
        """Return the fault of a capture, and the bytes after which it begins, in whole units."""
        over = bytes_per_s - _FULL_SPEED_BYTES_PER_S
        if self._settings.speed_mbit != HIGH_SPEED_MBIT and over > 0:
            passed = _BUFFER_BYTES * _FULL_SPEED_BYTES_PER_S // over
            return "overrun", passed // unit_bytes * unit_bytes
        if not self._settings.fault:
            return None
        passed = self._settings.after_ps * bytes_per_s // 10**12
        return self._settings.fault, passed // unit_bytes * unit_bytes

    def _upload(self, address: int, data: bytes) -> None:
        """Write the memory of the FX2's processor; the end of its reset starts what is there."""
        if address != _RESET_REGISTER:
            self.uploaded_bytes += len(data)
        elif data == b"\0" and self.uploaded_bytes:
            start = threading.Thread(target=self._start_firmware, name="FX2 restart", daemon=True)
            start.start()

    def _start_firmware(self) -> None:
        time.sleep(_RESTART_S)
        self.unplug()
        self.has_firmware = True
        time.sleep(_ABSENT_S)
        self.plug()


class UsbStream:
    """The samples of one capture, on their way into the host's requests.

    Implements rig.virtual.capture.SampleSink. The device's lock guards it.
    """

    def __init__(
        self,
        device: Fx2Board,
        file: HostFile,
        sample_bytes: int,
        fault: tuple[str, int] | None,
        ahead: bytes = b"",
    ) -> None:
        """`fault`: and the bytes after which it begins; `ahead`: what is sent before samples."""
        self.sample_bytes = sample_bytes
        self.file = file
        self.is_open = True
        self._device = device
        self._fault = fault
        self._queue = deque([memoryview(ahead)] if ahead else ())
        self._queued_bytes = len(ahead)
        self._sent_bytes = 0

    def put(self, pieces: list[memoryview]) -> None:
        """Put these pieces into the host's requests, unless closed; wait for a slow host."""
        lock = self._device.lock
        with lock:
            while self.is_open and self._queued_bytes >= _QUEUED_BYTES:
                if not lock.wait(_GONE_S) and self._device.idle:
                    self._device.ended(self)  # the buffer has overflowed: nobody fetches any more
            if self.is_open:
                self._queue.extend(pieces)
                self._queued_bytes += sum(map(len, pieces))
                self.fill()

    def close(self) -> None:
        """Send nothing more."""
        with self._device.lock:
            self._device.ended(self)

    def fill(self) -> None:
        """Move samples into the host's requests as far as there are both. Lock held."""
        waiting = self._device.waiting
        while self.is_open and self._queue and waiting:
            urb = waiting[0]
            room = urb.length - urb.actual
            if self._fault is not None:
                room = min(room, self._fault[1] - self._sent_bytes)
            piece = self._queue.popleft()
            if len(piece) > room:
                self._queue.appendleft(piece[room:])
                piece = piece[:room]
            urb.take(piece)
            self._sent_bytes += len(piece)
            self._queued_bytes -= len(piece)
            if self._fault is not None and self._sent_bytes == self._fault[1]:
                (fault, _), self._fault = self._fault, None
                self._device.fail(fault, self, urb)
            elif urb.cancelled:
                self._device.complete(urb, -errno.ENOENT)
            elif urb.actual == urb.length:
                self._device.complete(urb)
        self._device.lock.notify_all()
