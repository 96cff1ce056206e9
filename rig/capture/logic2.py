# SPDX-License-Identifier: GPL-3.0-or-later
"""Saleae's Logic 8, Logic Pro 8 and Logic Pro 16 by their own program, Logic 2.

libsigrok has no driver for them. Logic 2 can be driven by gRPC (saleae.proto of the package
`logic2-automation`, an optional extra): a capture is started, stopped and exported as files, which
`rig.capture.replay.saleae_reader` reads. So edges are known only after `stop`.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from rig.capture.analyzers import AnalyzerSettings, FoundAnalyzer
from rig.capture.replay.saleae_reader import SaleaeBinary
from rig.closing import Closing
from rig.errors import BenchError, InputError
from rig.instruments import (
    AnalyzerIdentity,
    Backlog,
    CaptureItem,
    Datasheet,
    EdgeBlock,
    Loss,
    LossKind,
    SamplesTaken,
)

ADDRESS: Final = "127.0.0.1:10430"
"""The address at which Logic 2 listens, once that is allowed in its preferences."""
_CALL_S = 30.0
_EXPORT_S = 600.0
_CONNECT_S = 5.0
_SHORT_S = 1.0
"""The time by which a capture may be shorter than the host had it run."""
_MODELS = {2: "Logic 4", 3: "Logic 8", 5: "Logic Pro 8", 6: "Logic Pro 16"}
"""The models by the protocol's DeviceType."""
_OPTIONS: Final = {"device": str, "threshold": str, "buffer_megabytes": int}
_THRESHOLDS = ("", "1.2", "1.8", "3.3")


class _Program:
    """The running Logic 2. Each call has a deadline; its errors are BenchError."""

    def __init__(self, address: str) -> None:
        try:
            import grpc
            from saleae.grpc import saleae_pb2, saleae_pb2_grpc
        except ImportError:
            raise BenchError(
                "saleae-logic2: the package logic2-automation is missing; "
                "pip install 'latency-rig[saleae]'"
            ) from None
        self.messages: Any = saleae_pb2
        self._error: Any = grpc.RpcError
        self._address = address
        self._channel: Any = grpc.insecure_channel(address)
        self._stub: Any = saleae_pb2_grpc.ManagerStub(self._channel)

    def call(self, name: str, limit_s: float = _CALL_S, **fields: Any) -> Any:
        """Call a procedure of the protocol by its name; its reply. Raises BenchError."""
        request = getattr(self.messages, f"{name}Request")(**fields)
        try:
            return getattr(self._stub, name)(request, timeout=limit_s)
        except self._error as error:
            code, told = error.code().name, ascii(str(error.details())[:200])[1:-1]
            if code in {"UNAVAILABLE", "DEADLINE_EXCEEDED"}:
                raise BenchError(
                    f"saleae-logic2: no answer from Logic 2 at {self._address} ({name}); start it, "
                    "and its automation server in its preferences"
                ) from None
            raise BenchError(f"saleae-logic2: {name}: {told}") from None

    def close(self) -> None:
        self._channel.close()


class Logic2Analyzer(Closing):
    """Implements rig.instruments.Analyzer."""

    backlog = Backlog()

    def __init__(self, settings: AnalyzerSettings, channel_mask: int) -> None:
        """Find the device; nothing is captured yet. Raises BenchError."""
        self._options = _checked(settings)
        self._rate_hz = settings.sample_rate_hz
        self._bits = [bit for bit in range(settings.channels) if channel_mask >> bit & 1]
        self._folder: Path | None = None
        self._capture: int | None = None
        self._program = _Program(settings.connection or ADDRESS)
        try:
            about = self._program.call("GetAppInfo", _CONNECT_S).app_info
            device = self._device(str(self._options["device"]))
        except BenchError:
            self._program.close()
            raise
        self._device_id = device.device_id
        version = str(about.application_version)[:40]
        self.identity = AnalyzerIdentity(
            driver=settings.driver,
            vendor="Saleae",
            model=_MODELS.get(device.device_type, "unknown model"),
            library=f"Logic {ascii(version)[1:-1]}",
            sample_rate_hz=self._rate_hz,
            channels=tuple(f"D{bit}" for bit in range(settings.channels)),
        )
        self._items: Iterator[CaptureItem] = iter(())
        self._started_s = self._stopped_s = 0.0
        self._running = False

    def _device(self, wanted: str) -> Any:
        devices = [
            each
            for each in self._program.call("GetDevices", include_simulation_devices=False).devices
            if not each.is_simulation
        ]
        known = ", ".join(ascii(each.device_id[:40])[1:-1] for each in devices) or "none"
        chosen = [each for each in devices if not wanted or each.device_id == wanted]
        if len(chosen) != 1:
            raise BenchError(
                f"saleae-logic2: {'no such analyzer' if wanted else 'not one analyzer'}; Logic 2 "
                f"has {known}; name one as options.device, or plug it in"
            )
        return chosen[0]

    def start(self) -> None:
        """Begin sampling. Raises BenchError."""
        self._forget()
        messages, options = self._program.messages, self._options
        reply = self._program.call(
            "StartCapture",
            device_id=self._device_id,
            logic_device_configuration=messages.LogicDeviceConfiguration(
                logic_channels=messages.LogicChannels(digital_channels=self._bits),
                digital_sample_rate=self._rate_hz,
                digital_threshold_volts=float(options["threshold"] or 0),
            ),
            capture_configuration=messages.CaptureConfiguration(
                buffer_size_megabytes=int(options["buffer_megabytes"]),
                manual_capture_mode=messages.ManualCaptureMode(),
            ),
        )
        self._capture = reply.capture_info.capture_id
        self._started_s, self._stopped_s = time.monotonic(), 0.0
        self._running, self._items = True, self._exported()

    def read(self, timeout_s: float) -> CaptureItem | None:
        """Return SamplesTaken until `stop`, then the capture's items. Raises BenchError."""
        if self._running:
            time.sleep(timeout_s)
            return SamplesTaken(int((time.monotonic() - self._started_s) * self._rate_hz))
        try:
            return next(self._items, None)
        except InputError as error:
            raise BenchError(
                f"saleae-logic2: what Logic 2 exported cannot be used: {error}"
            ) from None

    def stop(self) -> None:
        """Note the wish to end; Logic 2 is told by the next `read`."""
        if self._running:
            self._running, self._stopped_s = False, time.monotonic()

    def _exported(self) -> Iterator[CaptureItem]:
        """Stop, export and read; the channels get their own numbers back."""
        self._program.call("StopCapture", _EXPORT_S, capture_id=self._capture)
        self._folder = Path(tempfile.mkdtemp(prefix="rig-logic2-"))
        self._program.call(
            "ExportRawDataBinary",
            _EXPORT_S,
            capture_id=self._capture,
            directory=str(self._folder),
            logic_channels=self._program.messages.LogicChannels(digital_channels=self._bits),
            analog_downsample_ratio=1,
        )
        names = [f"D{bit}" for bit in self._bits]
        path = self._folder / f"digital_{self._bits[0]}.bin"
        source = SaleaeBinary(path, names, self._rate_hz)
        yield from self._losses(source)
        numbers = np.array(self._bits, np.uint8)
        for item in source.items():
            if isinstance(item, EdgeBlock):
                levels = sum(
                    (item.levels_before >> n & 1) << bit for n, bit in enumerate(self._bits)
                )
                yield EdgeBlock(
                    item.start_sample,
                    item.end_sample,
                    item.index,
                    numbers[item.channel],
                    item.level,
                    levels,
                )
            else:
                yield item
        self._forget()

    def _losses(self, source: SaleaeBinary) -> Iterator[Loss]:
        """Yield what is missing: Logic 2 drops the oldest samples when its buffer is full."""
        ran_s = self._stopped_s - self._started_s
        held_s = source.samples / self._rate_hz
        if source.begin_s * self._rate_hz >= 1 or held_s < ran_s - _SHORT_S:
            text = (
                f"Logic 2 has {held_s:.3f} s from {source.begin_s:.3f} s on of a capture of "
                f"{ran_s:.3f} s; give it a larger buffer by options.buffer_megabytes"
            )
            yield Loss(LossKind.SHORT_COUNT, 0, text)

    def _forget(self) -> None:
        """Let Logic 2 free the last capture, and remove its files."""
        capture, self._capture = self._capture, None
        if capture is not None:
            with contextlib.suppress(BenchError):
                self._program.call("CloseCapture", capture_id=capture)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def close(self) -> None:
        """End what still runs; never raises."""
        if self._capture is not None and self._started_s and not self._stopped_s:
            with contextlib.suppress(BenchError):
                self._program.call("StopCapture", capture_id=self._capture)
        self._running, self._items = False, iter(())
        self._forget()
        self._program.close()


def _checked(settings: AnalyzerSettings) -> dict[str, str | int | bool]:
    """Return the options, each with a value. Raises BenchError for what Logic 2 cannot take."""
    if settings.connection and not re.fullmatch(
        r"(127\.0\.0\.1|localhost):\d{1,5}", settings.connection
    ):
        raise BenchError(
            f"saleae-logic2: connection {settings.connection!a}; valid: {ADDRESS}, on this "
            "machine, since Logic 2 writes files for the rig"
        )
    options = {"device": "", "threshold": "", "buffer_megabytes": 4096, **settings.options}
    for name, value in options.items():
        if name not in _OPTIONS or type(value) is not _OPTIONS[name]:
            raise BenchError(
                f"saleae-logic2: options.{name} = {value!a}; valid: device, a text; threshold, one "
                'of "1.2", "1.8", "3.3"; buffer_megabytes, a number'
            )
    if options["threshold"] not in _THRESHOLDS:
        raise BenchError(
            f'saleae-logic2: options.threshold = {options["threshold"]!a}; valid: "1.2", "1.8", '
            '"3.3", for Logic Pro only'
        )
    if settings.sample_rate_hz >= 1 << 32 or not 0 < int(options["buffer_megabytes"]) < 1 << 32:
        raise BenchError("saleae-logic2: sample_rate or options.buffer_megabytes is out of range")
    return options


class _Logic2Kind:
    """Implements rig.capture.analyzers.AnalyzerKind."""

    datasheet = Datasheet(
        50.0, 1.0, "Saleae, support pages on time measurement error and worst-case channel skew"
    )

    def open(
        self, settings: AnalyzerSettings, *, channel_mask: int, waits_for_host: bool
    ) -> Logic2Analyzer:
        del waits_for_host  # Logic 2 keeps its samples by itself
        return Logic2Analyzer(settings, channel_mask)

    def found(self) -> Iterable[FoundAnalyzer]:
        """Return the program, if it listens; what is plugged in it tells only when asked."""
        host, _, port = ADDRESS.partition(":")
        try:
            socket.create_connection((host, int(port)), 0.2).close()
        except OSError:
            return []
        return [FoundAnalyzer("Saleae Logic 2", f"its automation server listens at {ADDRESS}")]


LOGIC2 = _Logic2Kind()
