# SPDX-License-Identifier: GPL-3.0-or-later
"""A DreamSourceLab DSLogic Plus on an emulated USB, in stream mode.

Requests as libsigrok 0.5.2's driver makes them (src/hardware/dreamsourcelab-dslogic). The FPGA is
loaded and set through one bulk endpoint; samples come from the other, 64 of one channel in use
after the other, behind a block that tells where it triggered.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy as np

from rig.virtual.usb.board import Fx2Board, UsbStream
from rig.virtual.usb.node import HostFile

FIRMWARE: Final = ("dreamsourcelab-dslogic-plus-fx2.fw", "dreamsourcelab-dslogic-plus-fpga.fw")
"""The maker's files, which cannot be had: what is in their place is only counted."""
_VERSION, _REVISION, _START = 0xB0, 0xB1, 0xB2
_OTHERS: Final = frozenset({0xB3, 0xB4, 0xB8})
"""An FPGA's image follows, its settings follow, a register such as the threshold's."""
_ANSWERS: Final = {_VERSION: bytes([1, 0]), _REVISION: b"\x01"}
_STOP_FLAG: Final = 0x80
_STREAM_MODE: Final = 1 << 12
_SETTINGS: Final = struct.Struct("<I2xH2xI2xI2xI2xH2xH")
"""Magic, mode, divider, count, trigger position, stages, channels in use; triggers follow."""
_MAGIC: Final = 0xF5A5F5A5
_CLOCK_HZ: Final = 100_000_000
_TRIGGER_BYTES: Final = 512
_WORD: Final = 64


class DsLogic(Fx2Board):
    """A DSLogic Plus, which has 16 channels."""

    fpga_bytes = 0
    _mode = _divider = _channels = 0

    @property
    def ids(self) -> tuple[int, int]:
        return (0x2A0E, 0x0020)

    @property
    def strings(self) -> tuple[str, ...]:
        return ("DreamSourceLab", "USB-based Instrument")

    def asked(self, request: int) -> bytes | None:
        return _ANSWERS.get(request) if self.has_firmware else None

    def received(self, data: bytes) -> None:
        if len(data) < _SETTINGS.size or _SETTINGS.unpack_from(data)[0] != _MAGIC:
            self.fpga_bytes += len(data)
            return
        _, self._mode, self._divider, _, _, _, self._channels = _SETTINGS.unpack_from(data)

    def command(self, file: HostFile, request: int, data: bytes) -> bool:
        if request != _START or not data:
            return request in _OTHERS
        with self.lock:
            self.stop()
            if data[0] & _STOP_FLAG:
                return True
            if not (self.fpga_bytes and self._mode & _STREAM_MODE and self._channels):
                return False
            self.rate_hz = _CLOCK_HZ // max(1, self._divider)
            unit_bytes = _WORD // 8 * self._channels.bit_count()
            fault = self.fault(self.rate_hz * self._channels.bit_count() // 8, unit_bytes)
            if fault is not None:
                fault = fault[0], fault[1] + _TRIGGER_BYTES
            self.begin(_DsLogicStream(self, file, self._channels, fault))
        return True


class _DsLogicStream(UsbStream):
    """Samples as the FPGA sends them."""

    def __init__(
        self, device: DsLogic, file: HostFile, channels: int, fault: tuple[str, int] | None
    ) -> None:
        sample_bytes = 1 if channels < 1 << 8 else 2
        super().__init__(device, file, sample_bytes, fault, bytes(_TRIGGER_BYTES))
        self._bits = [bit for bit in range(16) if channels >> bit & 1]
        self._rest = b""

    def put(self, pieces: list[memoryview]) -> None:
        gathered = b"".join([self._rest, *pieces])
        whole = len(gathered) - len(gathered) % (_WORD * self.sample_bytes)
        self._rest = gathered[whole:]
        if whole:
            super().put([memoryview(self._words(gathered[:whole]).tobytes())])

    def _words(self, samples: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """Return 64 samples of each channel in use after the other, shape (words, channels, 8)."""
        levels = np.frombuffer(samples, "u1" if self.sample_bytes == 1 else "<u2")
        packed = [
            np.packbits((levels >> bit).astype(np.uint8) & 1, bitorder="little")
            for bit in self._bits
        ]
        return np.stack([each.reshape(-1, _WORD // 8) for each in packed], axis=1)
