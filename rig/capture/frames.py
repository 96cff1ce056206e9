# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages that the capture worker sends up its pipe: a header, then the payload.

A block's edges are five bytes each and are copied twice, into the pipe and out of it
(docs/decisions/0001 has what that costs against shared memory).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from rig.capture.edges import CHANNEL_MASK, LEVEL_BIT, PackedBlock

MAX_PAYLOAD_BYTES = 16 << 20
"""The bound of a frame's payload; a longer one means that the worker's memory is corrupt."""

_HEADER = struct.Struct("<IIQ")
"""The head of a frame: kind, bytes of the payload, number of the frame from 0."""
_BLOCK = struct.Struct("<qqqqqq")
_BYTES_PER_EDGE = 5

Buffer = bytes | memoryview


class FrameKind(IntEnum):
    """The kind of what a frame carries."""

    IDENTITY = 1
    """JSON: the fields of AnalyzerIdentity."""
    STARTED = 2
    """Empty: the driver accepted the start."""
    BLOCK = 3
    """A PackedBlock; one without edges reports progress."""
    SHORT = 4
    """Text: the samples do not add up."""
    END = 5
    """Empty: the driver ended the capture. Blocks before it hold all samples that came."""
    ERROR = 6
    """Text: libsigrok refused something. The worker exits."""


class FrameError(Exception):
    """The bytes of the pipe are not what the worker sends."""


@dataclass(frozen=True)
class FrameTiming:
    """The timing of a block on its way."""

    sent_ns: int = 0
    """The time when the driver handed over the block's first sample, by the monotonic clock."""
    held_ns: int = 0
    """The longest that the driver has had to wait, so far, before it could hand over a block."""


def pack(kind: FrameKind, number: int, payload: bytes = b"") -> list[Buffer]:
    """Return one frame, in pieces to be written one after the other."""
    return [_HEADER.pack(kind, len(payload), number) + payload]


def pack_block(block: PackedBlock, number: int, way: FrameTiming) -> list[Buffer]:
    """Return the frame of one block: six int64, then the two arrays; nothing is copied."""
    count = len(block.code)
    head = _BLOCK.pack(
        block.start_sample,
        block.end_sample,
        block.levels_before,
        count,
        way.sent_ns,
        way.held_ns,
    )
    header = _HEADER.pack(FrameKind.BLOCK, _BLOCK.size + count * _BYTES_PER_EDGE, number)
    return [header + head, _bytes_of(block.offset), _bytes_of(block.code)]


def _bytes_of(array: np.ndarray[Any, Any]) -> memoryview:
    return np.ascontiguousarray(array).view(np.uint8).data


def unpack_block(payload: bytes | bytearray) -> tuple[PackedBlock, FrameTiming]:
    """Return the block in a frame; its arrays use `payload`'s memory. Raises FrameError."""
    if len(payload) < _BLOCK.size:
        raise FrameError(f"a block of {len(payload)} bytes is shorter than its own head")
    start, end, levels, count, sent_ns, held_ns = _BLOCK.unpack_from(payload)
    if not 0 <= start <= end or len(payload) != _BLOCK.size + count * _BYTES_PER_EDGE:
        raise FrameError(f"a block of {count} edges, samples {start} to {end}, does not add up")
    offset = np.frombuffer(payload, dtype=np.uint32, count=count, offset=_BLOCK.size)
    code = np.frombuffer(payload, dtype=np.uint8, count=count, offset=_BLOCK.size + 4 * count)
    if count and int(offset.max()) >= end - start:
        raise FrameError(f"an edge {int(offset.max())} samples into a block of {end - start}")
    place = offset.astype(np.uint64) << np.uint64(LEVEL_BIT) | code & np.uint8(CHANNEL_MASK)
    if (place[1:] <= place[:-1]).any():
        raise FrameError(f"edges of samples {start} to {end} out of order")
    return PackedBlock(start, end, offset, code, levels), FrameTiming(sent_ns, held_ns)


class FrameReader:
    """A reader that cuts the pipe's bytes into frames: they are read to where they stay."""

    def __init__(self) -> None:
        self._frames = 0
        self._begin(_HEADER.size)
        self._kind: FrameKind | None = None
        """The kind of the frame whose payload is being read; None while its header is."""

    def _begin(self, size: int) -> None:
        self._buffer, self._filled = bytearray(size), 0

    def room(self) -> memoryview:
        """Return the memory for the next bytes of the pipe; it is never empty."""
        return memoryview(self._buffer)[self._filled :]

    def filled(self, count: int) -> tuple[FrameKind, bytearray] | None:
        """Note that so many bytes are in `room`; return the frame that they completed, if they did.

        Raises FrameError; nothing after that can be trusted.
        """
        self._filled += count
        if self._filled < len(self._buffer):
            return None
        if self._kind is None:
            self._kind, size = self._header()
            self._begin(size)
            if size:
                return None
        frame = self._kind, self._buffer
        self._kind = None
        self._begin(_HEADER.size)
        return frame

    def feed(self, data: bytes) -> Iterator[tuple[FrameKind, bytearray]]:
        """Yield the frames of bytes that are already in memory."""
        left = memoryview(data)
        while left:
            room = self.room()
            taken = left[: len(room)]
            room[: len(taken)] = taken
            left = left[len(taken) :]
            if (frame := self.filled(len(taken))) is not None:
                yield frame

    def _header(self) -> tuple[FrameKind, int]:
        kind, size, number = _HEADER.unpack(self._buffer)
        if size > MAX_PAYLOAD_BYTES or kind not in FrameKind.__members__.values():
            raise FrameError(f"a frame of kind {kind} and {size} bytes")
        if number != self._frames:
            raise FrameError(f"frame {number} where {self._frames} should be")
        self._frames += 1
        return FrameKind(kind), size


def write_all(write: Any, pieces: Sequence[Buffer]) -> None:
    """Write all pieces by a function like os.writev, which may take a part of them only."""
    left = [memoryview(piece) for piece in pieces if len(piece)]
    while left:
        done = write(left)
        while left and done >= len(left[0]):
            done -= len(left.pop(0))
        if left and done:
            left[0] = left[0][done:]
