# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's link: the input is all that the agent ever sends, then it closes the connection."""

from __future__ import annotations

import socket

from rig.instruments import ArmOptions
from rig.target.link import AgentLink
from rig.target.protocol import ProtocolError, decode_log_block, encode_log_block
from rig.target.stream import SocketStream
from tests.fuzz.refusal import refusal

_BYTES_MAX = 1 << 15
"""What a socket takes without anybody reading it."""


def one_input(data: bytes) -> None:
    """The first byte chooses what is asked of the agent."""
    asked, said = data[:1], data[1:_BYTES_MAX]
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(said)
        theirs.shutdown(socket.SHUT_WR)
        stream = SocketStream("tcp:fuzz:1", ours)
        stream.strangers_first = bool(asked and asked[0] & 32)
        with refusal():
            _ask(AgentLink(stream), asked[0] if asked else 0)
    with refusal(ProtocolError):
        records = decode_log_block(said, 0)
        log_format, tick_hz = said[4], int.from_bytes(said[20:28], "little")
        assert encode_log_block(0, tick_hz, records, log_format) == said


def _ask(link: AgentLink, asked: int) -> None:
    if asked & 1:
        link.identity = link._hello()
    if asked & 2:
        link.environment()
    if asked & 4:
        link.arm(ArmOptions("interrupt", capacity=10))
    if asked & 8:
        summary = link.stop()
        assert min(summary.handled, summary.records, summary.dropped) >= 0
    for first in range(asked >> 6):
        link.log(first, 100)
