# SPDX-License-Identifier: GPL-3.0-or-later
"""The capture worker's pipe: cut anywhere, the same frames come out."""

from __future__ import annotations

from rig.capture.frames import FrameError, FrameKind, FrameReader, unpack_block
from rig.instruments import EdgeBlock
from tests.fuzz.refusal import refusal

Frames = list[tuple[FrameKind, bytes]]


def one_input(data: bytes) -> None:
    """The first byte is the size of the pieces, 0 for one piece."""
    size, stream = data[:1], data[1:]
    step = (size and size[0]) or len(stream) or 1
    whole = _frames([stream])
    assert whole == _frames([stream[at : at + step] for at in range(0, len(stream), step)])
    for kind, payload in whole[0]:
        if kind is FrameKind.BLOCK:
            with refusal(FrameError):
                packed, _ = unpack_block(payload)
                check_block(packed.unpacked())


def check_block(block: EdgeBlock) -> None:
    """Edges within the block, in order of (index, channel)."""
    assert 0 <= block.start_sample <= block.end_sample
    place = list(zip(block.index.tolist(), block.channel.tolist(), strict=True))
    assert place == sorted(set(place))
    assert all(block.start_sample <= index < block.end_sample for index, _ in place)


def _frames(pieces: list[bytes]) -> tuple[Frames, bool]:
    """All whole frames before the first damage, and whether there is some."""
    reader, frames = FrameReader(), Frames()
    try:
        for piece in pieces:
            frames += ((kind, bytes(payload)) for kind, payload in reader.feed(piece))
    except FrameError as error:
        with refusal(FrameError):
            raise error
        return frames, True
    return frames, False
