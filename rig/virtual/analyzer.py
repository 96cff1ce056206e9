# SPDX-License-Identifier: GPL-3.0-or-later
"""A logic analyzer without hardware: serves BeagleLogic's TCP protocol to libsigrok's own driver.

Protocol as spoken by libsigrok 0.5.2, src/hardware/beaglelogic: lines of ASCII that end with a
newline, each reply in one send. `get` starts the raw stream of samples, `close` ends it. The driver
connects twice, first to ask for `version`; one client is served at a time.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Final, Literal

from rig.virtual.capture import SampleStream
from rig.virtual.sampled_lines import SampledLines

_BUFFER_BYTES: Final = 1 << 18
"""The size of its buffers that the analyzer reports."""
_MAX_LINE_BYTES: Final = 256
_EVEN_SEGMENT_BYTES: Final = 32764
"""An even TCP segment size: the driver passes on what one recv gave it, and with the loopback's odd
default a packet of two-byte samples could end within a sample."""
_SEND_BUFFER_BYTES: Final = 1 << 18
"""The socket's buffer: what is on its way to the host stays in the processor's cache."""
_CONGESTION_CONTROL: Final = b"reno"
"""A control that does not pace: pacing splits what the loopback takes whole, with timers."""
_MAX_RATE_HZ: Final = 100_000_000
_SAMPLEUNIT_16_BITS: Final = 0
_SAMPLEUNIT_8_BITS: Final = 1


class VirtualAnalyzer(SampledLines):
    """Context manager; listens on 127.0.0.1 at `port` from its creation on."""

    def __init__(
        self,
        channels: Literal[8, 14],
        rate_error_ppb: int = 0,
        rate_drift_ppb_per_s: int = 0,
        true_rate_hz: int = 0,
    ) -> None:
        """Take the arguments of `SampledLines`."""
        super().__init__(channels, rate_error_ppb, rate_drift_ppb_per_s, true_rate_hz)
        self._settings = {
            "samplerate": _MAX_RATE_HZ,
            "sampleunit": _SAMPLEUNIT_8_BITS if channels == 8 else _SAMPLEUNIT_16_BITS,
            "memalloc": -1,  # the driver reads it unsigned: a buffer that never fills
            "bufunitsize": _BUFFER_BYTES,
            "triggerflags": 1,
        }
        self._client: socket.socket | None = None
        self._closed = False
        self._listener = socket.socket()
        self._listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, _EVEN_SEGMENT_BYTES)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(4)
        self.port: Final[int] = self._listener.getsockname()[1]
        self._server = threading.Thread(target=self._serve, name="virtual analyzer", daemon=True)
        self._server.start()

    @property
    def connection(self) -> str:
        return f"tcp-raw/127.0.0.1/{self.port}"

    @property
    def sample_rate_hz(self) -> int:
        return self._settings["samplerate"]

    def close(self) -> None:
        """Stop serving; a client in mid-stream sees the connection end. May be called twice."""
        self._closed = True
        for connection in (self._listener, self._client):
            if connection is not None:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self._server.join()
        self._listener.close()

    def _serve(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                self._client = client
                _quicken(client)
                if not self._closed:
                    self._converse(client)
                self._client = None

    def _converse(self, client: socket.socket) -> None:
        """Answer one client until it leaves or misbehaves."""
        pending = b""
        try:
            while len(pending) <= _MAX_LINE_BYTES and (data := client.recv(_MAX_LINE_BYTES)):
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    self._obey(line.decode("ascii", "replace").split(), client)
        except OSError:
            pass  # reset by the client: as good as a goodbye
        finally:
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_RDWR)  # so that the sender does not wait for it
            self._end_stream()

    def _obey(self, words: list[str], client: socket.socket) -> None:
        if words == ["get"]:
            self._end_stream()
            wide = self._settings["sampleunit"] == _SAMPLEUNIT_16_BITS
            self._stream = SampleStream(client, 2 if wide else 1)
        elif words == ["close"]:
            self._end_stream()
        else:
            client.sendall(self._reply(words).encode() + b"\n")

    def _reply(self, words: list[str]) -> str:
        match words:
            case ["version"]:
                return "BeagleLogic 1.0"
            case [name] if name in self._settings:
                return str(self._settings[name])
            case [name, number] if name in self._settings and self._is_valid(name, number):
                self._settings[name] = int(number)
                return "ok"
        return "error"

    def _is_valid(self, name: str, number: str) -> bool:
        if not (number.isascii() and number.isdigit()):
            return False
        return name != "samplerate" or 1 <= int(number) <= _MAX_RATE_HZ


def _quicken(client: socket.socket) -> None:
    """Set the options of a socket to a host on the same machine, whatever the defaults are."""
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)
    with contextlib.suppress(OSError):  # a kernel may be without it
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, _CONGESTION_CONTROL)
