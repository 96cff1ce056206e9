# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program asks of the system that starts it: its interpreter and shared libraries.

As the System V ABI, generic edition (chapters 4 and 5), describes ELF files; of 64 bits,
little-endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from rig.errors import BenchError

_MAGIC = b"\x7fELF\x02\x01"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_ENTRY = struct.Struct("<qQ")
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_END, _NEEDED, _STRINGS = 0, 1, 5


@dataclass(frozen=True)
class Needs:
    """The interpreter and libraries that one ELF file needs."""

    interpreter: str
    """An absolute path; "" for a library."""
    libraries: tuple[str, ...]
    """The libraries' names only, as in `libc.so.6`."""


@dataclass(frozen=True)
class _Segment:
    kind: int
    offset: int
    address: int
    size: int


def needs_of(data: bytes, name: str) -> Needs:
    """Read what an ELF file needs. Raises BenchError for one that is none or is cut off."""
    if not data.startswith(_MAGIC):
        raise BenchError(f"{name}: not an ELF file of 64 bits, little-endian")
    try:
        segments = _segments(data)
        paths = [_text(data, each.offset) for each in segments if each.kind == _INTERPRETER]
        dynamic = [each for each in segments if each.kind == _DYNAMIC]
        libraries = _libraries(data, segments, dynamic[0]) if dynamic else ()
    except (struct.error, ValueError):
        raise BenchError(f"{name}: damaged ELF file") from None
    return Needs(paths[0] if paths else "", libraries)


def _segments(data: bytes) -> list[_Segment]:
    head = _HEADER.unpack_from(data)
    start, size, count = head[5], head[9], head[10]
    found = []
    for number in range(count):
        kind, _, offset, address, _, in_file, _, _ = _SEGMENT.unpack_from(
            data, start + number * size
        )
        found.append(_Segment(kind, offset, address, in_file))
    return found


def _libraries(data: bytes, segments: list[_Segment], dynamic: _Segment) -> tuple[str, ...]:
    names, strings = [], 0
    for at in range(dynamic.offset, dynamic.offset + dynamic.size, _ENTRY.size):
        tag, value = _ENTRY.unpack_from(data, at)
        if tag == _END:
            break
        if tag == _NEEDED:
            names.append(value)
        elif tag == _STRINGS:
            strings = _offset_of(segments, value)
    return tuple(_text(data, strings + name) for name in names)


def _offset_of(segments: list[_Segment], address: int) -> int:
    for each in segments:
        if each.kind == _LOAD and each.address <= address < each.address + each.size:
            return each.offset + address - each.address
    raise ValueError


def _text(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode("ascii")
