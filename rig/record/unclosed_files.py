# SPDX-License-Identifier: GPL-3.0-or-later
"""The reading of a file whose writer died outside of SWMR mode, without changing it.

HDF5 marks a file in its superblock while a program has it open for writing, and refuses to open it
as long as the mark is there. Who dies while storing figures leaves the mark; the raw data are
complete all the same, for nothing touches them. Here HDF5 is shown the file with the mark taken
off. Format: HDF5 File Format Specification 3.0, II.A "Disk Format: Level 0A - Format Signature and
Superblock", version 3; its checksum is Bob Jenkins's lookup3.
"""

from __future__ import annotations

import io
import struct
from pathlib import Path

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_BYTES = 48
_VERSION_AT, _FLAGS_AT, _END_AT, _CHECKSUM_AT = 8, 11, 28, 44
_OFFSET_BYTES = 8


class UnflaggedFile(io.FileIO):
    """A file opened for reading that shows an HDF5 superblock without its mark."""

    def __init__(self, path: Path) -> None:
        """Raises OSError if it cannot be read or does not begin with such a superblock, whole."""
        super().__init__(path, "rb")
        block = bytearray(super().read(_BYTES) or b"")
        if not _is_whole(block):
            self.close()
            raise OSError("no superblock of version 3")
        block[_FLAGS_AT] = 0
        struct.pack_into("<I", block, _CHECKSUM_AT, lookup3(bytes(block[:_CHECKSUM_AT])))
        self._block = bytes(block)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read bytes as FileIO does, the first ones with the mark taken off."""
        start = self.tell()
        count = super().readinto(buffer) or 0
        shown = self._block[start : start + count]
        memoryview(buffer).cast("B")[: len(shown)] = shown
        return count


def superblock_is_marked(path: Path) -> bool:
    """Return whether a program has the file open to write, or died so. Raises OSError.

    HDF5 reads a damaged superblock again and again in SWMR mode, waiting twice as long each time:
    for all practical purposes for ever. So one with a wrong checksum counts as not marked.
    """
    block = _superblock(path)
    return _is_whole(block) and block[_FLAGS_AT] != 0


def bytes_cut_off(path: Path) -> int:
    """Return how many bytes are missing at the end of a file that was closed, 0 for any other.

    A file that is still being written may be shorter than its superblock says. Raises OSError.
    """
    block = _superblock(path)
    if not _is_whole(block) or block[_FLAGS_AT] != 0:
        return 0
    end: int = struct.unpack_from("<Q", block, _END_AT)[0]
    return max(0, end - path.stat().st_size)


def _superblock(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_BYTES)


def _is_whole(block: bytes | bytearray) -> bool:
    return (
        len(block) == _BYTES
        and block.startswith(_SIGNATURE)
        and block[_VERSION_AT] == 3
        and block[_VERSION_AT + 1] == _OFFSET_BYTES
        and block[_CHECKSUM_AT:] == struct.pack("<I", lookup3(bytes(block[:_CHECKSUM_AT])))
    )


def lookup3(data: bytes) -> int:
    """Return Bob Jenkins's hashlittle, initial value 0 (burtleburtle.net/bob/c/lookup3.c, 2006)."""
    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF
    padded = data + bytes(-len(data) % 12)
    *firsts, last = struct.iter_unpack("<3I", padded)
    for x, y, z in firsts:
        a, b, c = _mixed(_low(a + x), _low(b + y), _low(c + z))
    x, y, z = last
    return _final(_low(a + x), _low(b + y), _low(c + z))


def _low(x: int) -> int:
    return x & 0xFFFFFFFF


def _rotated(x: int, bits: int) -> int:
    return _low(x << bits) | x >> (32 - bits)


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in (4, 6, 8, 16, 19, 4):
        a = _low(a - c) ^ _rotated(c, bits)
        c = _low(c + b)
        a, b, c = b, c, a
    return a, b, c


def _final(a: int, b: int, c: int) -> int:
    for bits in (14, 11, 25, 16, 4, 14, 24):
        a, b, c = b, _low((c ^ b) - _rotated(b, bits)), a
    return b
