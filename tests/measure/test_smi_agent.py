# SPDX-License-Identifier: GPL-3.0-or-later
"""The real agent spins on this machine: what it logs of its toggles, whatever holds it up.

A socket stands for the pins. Nothing is said of how long anything took: only of order and number.
"""

from __future__ import annotations

import socket
import subprocess
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from rig.errors import BenchError
from rig.instruments import ArmOptions
from rig.target.link import AgentLink
from tests.target.real_agent import agent_program

COUNT = 5000
MARKS = 1000


@pytest.fixture(scope="module")
def agent(tmp_path_factory) -> Iterator[tuple[AgentLink, socket.socket]]:
    path = tmp_path_factory.mktemp("agent") / "line"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        words = [agent_program(), "--port", "posix", "--device", path, "--tcp", "0",
                 "--allow-unlocked", "--cpu-dma-latency", "off"]  # fmt: skip
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                port = int(process.stderr.readline().rsplit(":", 1)[1])
                pins, _ = listener.accept()
                with pins, AgentLink.open("127.0.0.1", port) as link:
                    pins.settimeout(60)
                    yield link, pins
            finally:
                process.terminate()
                process.communicate(timeout=20)


def armed(link: AgentLink, capacity: int = 20_000, **more: str) -> None:
    words = {"count": str(COUNT), "pause_ns": "1000", "threshold_ns": "30000", "priority": "0"}
    link.arm(ArmOptions("smi", capacity, 2, words | more))


def read_behind(pins: socket.socket, seen: bytearray, count: int) -> threading.Thread:
    """A pin that nobody reads is one that cannot be written."""

    def read() -> None:
        while len(seen) < count:
            piece = pins.recv(1 << 16)
            if not piece:
                return
            seen.extend(piece)

    thread = threading.Thread(target=read)
    thread.start()
    return thread


def test_both_toggles_around_each_gap_are_logged_and_marks_in_between(agent):
    link, pins = agent
    seen = bytearray()
    reader = read_behind(pins, seen, COUNT)
    armed(link)
    while not link.ended(200):
        pass
    end = link.stop()
    reader.join(60)
    assert (end.handled, end.dropped) == (COUNT, 0)
    # Each toggle is one byte: the response in bit 0, two bits of its number above.
    levels = np.frombuffer(bytes(seen), np.uint8)
    number = np.arange(1, COUNT + 1)
    assert len(levels) == COUNT
    assert (np.diff(levels & 1).astype(np.int8) != 0).all()
    assert np.array_equal(levels >> 1 & 3, number & 3)
    records = link.log(0, end.records)
    handled = records["handled"].astype(np.int64)
    assert (np.diff(handled) > 0).all()
    assert not records["flags"].any()
    every = COUNT // MARKS + 1
    assert set(range(1, COUNT + 1, every)) | {COUNT} <= set(handled.tolist())
    assert (records["after_ticks"] >= records["before_ticks"]).all()
    assert (records["before_ticks"][1:] >= records["after_ticks"][:-1]).all()
    # What is no mark is there for a gap: it follows or precedes one.
    ticks = 30_000 * link.identity.tick_hz // 10**9
    outer = (records["after_ticks"][1:] - records["before_ticks"][:-1]).astype(np.int64)
    gap = (np.diff(handled) == 1) & (outer > ticks)
    beside = np.concatenate([gap, [False]]) | np.concatenate([[False], gap])
    mark = ((handled - 1) % every == 0) | (handled == COUNT)
    assert (beside | mark).all()


def test_a_train_that_is_stopped_ends_with_its_last_toggle(agent):
    link, pins = agent
    seen = bytearray()
    reader = read_behind(pins, seen, 1)
    armed(link, count="100000000", capacity="100000")
    reader.join(60)
    end = link.stop()
    assert 0 < end.handled < 100_000_000
    assert int(link.log(end.records - 1, 1)["handled"][0]) == end.handled


@pytest.mark.parametrize("end", [{"gaps": "1"}, {"duration_ns": "1000000"}])
def test_a_train_ends_before_its_count_where_it_is_told_to(agent, end):
    link, pins = agent
    reader = read_behind(pins, bytearray(), 1)
    # Beside the pause itself there are readings of the counter between two writes.
    armed(link, count="100000000", pause_ns="20000", threshold_ns="20001", **end)
    while not link.ended(200):
        pass
    reader.join(60)
    stopped = link.stop()
    assert 2 <= stopped.handled < 100_000_000
    assert (stopped.handled < 10) == ("gaps" in end)
    records = link.log(0, stopped.records)
    assert int(records["handled"][-1]) == stopped.handled


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ({"threshold_ns": "1000"}, "longer than pause_ns"),
        ({"pause_ns": "1000000001"}, "pause_ns must be"),
        ({"count": "0"}, "needs count"),
        ({"pin": "0"}, "one of pins"),
        ({"tasks": "4"}, "tasks is not for smi"),
        ({"variant": "fork"}, "no variant fork"),
    ],
)
def test_what_makes_no_sense_is_refused(agent, more, part):
    with pytest.raises(BenchError, match=part):
        armed(agent[0], **more)


def test_other_measurements_do_not_take_its_words(agent):
    words = {"count": "5", "period_ns": "1000000", "pause_ns": "5"}
    for measurement, part in (("timer", "pause_ns is not for timer"), ("period", "inside")):
        with pytest.raises(BenchError, match=part):
            agent[0].arm(ArmOptions(measurement, 10, 0, words))
