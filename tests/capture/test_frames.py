# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames survive any split of the pipe, and damage is noticed before it is believed."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture import frames
from rig.instruments import EdgeBlock

BLOCK = EdgeBlock(
    start_sample=2**40,
    end_sample=2**40 + 9,
    index=np.array([2**40 + 1, 2**40 + 8], dtype=np.int64),
    channel=np.array([0, 13], dtype=np.uint8),
    level=np.array([1, 0], dtype=np.uint8),
    levels_before=0x2000,
)


def assert_same(one: EdgeBlock, other: EdgeBlock) -> None:
    assert (one.start_sample, one.end_sample) == (other.start_sample, other.end_sample)
    assert one.levels_before == other.levels_before
    for name in ("index", "channel", "level"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)


@given(piece=st.integers(1, 120))
def test_frames_survive_any_split(piece: int) -> None:
    data = frames.pack(frames.Kind.IDENTITY, b"who") + frames.pack_block(BLOCK)
    data += frames.pack(frames.Kind.END)
    reader = frames.FrameReader()
    got = [
        frame for at in range(0, len(data), piece) for frame in reader.feed(data[at : at + piece])
    ]
    assert [kind for kind, _ in got] == [
        frames.Kind.IDENTITY,
        frames.Kind.BLOCK,
        frames.Kind.END,
    ]
    assert got[0][1] == b"who"
    assert_same(frames.unpack_block(got[1][1]), BLOCK)


@pytest.mark.parametrize(
    "header", [struct.pack("<II", 3, 2**31), struct.pack("<II", 99, 0), struct.pack("<II", 0, 8)]
)
def test_impossible_headers_are_refused(header: bytes) -> None:
    with pytest.raises(frames.FrameError):
        list(frames.FrameReader().feed(header))


@given(st.binary(max_size=80))
def test_a_damaged_block_is_refused_or_consistent(payload: bytes) -> None:
    try:
        block = frames.unpack_block(bytearray(payload))
    except frames.FrameError:
        return
    assert 32 + 10 * len(block.index) == len(payload)


@pytest.mark.parametrize("count", [-1, 1, 3, 2**62])
def test_a_false_count_is_refused(count: int) -> None:
    good = bytearray(frames.pack_block(BLOCK)[8:])
    good[24:32] = struct.pack("<q", count)
    with pytest.raises(frames.FrameError):
        frames.unpack_block(good)
