# SPDX-License-Identifier: GPL-3.0-or-later
"""Saleae's Logic 2 as its automation interface shows it: a gRPC server that exports files.

What its analyzer sees is another analyzer, or edges that were made up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import numpy as np
from saleae.grpc import saleae_pb2, saleae_pb2_grpc

from rig.instruments import Analyzer, CaptureEnd, EdgeBlock
from tests.replay.channel_files import saleae_binary

DEVICE = "A0B1C2D3"


class Logic2(saleae_pb2_grpc.ManagerServicer):
    """One device, one capture at a time. The names are those of the protocol."""

    def __init__(self, behind: Analyzer | None = None) -> None:
        self.asked: list[tuple[str, Any]] = []
        self.version = 0
        self.devices = [DEVICE]
        self.refuses = ""
        """The procedure that ends with an error of the protocol."""
        self.dropped_samples = 0
        """The samples at the beginning that are no longer there at the export."""
        self.cut_bytes = 0
        self.block: EdgeBlock | None = None
        """The edges that are exported."""
        self._behind = behind
        self._reader: threading.Thread | None = None
        self._blocks: list[EdgeBlock] = []

    def _note(self, name: str, request: Any, context: grpc.ServicerContext) -> None:
        self.asked.append((name, request))
        if name == self.refuses:
            context.abort(grpc.StatusCode.ABORTED, "51: the device\x1b was unplugged")

    def GetAppInfo(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        self._note("GetAppInfo", request, context)
        version = saleae_pb2.Version(major=1)
        about = saleae_pb2.AppInfo(api_version=version, application_version="2.4.29")
        return saleae_pb2.GetAppInfoReply(app_info=about)

    def GetDevices(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        self._note("GetDevices", request, context)
        kind = saleae_pb2.DEVICE_TYPE_LOGIC_PRO_8
        devices = [saleae_pb2.Device(device_id=each, device_type=kind) for each in self.devices]
        devices.append(saleae_pb2.Device(device_id="F4241", device_type=kind, is_simulation=True))
        return saleae_pb2.GetDevicesReply(devices=devices)

    def StartCapture(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        self._note("StartCapture", request, context)
        if self._behind is not None:
            self._behind.start()
            self._reader = threading.Thread(target=self._read)
            self._reader.start()
        return saleae_pb2.StartCaptureReply(capture_info=saleae_pb2.CaptureInfo(capture_id=7))

    def _read(self) -> None:
        assert self._behind is not None
        while not isinstance(item := self._behind.read(0.1), CaptureEnd):
            if isinstance(item, EdgeBlock):
                self._blocks.append(item)

    def StopCapture(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        self._note("StopCapture", request, context)
        if self._reader is not None and self._behind is not None:
            self._behind.stop()
            self._reader.join()
            self.block = EdgeBlock(
                0,
                self._blocks[-1].end_sample,
                np.concatenate([block.index for block in self._blocks]),
                np.concatenate([block.channel for block in self._blocks]),
                np.concatenate([block.level for block in self._blocks]),
                self._blocks[0].levels_before,
            )
        return saleae_pb2.StopCaptureReply()

    def ExportRawDataBinary(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        self._note("ExportRawDataBinary", request, context)
        start = next(each for name, each in self.asked if name == "StartCapture")
        rate_hz, block = start.logic_device_configuration.digital_sample_rate, self.block
        assert block is not None
        for channel in request.logic_channels.digital_channels:
            of_it = block.index[block.channel == channel]
            kept = of_it[of_it >= self.dropped_samples] / rate_hz
            level = (block.levels_before >> channel & 1) ^ (len(of_it) - len(kept)) & 1
            stretch = (
                level,
                self.dropped_samples / rate_hz,
                (block.end_sample - 1) / rate_hz,
                kept,
            )
            data = saleae_binary(self.version, [stretch], rate_hz)
            path = Path(request.directory) / f"digital_{channel}.bin"
            path.write_bytes(data[: len(data) - self.cut_bytes])
        return saleae_pb2.ExportRawDataBinaryReply()

    def CloseCapture(self, request: Any, context: grpc.ServicerContext) -> Any:  # noqa: N802
        self._note("CloseCapture", request, context)
        return saleae_pb2.CloseCaptureReply()


@contextmanager
def serving(program: Logic2) -> Iterator[str]:
    """Serve it on loopback; its address."""
    server = grpc.server(futures.ThreadPoolExecutor(2))
    saleae_pb2_grpc.add_ManagerServicer_to_server(program, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()
