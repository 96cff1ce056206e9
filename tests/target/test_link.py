# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's link against the virtual agent, and against peers that break the protocol."""

from __future__ import annotations

import socket
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.config.virtual.bench import ConstantModel, FaultSettings, VirtualTarget
from rig.errors import BenchError, RefusedError
from rig.instruments import LOG_RECORD, ArmOptions, TargetSummary
from rig.target.link import AgentLink
from rig.target.protocol import ProtocolError, decode_log_block, encode_log_block
from rig.virtual.agent import AgentServer
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.target import ModelledTarget
from rig.virtual.truth import TruthLog

US = 10**6


@pytest.fixture
def target():
    settings = VirtualTarget(
        ConstantModel(5 * US), seed=1, toggle_time_ps=100_000, clock_hz=10**9, clock_error_ppb=0
    )
    with ModelledTarget(settings, FaultSettings(), AnswerWires(1, (2, 3)), TruthLog(None)) as model:
        yield model


@pytest.fixture
def link(target):
    with (
        AgentServer(target, 10**9, {"system": "test"}) as server,
        AgentLink.open("127.0.0.1", server.port) as link,
    ):
        yield link


def test_a_whole_measurement(target, link):
    assert (link.identity.log_format, link.identity.tick_hz) == (3, 10**9)
    assert link.environment() == {"system": "test"}
    link.arm(ArmOptions("interrupt", capacity=100_000, sequence_bits=2, options={"edge": "rising"}))
    times = [1000 * US * (i + 1) for i in range(70_000)]
    for time_ps in times:
        target.on_stimulus(time_ps, 1)
    summary = link.stop()
    assert (summary.handled, summary.records, summary.dropped) == (70_000, 70_000, 0)
    rows = np.concatenate([link.log(0, 10**6), link.log(65_536, 10**6)])
    assert rows["sequence"].tolist() == list(range(70_000))
    assert rows["handled"].tolist() == list(range(1, 70_001))
    answer_ns = np.array(times) // 1000 + 5000
    start = 3_600_000_000_000
    assert np.all(rows["before_ticks"].astype(np.int64) - start <= answer_ns)
    assert np.all(rows["after_ticks"].astype(np.int64) - start >= answer_ns)
    assert len(link.log(70_000, 10)) == 0


def test_pulses_of_one_pin_bring_all_others_low(target, link):
    link.arm(ArmOptions("interrupt", capacity=10, sequence_bits=2))
    target.on_stimulus(1000 * US, 1)
    link.stop()
    assert [edge[1:] for edge in target.take_edges(10**12)] == [(1, 1), (2, 1)]
    link.pulse("sequence1", 2, sequence_bits=2, width_us=100)
    edges = target.take_edges(10**12)
    assert sorted(edge[1:] for edge in edges[:2]) == [(1, 0), (2, 0)]
    start_ps = edges[0][0]
    assert [(time_ps - start_ps, *rest) for time_ps, *rest in edges[2:]] == [
        (100 * US, 3, 1),
        (200 * US, 3, 0),
        (300 * US, 3, 1),
        (400 * US, 3, 0),
    ]
    link.pulse("response", 1, sequence_bits=0, width_us=100)
    later = target.take_edges(10**12)
    assert [edge[1:] for edge in later] == [(1, 1), (1, 0)]
    assert later[0][0] > edges[-1][0]
    decided = [edge for edge in target.take_decided() if edge[0] >= start_ps]
    assert decided == [edges[0] if edges[0][1] == 1 else edges[1], *later]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("sequence2", 1, 3), "3 sequence bits, 2 are wired"),
        (("task", 1, 2), "signal must be one of response, sequence0, sequence1"),
        (("response", 101, 2), "out of range"),
        (("response", 1, 2, 0), "out of range"),
    ],
)
def test_pulses_that_make_no_sense_are_refused(link, words, why):
    with pytest.raises(BenchError, match=why):
        link.pulse(*words)


def test_a_full_log_counts_what_it_drops(target, link):
    link.arm(ArmOptions("interrupt", capacity=3))
    for i in range(5):
        target.on_stimulus(1000 * US * (i + 1), 1)
    assert link.stop().dropped == 2


def test_a_streamed_log_holds_more_than_it_has_room_for(target, link):
    """In order and whole, read in unequal pieces, each of which makes room for the next."""
    link.arm(ArmOptions("interrupt", capacity=100, options={"edge": "rising"}, stream=True))
    seen, sent = 0, 0
    for count in (90, 70, 100, 3, 97) * 20:
        for _ in range(count):
            sent += 1
            target.on_stimulus(1000 * US * sent, 1)
        rows = link.log(seen, 1000)
        assert rows["sequence"].tolist() == list(range(seen, sent))
        assert rows["handled"].tolist() == list(range(seen + 1, sent + 1))
        seen = sent
        link.log(seen, 1)  # which says that it has them
        with pytest.raises(BenchError, match="the log cannot be read"):
            link.log(seen - 1, 1)
    for number in range(sent + 1, sent + 151):
        target.on_stimulus(1000 * US * number, 1)
    summary = link.stop()
    assert (summary.records, summary.dropped) == (sent + 100, 50)
    assert len(link.log(seen, 1000)) == 100


def test_a_log_that_is_not_streamed_is_read_afterwards(link):
    link.arm(ArmOptions("interrupt", capacity=100))
    with pytest.raises(BenchError, match="armed; send STOP first"):
        link.log(0, 1)


def test_a_check_tells_the_room_for_a_log_and_arms_nothing(target, link):
    room = link.check(ArmOptions("interrupt", capacity=10**12))
    assert (room.records, room.streams, room.bytes_per_s) == (1 << 20, True, None)
    assert not target.armed
    with pytest.raises(RefusedError, match="measurement must be interrupt"):
        link.check(ArmOptions("interrupt_dispatch", 10))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (ArmOptions("interrupt_dispatch", 10), "measurement must be interrupt"),
        (ArmOptions("period", 10), "field period_ns is '', not a number"),
        (ArmOptions("interrupt", 0), "capacity 0 is out of range"),
        (ArmOptions("interrupt", 10, 3), "3 sequence bits, 2 are wired"),
    ],
)
def test_refusals_say_why(link, options, words):
    with pytest.raises(BenchError, match=words):
        link.arm(options)
    link.arm(ArmOptions("interrupt", 10))


def peer(*replies: bytes):
    """A server that answers the n-th line with the n-th reply, then closes."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        connection, _ = listener.accept()
        with connection, listener, connection.makefile("rb") as lines:
            for reply in replies:
                lines.readline()
                connection.sendall(reply)

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()


HELLO = b"OK agent version=1 log=1 tick_hz=1000\n"


def test_further_counts_are_kept_if_they_are_told():
    plain = b"OK handled=5 records=4 dropped=1\n"
    more = b" unanswered=2 overruns=3 triggers=0 of_no_interest=x smis=4 thermal_throttles=5\n"
    told = plain.replace(b"\n", more)
    broken = plain.replace(b"\n", b" overruns=x\n")
    with AgentLink.open(*peer(HELLO, plain, told, broken)) as link:
        assert link.stop() == TargetSummary(5, 4, 1)
        assert link.stop() == TargetSummary(
            5, 4, 1, unanswered=2, overruns=3, triggers=0, smis=4, thermal_throttles=5
        )
        with pytest.raises(BenchError, match="field overruns is 'x', not a number"):
            link.stop()


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"OK agent version=1 log=4 tick_hz=1000\n", "log format 4, this rig reads 1 and 2 and 3"),
        (b"OK agent version=1 log=1 tick_hz=0\n", "tick_hz is 0"),
        (b"OK agent nonsense\n", "not of the form name=value"),
        (b"OK agent version=1 log=1 tick_hz=-5\n", "tick_hz is '-5', not a number"),
        (b"x" * 2000, "reply longer than 512 bytes"),
        (b"ERR busy\n", "HELLO refused: busy"),
        (b"", "closed the connection"),
    ],
)
def test_greeting_of_a_wrong_peer(reply, words):
    with pytest.raises(BenchError, match=words):
        AgentLink.open(*peer(reply))


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b"OK 99999999999\n", "over the limit"),
        (b"OK 5\nabcde", "shorter than its header"),
        (b"OK 40\nabc", "closed the connection"),
        (b"OK four\n", "not a number"),
    ],
)
def test_blocks_of_a_wrong_peer(reply, words):
    with AgentLink.open(*peer(HELLO, reply)) as link, pytest.raises(BenchError, match=words):
        link.log(0, 10)


def test_nobody_there():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()
    with pytest.raises(BenchError, match="no connection"):
        AgentLink.open(*address)


@given(st.integers(0, 2**40), st.integers(0, 5), st.data())
def test_a_flipped_bit_in_a_log_block_is_noticed(first, count, data):
    block = bytearray(encode_log_block(first, 10**9, np.zeros(count, LOG_RECORD)))
    assert len(decode_log_block(bytes(block), first)) == count
    bit = data.draw(st.integers(0, 8 * len(block) - 1))
    block[bit // 8] ^= 1 << bit % 8
    with pytest.raises(ProtocolError):
        decode_log_block(bytes(block), first)
