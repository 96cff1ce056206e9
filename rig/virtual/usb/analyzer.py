# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench's analyzers on USB: libsigrok's own drivers read them through libusb."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from rig.capture.emulated_usb import FIRMWARE_FOLDER, connection_in
from rig.config.virtual.usb import UsbSettings
from rig.virtual.sampled_lines import SampledLines
from rig.virtual.usb.board import Fx2Board, UsbStream
from rig.virtual.usb.bus import UsbBus
from rig.virtual.usb.dslogic import FIRMWARE, DsLogic
from rig.virtual.usb.fx2 import Fx2


class VirtualUsbAnalyzer(SampledLines):
    """An analyzer on a bus of its own."""

    def __init__(
        self,
        channels: int,
        rate_error_ppb: int = 0,
        rate_drift_ppb_per_s: int = 0,
        true_rate_hz: int = 0,
        settings: UsbSettings | None = None,
    ) -> None:
        """Take the arguments of `SampledLines`, for 8 or 16 channels.

        Raises BenchError without umockdev's library.
        """
        super().__init__(channels, rate_error_ppb, rate_drift_ppb_per_s, true_rate_hz)
        self.bus = UsbBus()
        try:
            self._connection = connection_in(self.bus.folder)
            self.device = self._plugged(settings or UsbSettings())
        except BaseException:
            self.bus.close()
            raise

    @abstractmethod
    def _plugged(self, settings: UsbSettings) -> Fx2Board:
        """Plug the device into the bus."""

    @property
    def connection(self) -> str:
        return self._connection

    @property
    def sample_rate_hz(self) -> int:
        return self.device.rate_hz

    def close(self) -> None:
        """Unplug it; may be called twice."""
        self.device.close()
        self._end_stream()
        self.bus.close()

    def _started(self, stream: UsbStream) -> None:
        self._stream = stream

    def _stopped(self) -> None:
        self._stream = None

    def _provide(self, names: Iterable[str]) -> None:
        """Let the driver find files that only the maker of the device has."""
        folder = self.bus.folder / FIRMWARE_FOLDER
        folder.mkdir()
        for name in names:
            (folder / name).write_bytes(bytes(1 << 13))


class Fx2Analyzer(VirtualUsbAnalyzer):
    """An FX2 with sigrok's own firmware."""

    def _plugged(self, settings: UsbSettings) -> Fx2Board:
        return Fx2(self.bus, self.channels, settings, self._started, self._stopped)


class DsLogicAnalyzer(VirtualUsbAnalyzer):
    """A DSLogic Plus."""

    def _plugged(self, settings: UsbSettings) -> Fx2Board:
        self._provide(FIRMWARE)
        return DsLogic(self.bus, settings, self._started, self._stopped)
