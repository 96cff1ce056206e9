# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent over a byte stream: one line asked, one line or block answered."""

from __future__ import annotations

import contextlib
import json
import socket
from collections.abc import Iterator
from typing import Self

from rig.closing import Closing
from rig.errors import BenchError
from rig.instruments import ArmOptions, LogArray, TargetIdentity, TargetSummary
from rig.target.protocol import (
    LOG_CHUNK,
    LOG_FORMAT,
    MAX_BLOCK,
    MAX_LINE,
    ProtocolError,
    decode_log_block,
    fields,
    number,
)

CONNECT_TIMEOUT_S = 5.0
REPLY_TIMEOUT_S = 10.0


class AgentLink(Closing):
    """A target whose agent is reached over TCP. Implements `rig.instruments.Target`."""

    identity: TargetIdentity

    def __init__(self, address: str, connection: socket.socket) -> None:
        self._address = address
        self._socket = connection
        self._buffer = bytearray()

    @classmethod
    def open(cls, host: str, port: int) -> Self:
        """Connect and greet. Raises BenchError if no agent answers."""
        address = f"tcp:{host}:{port}"
        try:
            connection = socket.create_connection((host, port), CONNECT_TIMEOUT_S)
        except OSError as error:
            raise BenchError(
                f"target {address}: no connection ({error.strerror or error}); is the agent "
                "running there, and is the port right?"
            ) from None
        connection.settimeout(REPLY_TIMEOUT_S)
        agent = cls(address, connection)
        try:
            agent.identity = agent._hello()
        except BaseException:
            agent.close()
            raise
        return agent

    def _hello(self) -> TargetIdentity:
        name, _, rest = self._ask("HELLO").partition(" ")
        with self._speaking():
            pairs = fields(rest)
            identity = TargetIdentity(
                name, pairs.get("version", ""), number(pairs, "log"), number(pairs, "tick_hz")
            )
        if identity.log_format != LOG_FORMAT:
            raise BenchError(
                f"target {self._address}: its agent writes log format {identity.log_format}, this "
                f"rig reads {LOG_FORMAT}; deploy the agent that came with this rig"
            )
        return identity

    def environment(self) -> dict[str, object]:
        """Kernel, clock source, governor and so on, as the agent reports them."""
        with self._speaking():
            value = json.loads(self._block("ENV"))
            if not isinstance(value, dict):
                raise ProtocolError("environment is not a JSON object")
            return value

    def arm(self, options: ArmOptions) -> None:
        """Prepare: allocate the log, attach the handler. Answers count from here."""
        pairs = {
            "measurement": options.measurement,
            "capacity": str(options.capacity),
            "sequence_bits": str(options.sequence_bits),
            **options.options,
        }
        self._ask("ARM " + " ".join(f"{key}={value}" for key, value in pairs.items()))

    def stop(self) -> TargetSummary:
        """Detach the handler; the log stays until the next ARM."""
        reply = self._ask("STOP")
        with self._speaking():
            pairs = fields(reply)
            return TargetSummary(
                number(pairs, "handled"), number(pairs, "records"), number(pairs, "dropped")
            )

    def log(self, first: int, count: int) -> LogArray:
        """At most `count` records from number `first`, dtype LOG_RECORD; fewer at the end."""
        block = self._block(f"LOG {first} {min(count, LOG_CHUNK)}")
        with self._speaking():
            return decode_log_block(block, first)

    def close(self) -> None:
        """May be called twice; never raises."""
        with contextlib.suppress(OSError):
            self._socket.sendall(b"QUIT\n")
        self._socket.close()

    # --- the wire ---------------------------------------------------------------------------

    def _ask(self, line: str) -> str:
        self._send(line)
        status, _, rest = self._line().partition(" ")
        if status == "OK":
            return rest
        raise BenchError(f"target {self._address}: {line.split()[0]} refused: {rest or status}")

    def _block(self, line: str) -> bytes:
        length = self._ask(line)
        with self._speaking():
            size = number({"length": length}, "length")
            if size > MAX_BLOCK:
                raise ProtocolError(f"block of {size} bytes, over the limit of {MAX_BLOCK}")
        while len(self._buffer) < size:
            self._receive()
        block = bytes(self._buffer[:size])
        del self._buffer[:size]
        return block

    def _send(self, line: str) -> None:
        try:
            self._socket.sendall(line.encode("ascii") + b"\n")
        except OSError as error:
            raise self._gone(error) from None

    def _line(self) -> str:
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) > MAX_LINE:
                raise BenchError(f"target {self._address}: reply longer than {MAX_LINE} bytes")
            self._receive()
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line.decode("ascii", "replace").strip()

    def _receive(self) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except OSError as error:
            raise self._gone(error) from None
        if not data:
            raise self._gone(None)
        self._buffer += data

    def _gone(self, error: OSError | None) -> BenchError:
        if isinstance(error, TimeoutError):
            return BenchError(
                f"target {self._address}: no reply within {REPLY_TIMEOUT_S:.0f} s; is the target "
                "hung?"
            )
        why = f" ({error.strerror or error})" if error else ""
        return BenchError(
            f"target {self._address}: the agent closed the connection{why}; check the target"
        )

    @contextlib.contextmanager
    def _speaking(self) -> Iterator[None]:
        """Turn what is wrong with the peer's words into one line that names the peer."""
        try:
            yield
        except ValueError as error:
            raise BenchError(
                f"target {self._address}: {error}; is it an agent of this rig?"
            ) from None
