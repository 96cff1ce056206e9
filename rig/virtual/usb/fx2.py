# SPDX-License-Identifier: GPL-3.0-or-later
"""A Cypress FX2 with the firmware fx2lafw, or blank, on an emulated USB.

Requests as libsigrok 0.5.2's driver makes them (src/hardware/fx2lafw) and as the firmware 0.1.7
answers. When its buffer is full the firmware stops sampling, and says nothing. There is no request
to stop either: the host cancels its transfers, and a START begins anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from rig.config.virtual.usb import UsbSettings
from rig.virtual.usb.board import Fx2Board, UsbStream
from rig.virtual.usb.bus import UsbBus
from rig.virtual.usb.device import Urb
from rig.virtual.usb.node import HostFile

_IDS: Final = {
    (8, False): (0x1D50, 0x608C),
    (16, False): (0x1D50, 0x608D),
    (8, True): (0x0925, 0x3881),
    (16, True): (0x04B4, 0x8613),
}
"""Vendor and product by channels and whether it is blank: boards that libsigrok knows."""
_VERSION, _START, _REVISION = 0xB0, 0xB1, 0xB2
_ANSWERS: Final = {_VERSION: bytes([1, 4]), _REVISION: b"\x01"}
_WIDE, _CLOCK_48_MHZ = 0x20, 0x40
_TIMED_OUT_S: Final = 0.2
"""The driver gives its transfers 0.4 s: one that is cancelled earlier is no longer wanted."""


class Fx2(Fx2Board):
    """An FX2 that runs fx2lafw, with 8 or 16 channels."""

    def __init__(
        self,
        bus: UsbBus,
        channels: int,
        settings: UsbSettings,
        on_start: Callable[[UsbStream], None],
        on_stop: Callable[[], None],
        port: str = "1-1",
    ) -> None:
        self._channels = channels
        super().__init__(bus, settings, on_start, on_stop, port)

    @property
    def ids(self) -> tuple[int, int]:
        return _IDS[self._channels, self._settings.blank]

    @property
    def strings(self) -> tuple[str, ...]:
        return ("sigrok", "fx2lafw")

    def asked(self, request: int) -> bytes | None:
        return _ANSWERS.get(request) if self.has_firmware else None

    def command(self, file: HostFile, request: int, data: bytes) -> bool:
        if request != _START or len(data) != 3:
            return False
        flags, delay = data[0], int.from_bytes(data[1:], "big")
        sample_bytes = 2 if flags & _WIDE else 1
        with self.lock:
            self.rate_hz = (48_000_000 if flags & _CLOCK_48_MHZ else 30_000_000) // (delay + 1)
            fault = self.fault(self.rate_hz * sample_bytes, sample_bytes)
            self.begin(UsbStream(self, file, sample_bytes, fault))
        return True

    def received(self, data: bytes) -> None:
        """Take nothing: the firmware has no such endpoint in use."""

    def keeps(self, urb: Urb) -> bool:
        if time.monotonic() - urb.submitted_s < _TIMED_OUT_S:
            self.stop()
        return super().keeps(urb)
