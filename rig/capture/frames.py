# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages that the capture worker sends up its pipe: an 8-byte header, then the payload."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum

import numpy as np

from rig.instruments import EdgeBlock

MAX_PAYLOAD_BYTES = 16 << 20
"""More than the worker can ever send in one frame; a longer one means its memory is corrupt."""

_HEADER = struct.Struct("<II")
_BLOCK = struct.Struct("<qqqq")
_BYTES_PER_EDGE = 10


class Kind(IntEnum):
    """What a frame carries."""

    IDENTITY = 1
    """JSON: the fields of AnalyzerIdentity."""
    STARTED = 2
    """Empty: the driver accepted the start."""
    BLOCK = 3
    """An EdgeBlock; one without edges reports progress."""
    SHORT = 4
    """Text: the samples do not add up."""
    END = 5
    """Empty: the driver ended the capture. Blocks before it hold all samples that came."""
    ERROR = 6
    """Text: libsigrok refused something. The worker exits."""


class FrameError(Exception):
    """What came down the pipe is not what the worker sends."""


def pack(kind: Kind, payload: bytes = b"") -> bytes:
    """One frame."""
    return _HEADER.pack(kind, len(payload)) + payload


def pack_block(block: EdgeBlock) -> bytes:
    """Frame of one block: four int64, then the three arrays one after the other."""
    head = _BLOCK.pack(block.start_sample, block.end_sample, block.levels_before, len(block.index))
    arrays = (block.index.tobytes(), block.channel.tobytes(), block.level.tobytes())
    return pack(Kind.BLOCK, b"".join((head, *arrays)))


def unpack_block(payload: bytearray) -> EdgeBlock:
    """The block in a frame; its arrays use `payload`'s memory. Raises FrameError."""
    if len(payload) < _BLOCK.size:
        raise FrameError(f"a block of {len(payload)} bytes is shorter than its own head")
    start, end, levels, count = _BLOCK.unpack_from(payload)
    if not 0 <= start <= end or len(payload) != _BLOCK.size + count * _BYTES_PER_EDGE:
        raise FrameError(f"a block of {count} edges, samples {start} to {end}, does not add up")
    at = _BLOCK.size
    index = np.frombuffer(payload, dtype=np.int64, count=count, offset=at)
    channel = np.frombuffer(payload, dtype=np.uint8, count=count, offset=at + 8 * count)
    level = np.frombuffer(payload, dtype=np.uint8, count=count, offset=at + 9 * count)
    return EdgeBlock(start, end, index, channel, level, levels)


class FrameReader:
    """Cuts the bytes of the pipe into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Kind, bytearray]]:
        """Whole frames so far. Raises FrameError; nothing after that can be trusted."""
        self._buffer += data
        while len(self._buffer) >= _HEADER.size:
            number, length = _HEADER.unpack_from(self._buffer)
            if length > MAX_PAYLOAD_BYTES or number not in Kind.__members__.values():
                raise FrameError(f"a frame of kind {number} and {length} bytes")
            if len(self._buffer) < _HEADER.size + length:
                return
            payload = self._buffer[_HEADER.size : _HEADER.size + length]
            del self._buffer[: _HEADER.size + length]
            yield Kind(number), payload
