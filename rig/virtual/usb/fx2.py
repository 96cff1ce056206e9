# SPDX-License-Identifier: GPL-3.0-or-later
"""A Cypress FX2 with the firmware fx2lafw, or blank, on an emulated USB.

Requests as libsigrok 0.5.2's driver makes them (src/hardware/fx2lafw, src/ezusb.c) and as the
firmware 0.1.7 answers. Its samples go through a buffer of 2 KiB. The host has to take them in
time: else the buffer is full, the firmware stops sampling, and says nothing. There is no request
to stop either: the host cancels its transfers, and a START begins anew.

On the bench's time line a host that is slow is waited for. So the buffer overflows only where that
is asked for, on a bus that is too slow, or once the host has gone.
"""

from __future__ import annotations

import errno
import struct
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from rig.config.virtual.usb import UsbSettings
from rig.virtual.usb.bus import UsbBus
from rig.virtual.usb.device import HIGH_SPEED_MBIT, Urb, UsbDevice
from rig.virtual.usb.node import HostFile

_IDS: Final = {
    (8, False): (0x1D50, 0x608C),
    (16, False): (0x1D50, 0x608D),
    (8, True): (0x0925, 0x3881),
    (16, True): (0x04B4, 0x8613),
}
"""Vendor and product by channels and whether it is blank: boards that libsigrok knows."""
_UPLOAD, _VERSION, _START, _REVISION = 0xA0, 0xB0, 0xB1, 0xB2
_FIRMWARE_VERSION: Final = bytes([1, 4])
_FX2LP: Final = b"\x01"
_RESET_REGISTER: Final = 0xE600
_WIDE, _CLOCK_48_MHZ = 0x20, 0x40
_BUFFER_BYTES: Final = 2048
_FULL_SPEED_BYTES_PER_S: Final = 19 * 64 * 1000
"""The most that bulk transfers carry: 19 packets a millisecond."""
_QUEUED_BYTES: Final = 1 << 19
_TIMED_OUT_S: Final = 0.2
"""The driver gives its transfers 0.4 s: one that is cancelled earlier is no longer wanted."""
_GONE_S: Final = 1.0
_RESTART_S, _ABSENT_S = 0.05, 0.3
"""The time until a firmware that was uploaded starts, and until the host sees it."""


class Fx2(UsbDevice):
    """`on_start` is called for each capture, `on_stop` at its end; the lock is held."""

    def __init__(
        self,
        bus: UsbBus,
        channels: int,
        settings: UsbSettings,
        on_start: Callable[[Fx2Stream], None],
        on_stop: Callable[[], None],
        port: str = "1-1",
    ) -> None:
        self._channels, self._settings = channels, settings
        self._on_start, self._on_stop = on_start, on_stop
        self._stream: Fx2Stream | None = None
        self._has_firmware = not settings.blank
        self._refusal: int | None = None
        """The status with which every request for samples comes back at once, without any."""
        self.uploaded_bytes = 0
        self.rate_hz = 24_000_000
        super().__init__(bus, port, settings.speed_mbit)

    @property
    def descriptors(self) -> bytes:
        ids = _IDS[self._channels, self._settings.blank]
        texts = (1, 2, 0) if self._has_firmware else (0, 0, 0)
        packet = 512 if self._settings.speed_mbit == HIGH_SPEED_MBIT else 64
        ends = (0x01, 0x82, 0x02, 0x86)
        endpoints = b"".join(struct.pack("<BBBBHB", 7, 5, end, 2, packet, 0) for end in ends)
        interface = bytes([9, 4, 0, 0, len(ends), 0xFF, 0xFF, 0xFF, 0]) + endpoints
        head = struct.pack("<BBHBBBBB", 9, 2, 9 + len(interface), 1, 1, 0, 0x80, 50)
        device = (18, 1, 0x200, 0xFF, 0xFF, 0xFF, 64, *ids, 1, *texts, 1)
        return struct.pack("<BBHBBBBHHHBBBB", *device) + head + interface

    @property
    def strings(self) -> tuple[str, ...]:
        return ("sigrok", "fx2lafw")

    def asked(self, request: int) -> bytes | None:
        answers = {_VERSION: _FIRMWARE_VERSION, _REVISION: _FX2LP}
        return answers.get(request) if self._has_firmware else None

    def told(self, file: HostFile, request: int, value: int, data: bytes) -> bool:
        if request == _UPLOAD:
            self._upload(value, data)
            return True
        if request != _START or not self._has_firmware or len(data) != 3:
            return False
        flags, delay = data[0], int.from_bytes(data[1:], "big")
        with self.lock:
            self._stop()
            self._refusal = None
            self.empty_requests()
            self.rate_hz = (48_000_000 if flags & _CLOCK_48_MHZ else 30_000_000) // (delay + 1)
            sample_bytes = 2 if flags & _WIDE else 1
            self._stream = Fx2Stream(self, file, sample_bytes, self._fault(sample_bytes))
            self._on_start(self._stream)
        return True

    def received(self, data: bytes) -> None:
        """Take nothing: the firmware has no such endpoint in use."""

    def submitted(self) -> None:
        if self._stream is not None:
            self._stream.fill()
        if self._refusal is not None:
            for urb in list(self.waiting):
                self.complete(urb, self._refusal)

    def keeps(self, urb: Urb) -> bool:
        """Whether a cancelled request waits on for samples: one that has timed out.

        The driver takes an analyzer for dead that sends nothing for a second; the bench, which may
        pause longer, is not.
        """
        if time.monotonic() - urb.submitted_s < _TIMED_OUT_S:
            self._stop()
        return self._stream is not None and not urb.actual

    def left(self, file: HostFile) -> None:
        if self._stream is not None and self._stream.file is file:
            self._stop()

    def ended(self, stream: Fx2Stream) -> None:
        """Note that a capture has ended. Lock held."""
        if self._stream is stream:
            self._stop()

    def fail(self, fault: str, stream: Fx2Stream, urb: Urb) -> None:
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

    def _stop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is None:
            return
        stream.is_open = False
        for urb in [urb for urb in self.waiting if urb.cancelled]:
            self.complete(urb, -errno.ENOENT)
        self.lock.notify_all()
        self._on_stop()

    def _fault(self, sample_bytes: int) -> tuple[str, int] | None:
        """Return the fault of this capture, and the bytes after which it begins."""
        rate = self.rate_hz * sample_bytes
        if self._settings.speed_mbit != HIGH_SPEED_MBIT and rate > _FULL_SPEED_BYTES_PER_S:
            passed = _BUFFER_BYTES * _FULL_SPEED_BYTES_PER_S // (rate - _FULL_SPEED_BYTES_PER_S)
            return "overrun", passed // sample_bytes * sample_bytes
        if not self._settings.fault:
            return None
        samples = self._settings.after_ps * self.rate_hz // 10**12
        return self._settings.fault, samples * sample_bytes

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
        self._has_firmware = True
        time.sleep(_ABSENT_S)
        self.plug()


class Fx2Stream:
    """The samples of one capture, on their way into the host's requests.

    Implements rig.virtual.capture.SampleSink. The device's lock guards it.
    """

    def __init__(
        self, device: Fx2, file: HostFile, sample_bytes: int, fault: tuple[str, int] | None
    ) -> None:
        self.sample_bytes = sample_bytes
        self.file = file
        self.is_open = True
        self._device = device
        self._fault = fault
        self._queue: deque[memoryview] = deque()
        self._queued_bytes = 0
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
