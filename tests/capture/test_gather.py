# SPDX-License-Identifier: GPL-3.0-or-later
"""The worker's path from a driver's packets to frames, with and without the callback in C."""

from __future__ import annotations

import os
import queue
import threading
from typing import Any

import cffi
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture import frames, native
from rig.capture.frame_sender import FrameSender
from rig.capture.native import gather
from rig.capture.worker import CaptureSession
from tests.capture.test_edges import edges_by_looking, edges_of, split
from tests.capture.test_native import masks, sample_trains, unitsizes

HEADER, LOGIC = 10000, 10004
_ffi: Any = cffi.FFI()
_ffi.cdef("""
struct sr_datafeed_packet { uint16_t type; const void *payload; };
struct sr_datafeed_logic { uint64_t length; uint16_t unitsize; void *data; };
typedef void (*callback)(const void *, const struct sr_datafeed_packet *, void *);
""")


Frame = tuple[frames.FrameKind, bytearray]


class Pipe:
    """An outbox, and what comes out of it, read by a thread."""

    def __init__(self) -> None:
        self._read, write = os.pipe()
        self.outbox = FrameSender(write)
        self._came: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        threading.Thread(target=self._read_for_ever, daemon=True).start()

    def _read_for_ever(self) -> None:
        reader = frames.FrameReader()
        while data := os.read(self._read, 1 << 16):
            for frame in reader.feed(data):
                self._came.put(frame)

    def until_sample(self, sample: int) -> list[Frame]:
        """Frames up to the block that ends there."""
        got, end = [], 0
        while end < sample:
            got.append(self._came.get(timeout=20))
            end = frames.unpack_block(got[-1][1])[0].end_sample
        return got

    def until_end(self) -> list[Frame]:
        """Frames up to the capture's end, without that one."""
        got = []
        while (frame := self._came.get(timeout=20))[0] != frames.FrameKind.END:
            got.append(frame)
        return got


@pytest.fixture(scope="module")
def pipe() -> Pipe:
    return Pipe()


class Driver:
    """Calls back as libsigrok does."""

    def __init__(self, pipe: Pipe, mask: int, in_c: bool = True) -> None:
        self.capture = CaptureSession(pipe.outbox, mask)
        self.calls = 0
        """Packets of samples that got to Python."""
        self._ours = _ffi.callback("callback", self._on_packet)
        address = int(_ffi.cast("uintptr_t", self._ours))
        pipe.outbox.gatherer = None
        front = self.capture.in_front(address) if in_c else None
        assert bool(front) == in_c
        called, data = front or (address, 0)
        self._called = _ffi.cast("callback", called)
        self._data = _ffi.cast("void *", data)
        self.capture.begin()

    def _on_packet(self, _device: Any, packet: Any, _data: Any) -> None:
        if packet.type == LOGIC:
            self.calls += 1
            logic = _ffi.cast("struct sr_datafeed_logic *", packet.payload)
            self.capture.on_logic(logic.unitsize, _ffi.buffer(logic.data, logic.length))

    def send(self, unitsize: int, samples: bytes, kind: int = LOGIC) -> None:
        data = _ffi.from_buffer("char[]", samples)
        logic = _ffi.new("struct sr_datafeed_logic *", (len(samples), unitsize, data))
        packet = _ffi.new("struct sr_datafeed_packet *", (kind, logic))
        self._called(_ffi.NULL, packet, self._data)


def edges_in(got: list[Frame]) -> tuple[list[tuple[int, int, int]], int]:
    """Edges of blocks, which must follow each other, and the number of samples."""
    found: list[tuple[int, int, int]] = []
    end = 0
    for kind, payload in got:
        if kind == frames.FrameKind.BLOCK:
            block, way = frames.unpack_block(payload)
            assert block.start_sample == end
            assert way.sent_ns > 0
            end = block.end_sample
            found += edges_of(block.unpacked())
    return found, end


ways = pytest.mark.parametrize("in_c", [True, False])
"""Also as it is where there is no compiler."""


@ways
@unitsizes
@given(data=st.data())
def test_any_packets_give_every_edge(
    pipe: Pipe, in_c: bool, unitsize: int, data: st.DataObject
) -> None:
    samples, mask = data.draw(sample_trains(unitsize)), data.draw(masks(unitsize))
    raw = b"".join(sample.to_bytes(unitsize, "little") for sample in samples)
    driver = Driver(pipe, mask, in_c)
    for part in split(raw, data.draw(st.lists(st.integers(0, 5000), max_size=12))):
        driver.send(unitsize, part)
    driver.capture.on_end()
    found, end = edges_in(pipe.until_end())
    assert found == edges_by_looking(samples, mask)
    assert end == len(samples)


@unitsizes
def test_python_is_called_for_the_first_packet_and_for_busy_ones(pipe: Pipe, unitsize: int) -> None:
    quiet = bytes(4096)
    busy = np.tile([0, 1], 30_000).astype(f"<u{unitsize}").tobytes()
    driver = Driver(pipe, 256**unitsize - 1)
    calls = []
    for part in [quiet] * 50 + [busy, quiet, quiet]:
        driver.send(unitsize, part, HEADER)
        driver.send(unitsize, part)
        calls.append(driver.calls)
    driver.capture.on_end()
    assert calls == [1] * 50 + [2, 3, 3]
    found, end = edges_in(pipe.until_end())
    samples = np.frombuffer(quiet * 50 + busy + quiet * 2, f"<u{unitsize}")
    assert end == len(samples)
    assert found == edges_by_looking(samples.tolist(), 256**unitsize - 1)


def test_what_is_gathered_goes_out_before_it_is_too_much(pipe: Pipe) -> None:
    """Python is called then, and waits if the reader is slow: memory does not grow."""
    driver = Driver(pipe, 0xFF)
    part = bytes([0, 1]) * 1000 + bytes(2000)
    packets = 30
    for _ in range(packets):
        driver.send(1, part)
    assert driver.calls >= 2  # 2,000 edges each, and 16,384 may wait in C
    driver.capture.on_end()
    found, end = edges_in(pipe.until_end())
    assert end == packets * len(part)
    assert found == edges_by_looking(list(part * packets), 0xFF)


@ways
@unitsizes
def test_no_sample_comes_twice_if_all_had_been_sent(pipe: Pipe, in_c: bool, unitsize: int) -> None:
    """Nothing waits to be taken when Python is called for a packet that C does not take."""
    quiet = bytes(4096)
    busy = np.tile([0, 1], 60_000).astype(f"<u{unitsize}").tobytes()
    driver = Driver(pipe, 0xFF, in_c)
    for _ in range(5):
        driver.send(unitsize, quiet)
    got = pipe.until_sample(5 * 4096 // unitsize)
    driver.send(unitsize, busy)
    driver.capture.on_end()
    found, end = edges_in(got + pipe.until_end())
    samples = np.frombuffer(quiet * 5 + busy, f"<u{unitsize}")
    assert end == len(samples)
    assert found == edges_by_looking(samples.tolist(), 0xFF)


@ways
def test_a_sample_cut_in_two_is_put_together(pipe: Pipe, in_c: bool) -> None:
    driver = Driver(pipe, 0xFFFF, in_c)
    raw = np.arange(0, 3000, dtype="<u2").tobytes()
    for part in (raw[:1000], raw[1000:2001], raw[2001:4000], raw[4000:4001], raw[4001:]):
        driver.send(2, part)
    driver.capture.on_end()
    found, end = edges_in(pipe.until_end())
    assert end == 3000
    assert found == edges_by_looking(list(range(3000)), 0xFFFF)


@ways
@pytest.mark.parametrize(
    ("sent", "told"), [(1001, [b"the capture ends within sample 500"]), (1000, [])]
)
def test_an_end_within_a_sample_is_told(
    pipe: Pipe, in_c: bool, sent: int, told: list[bytes]
) -> None:
    driver = Driver(pipe, 0xFFFF, in_c)
    driver.send(2, np.arange(0, 3000, dtype="<u2").tobytes()[:sent])
    driver.capture.on_end()
    got = pipe.until_end()
    assert edges_in(got)[1] == 500
    assert [bytes(text) for kind, text in got if kind == frames.FrameKind.SHORT] == told


def test_without_the_library_nothing_is_in_front(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "LIBRARY", native.LIBRARY.with_name("missing.so"))
    assert not gather.available()
    with pytest.raises(RuntimeError, match="cannot be used"):
        gather.Gatherer(0xFF, 0)
