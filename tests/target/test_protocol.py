# SPDX-License-Identifier: GPL-3.0-or-later
"""Agents that send anything at all: the host reads what is right and refuses the rest in a line."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.errors import BenchError
from rig.instruments import LOG_RECORD, ArmOptions
from rig.target.link import AgentLink
from rig.target.protocol import (
    LOG_HEADER,
    MAX_BLOCK,
    ProtocolError,
    decode_log_block,
    encode_log_block,
)
from rig.target.stream import ByteStream, StreamLost
from tests.fuzz.refusal import refusal

HELLO = b"OK rig-agent version=0.1.0 log=2 tick_hz=1000000000 counter=tsc\n"


class Said(ByteStream):
    """All that a peer says, in pieces of any size, then its end."""

    name = "test:peer"

    def __init__(self, data: bytes, sizes: list[int], *, strangers_first: bool = False) -> None:
        self.strangers_first = strangers_first
        self.closed = 0
        self._data, self._sizes = data, sizes

    def read(self, _timeout_s: float) -> bytes:
        if not self._data:
            raise StreamLost("the peer closed the connection; check it")
        size = self._sizes.pop() if self._sizes else 1 << 16
        piece, self._data = self._data[:size], self._data[size:]
        return piece

    def write(self, data: bytes, _timeout_s: float) -> None:
        assert data.endswith(b"\n")

    def close(self) -> None:
        self.closed += 1


SIZES = st.lists(st.integers(1, 20), max_size=50)


@st.composite
def records(draw) -> np.ndarray:
    """A few records of any content."""
    count = draw(st.integers(0, 5))
    data = draw(st.binary(min_size=40 * count, max_size=40 * count))
    return np.frombuffer(data, LOG_RECORD)


def signed(head: bytes, body: bytes) -> bytes:
    """A block whose CRC is right, whatever its header says."""
    return head[:-4] + struct.pack("<I", zlib.crc32(body, zlib.crc32(head[:-4]))) + body


@given(records(), st.integers(0, 2**64 - 6), st.sampled_from([1, 2]))
def test_a_block_that_is_right_is_read(rows, first: int, log_format: int) -> None:
    block = encode_log_block(first, 10**9, rows, log_format)
    assert decode_log_block(block, first).tobytes() == rows.tobytes()


@given(records(), st.data())
def test_a_block_cut_or_prolonged_is_refused(rows, data) -> None:
    block = encode_log_block(7, 10**9, rows)
    size = data.draw(st.integers(0, len(block) - 1))
    with pytest.raises(ProtocolError):
        decode_log_block(block[:size], 7)
    with pytest.raises(ProtocolError):
        decode_log_block(block + data.draw(st.binary(min_size=1, max_size=80)), 7)


@given(
    st.sampled_from([b"LRLG", b"LRLX"]),
    st.sampled_from([0, 1, 2, 3, 65535]),
    st.sampled_from([0, 1, 39, 40, 80, 65535]),
    st.sampled_from([0, 1, 2, 3, 2**32 - 1]),
    st.sampled_from([0, 7, 2**64 - 1]),
    st.integers(0, 3),
)
def test_a_lying_header_with_a_right_crc_is_refused(magic, version, size, count, first, held):
    head = LOG_HEADER.pack(magic, version, size, count, first, 10**9, 0)
    block = signed(head, bytes(40 * held))
    true = (magic, size, count, first) == (b"LRLG", 40, held, 7) and version in (1, 2)
    if true:
        assert len(decode_log_block(block, 7)) == held
    else:
        with pytest.raises(ProtocolError):
            decode_log_block(block, 7)


@given(records(), st.data(), SIZES)
def test_a_flipped_bit_anywhere_in_a_reply_is_never_taken_for_data(rows, data, sizes) -> None:
    block = encode_log_block(0, 10**9, rows, 2)
    reply = bytearray(b"OK %d\n" % len(block) + block)
    bit = data.draw(st.integers(0, 8 * len(reply) - 1))
    reply[bit // 8] ^= 1 << bit % 8
    with AgentLink.over(Said(HELLO + reply, sizes)) as agent, refusal(BenchError):
        assert agent.log(0, 5).tobytes() == rows.tobytes()


def test_more_records_than_asked_for_are_refused() -> None:
    block = encode_log_block(0, 10**9, np.zeros(3, LOG_RECORD), 2)
    reply = b"OK %d\n" % len(block) + block
    with (
        AgentLink.over(Said(HELLO + reply, [])) as agent,
        pytest.raises(BenchError, match="log block of 3 records, asked for 2"),
    ):
        agent.log(0, 2)


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (b"%d" % (MAX_BLOCK + 1), "over the limit of 16777216"),
        (b"99999999999999999999", "over the limit"),
        (b"999999999999999999999", "not a number"),
        (b"-1", "not a number"),
        (b"", "not a number"),
        ("٣".encode(), "not a number"),
    ],
)
def test_lengths_that_lie_are_refused_before_anything_is_awaited(length, words) -> None:
    with (
        AgentLink.over(Said(HELLO + b"OK " + length + b"\n" + b"x" * 100, [])) as agent,
        pytest.raises(BenchError, match=words),
    ):
        agent.log(0, 10)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"[]", "not a JSON object"),
        (b"[" * 100_000, "nested 100,000 deep; valid: at most 32"),
        (b'{"a":' * 100_000, "nested 100,000 deep; valid: at most 32"),
        (b"{", "is it an agent of this rig"),
        (b"\xff", "is it an agent of this rig"),
        (b'{"a": ' + b"9" * 5000 + b"}", "is it an agent of this rig"),
        (b"{}" + b" " * (1 << 20), "over the limit of 1048576"),
    ],
)
def test_an_environment_that_is_none(body: bytes, words: str) -> None:
    with (
        AgentLink.over(Said(HELLO + b"OK %d\n" % len(body) + body, [])) as agent,
        pytest.raises(BenchError, match=words),
    ):
        agent.environment()


PIECES = st.lists(
    st.sampled_from([HELLO, b"OK\n", b"OK ", b"ERR no\n", b"OK handled=1 records=1 dropped=0\n"])
    | st.sampled_from([b"OK 2\n{}", b"OK 5\n{}", b"\n", b"\0", b"OK 99999\n", b"x" * 600])
    | st.binary(max_size=50),
    max_size=8,
).map(b"".join)


@given(PIECES, SIZES, st.booleans())
def test_whatever_a_peer_says_it_is_one_line_or_right(said, sizes, strangers_first) -> None:
    peer = Said(said, sizes, strangers_first=strangers_first)
    with refusal(BenchError), AgentLink.over(peer) as agent:
        assert agent.identity.tick_hz > 0
        assert isinstance(agent.environment(), dict)
        agent.arm(ArmOptions("interrupt", 10))
        assert agent.stop().records >= 0
        agent.log(0, 10)
    assert peer.closed


@given(st.binary(max_size=300).filter(lambda junk: b"OK" not in junk), SIZES)
def test_a_greeting_is_found_behind_any_junk(junk: bytes, sizes: list[int]) -> None:
    peer = Said(junk + HELLO + b"OK 2\n{}", sizes, strangers_first=True)
    with AgentLink.over(peer) as agent:
        assert agent.identity.agent == "rig-agent"
        assert agent.greeting["counter"] == "tsc"
        assert agent.environment() == {}
