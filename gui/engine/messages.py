# SPDX-License-Identifier: GPL-3.0-or-later
"""What passes from engine to window: framed messages of JSON fields and arrays of integers.

A message is two lengths (of all that follows, and of the JSON in it; 32 bits, little-endian), the
JSON object, and the arrays one after the other as 64-bit little-endian integers. The JSON's `kind`
tells what it is, its `arrays` lists each array's name and length.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from rig.instruments import Int64Array

_HEAD: Final = struct.Struct("<II")
MESSAGE_MAX: Final = 1 << 24
"""Longest message in bytes; a longer one is not from our engine."""


@dataclass(frozen=True)
class Message:
    """One message; `fields` are as JSON has them."""

    kind: str
    fields: Mapping[str, Any]
    arrays: Mapping[str, Int64Array] = field(default_factory=dict)
    """Each of shape (n,)."""


def packed(message: Message) -> bytes:
    """The bytes of a message. Raises ValueError if it is too long."""
    listed = [[name, len(array)] for name, array in message.arrays.items()]
    fields = {**message.fields, "kind": message.kind, "arrays": listed}
    text = json.dumps(fields).encode()
    blobs = [
        np.ascontiguousarray(array, dtype="<i8").tobytes() for array in message.arrays.values()
    ]
    total = 4 + len(text) + sum(map(len, blobs))
    if total > MESSAGE_MAX:
        raise ValueError(f"a message of {total} bytes; {MESSAGE_MAX} at most")
    return b"".join((_HEAD.pack(total, len(text)), text, *blobs))


class Unpacker:
    """Bytes as they come to messages."""

    def __init__(self) -> None:
        self._heard = bytearray()

    def feed(self, piece: bytes) -> Iterator[Message]:
        """The messages that this piece completes. Raises ValueError for what is none."""
        self._heard += piece
        while len(self._heard) >= _HEAD.size:
            total, text_length = _HEAD.unpack_from(self._heard)
            if total > MESSAGE_MAX or text_length + 4 > total:
                raise ValueError(f"a message of {total} bytes, {text_length} of them JSON")
            end = 4 + total
            if len(self._heard) < end:
                return
            body = bytes(self._heard[_HEAD.size : end])
            del self._heard[:end]
            yield _message(body[:text_length], body[text_length:])


def _message(text: bytes, blob: bytes) -> Message:
    fields = json.loads(text)
    if not isinstance(fields, dict) or not isinstance(fields.get("kind"), str):
        raise ValueError("a message without a kind")
    arrays: dict[str, Int64Array] = {}
    at = 0
    for name, count in fields.pop("arrays", []):
        if not isinstance(count, int) or not 0 <= count <= (len(blob) - at) // 8:
            raise ValueError(f"array {name} is longer than its message")
        arrays[str(name)] = np.frombuffer(blob, "<i8", count, at).astype(np.int64)
        at += 8 * count
    return Message(fields.pop("kind"), fields, arrays)
