# SPDX-License-Identifier: GPL-3.0-or-later
"""What the window's processes say to it: lines of JSON, each an object with its `kind`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

LINE_MAX: Final = 1 << 24
"""Longest line in bytes; a longer one is not from a process of ours."""
FAILED: Final = "failed"
"""Kind of a message whose `text` says why the work was not done, with `details` for a report.
`refused`: what was asked for cannot be had here; something else may be."""


@dataclass(frozen=True)
class Message:
    """One message; `fields` are as JSON has them."""

    kind: str
    fields: Mapping[str, Any] = field(default_factory=dict)


def packed(message: Message) -> bytes:
    """The line of a message. Raises ValueError if it is too long."""
    line = json.dumps({**message.fields, "kind": message.kind}).encode() + b"\n"
    if len(line) > LINE_MAX:
        raise ValueError(f"a message of {len(line)} bytes; {LINE_MAX} at most")
    return line


class Unpacker:
    """Makes messages of bytes as they come."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, piece: bytes) -> Iterator[Message]:
        """The messages that this piece completes. Raises ValueError for what is none."""
        searched = len(self._rest)
        self._rest += piece
        while (end := self._rest.find(b"\n", searched)) >= 0:
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            searched = 0
            if len(line) >= LINE_MAX:
                raise ValueError(f"a message of {len(line)} bytes")
            yield _message(line)
        if len(self._rest) >= LINE_MAX:
            raise ValueError("a message that does not end")


def _message(line: bytes) -> Message:
    try:
        fields = json.loads(line)
    except RecursionError:
        raise ValueError("a message nested too deeply") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("kind"), str):
        raise ValueError("a message without a kind")
    return Message(fields.pop("kind"), fields)
