# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench's analyzer on USB: libsigrok's driver fx2lafw reads it through libusb."""

from __future__ import annotations

from rig.capture.emulated_usb import connection_in
from rig.config.virtual.usb import UsbSettings
from rig.virtual.sampled_lines import SampledLines
from rig.virtual.usb.bus import UsbBus
from rig.virtual.usb.fx2 import Fx2, Fx2Stream


class Fx2Analyzer(SampledLines):
    """An FX2 on a bus of its own."""

    def __init__(
        self,
        channels: int,
        rate_error_ppb: int = 0,
        rate_drift_ppb_per_s: int = 0,
        true_rate_hz: int = 0,
        settings: UsbSettings | None = None,
    ) -> None:
        """As `SampledLines`; 8 or 16 channels. Raises BenchError without umockdev's library."""
        super().__init__(channels, rate_error_ppb, rate_drift_ppb_per_s, true_rate_hz)
        self.bus = UsbBus()
        try:
            self._connection = connection_in(self.bus.folder)
            usb = settings or UsbSettings()
            self.device = Fx2(self.bus, channels, usb, self._started, self._stopped)
        except BaseException:
            self.bus.close()
            raise

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

    def _started(self, stream: Fx2Stream) -> None:
        self._stream = stream

    def _stopped(self) -> None:
        self._stream = None
