# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames survive any split of the pipe, and damage is noticed before it is believed."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture import frames
from rig.capture.edges import PackedBlock

BLOCK = PackedBlock(
    start_sample=2**40,
    end_sample=2**40 + 9,
    offset=np.array([1, 8], dtype=np.uint32),
    code=np.array([0x80, 13], dtype=np.uint8),
    levels_before=0x2000,
)
WAY = frames.FrameTiming(sent_ns=12_345_678_901, held_ns=77)


def joined(*frame_pieces: list[frames.Buffer]) -> bytes:
    return b"".join(piece for pieces in frame_pieces for piece in pieces)


def assert_same(one: PackedBlock, other: PackedBlock) -> None:
    assert (one.start_sample, one.end_sample) == (other.start_sample, other.end_sample)
    assert one.levels_before == other.levels_before
    for name in ("offset", "code"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)


@given(piece=st.integers(1, 120))
def test_frames_survive_any_split(piece: int) -> None:
    data = joined(
        frames.pack(frames.FrameKind.IDENTITY, 0, b"who"),
        frames.pack_block(BLOCK, 1, WAY),
        frames.pack(frames.FrameKind.END, 2),
    )
    reader = frames.FrameReader()
    got = [
        frame for at in range(0, len(data), piece) for frame in reader.feed(data[at : at + piece])
    ]
    assert [kind for kind, _ in got] == [
        frames.FrameKind.IDENTITY,
        frames.FrameKind.BLOCK,
        frames.FrameKind.END,
    ]
    assert got[0][1] == b"who"
    block, way = frames.unpack_block(got[1][1])
    assert_same(block, BLOCK)
    assert way == WAY


@pytest.mark.parametrize(
    "header",
    [
        struct.pack("<IIQ", *numbers)
        for numbers in ((3, 2**31, 0), (99, 0, 0), (0, 8, 0), (5, 0, 1))
    ],
)
def test_impossible_headers_are_refused(header: bytes) -> None:
    with pytest.raises(frames.FrameError):
        list(frames.FrameReader().feed(header))


def test_a_missing_frame_is_noticed() -> None:
    data = joined(frames.pack(frames.FrameKind.STARTED, 0), frames.pack(frames.FrameKind.END, 2))
    reader = frames.FrameReader()
    with pytest.raises(frames.FrameError, match="frame 2 where 1 should be"):
        list(reader.feed(data))


@given(st.binary(max_size=80))
def test_a_damaged_block_is_refused_or_consistent(payload: bytes) -> None:
    try:
        block, _ = frames.unpack_block(bytearray(payload))
    except frames.FrameError:
        return
    assert 48 + 5 * len(block.code) == len(payload)
    assert all(offset < block.end_sample - block.start_sample for offset in block.offset.tolist())


@pytest.mark.parametrize("count", [-1, 1, 3, 2**62])
def test_a_false_count_is_refused(count: int) -> None:
    good = bytearray(joined(frames.pack_block(BLOCK, 0, WAY))[16:])
    good[24:32] = struct.pack("<q", count)
    with pytest.raises(frames.FrameError):
        frames.unpack_block(good)


def test_an_edge_outside_its_block_is_refused() -> None:
    outside = BLOCK._replace(end_sample=BLOCK.start_sample + 8)
    with pytest.raises(frames.FrameError, match="an edge 8 samples into a block of 8"):
        frames.unpack_block(joined(frames.pack_block(outside, 0, WAY))[16:])


@pytest.mark.parametrize(
    ("offset", "code"), [([8, 1], [0, 0]), ([5, 5], [1, 0x80]), ([5, 5], [3, 3])]
)
def test_edges_out_of_order_are_refused(offset: list[int], code: list[int]) -> None:
    damaged = BLOCK._replace(offset=np.array(offset, np.uint32), code=np.array(code, np.uint8))
    with pytest.raises(frames.FrameError, match="out of order"):
        frames.unpack_block(joined(frames.pack_block(damaged, 0, WAY))[16:])


@given(sizes=st.lists(st.integers(0, 50), max_size=6), most=st.integers(1, 60))
def test_a_pipe_that_takes_little_at_once_gets_all(sizes: list[int], most: int) -> None:
    pieces = [bytes([number]) * size for number, size in enumerate(sizes)]
    taken = bytearray()

    def write(left: list[memoryview]) -> int:
        part = b"".join(left)[:most]
        taken.extend(part)
        return len(part)

    frames.write_all(write, pieces)
    assert taken == b"".join(pieces)
