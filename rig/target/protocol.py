# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent's line protocol and log format, as targets/PROTOCOL.md describes them."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from rig.instruments import LOG_RECORD, LogArray

LOG_MAGIC = b"LRLG"
LOG_FORMAT = 3
LOG_FORMATS = (1, 2, 3)
"""The log formats that are read. All have the same header and size of record."""
LOG_HEADER = struct.Struct("<4sHHIQQI")
"""magic, format, record size, count, first record, tick rate in Hz, CRC-32."""
FURTHER_COUNTS = (
    "unanswered", "overruns", "triggers", "throttled", "work_per_ms", "smis", "thermal_throttles",
)  # fmt: skip
"""The further counts in the answer to STOP of agents with log format 2 or later; summary fields."""
WORD_MAX = 40
"""No word of an agent that is shown as it is has more characters."""
MAX_LINE = 512
MAX_BLOCK = 1 << 24
"""No block is longer; a length above it is a broken or hostile peer."""
MAX_ENVIRONMENT = 1 << 20
"""No block of JSON is longer: what it becomes in memory is many times as long."""
LOG_CHUNK = 1 << 16
"""Records asked for at a time."""


class ProtocolError(ValueError):
    """The peer sent something that is not of the protocol."""


def encode_log_block(
    first: int, tick_hz: int, records: LogArray, log_format: int = LOG_FORMAT
) -> bytes:
    """A log block: header with CRC-32 over header (without the CRC) and records, then records."""
    body = records.tobytes()
    head = LOG_HEADER.pack(
        LOG_MAGIC, log_format, LOG_RECORD.itemsize, len(records), first, tick_hz, 0
    )[:-4]
    return head + struct.pack("<I", zlib.crc32(body, zlib.crc32(head))) + body


def decode_log_block(block: bytes, first: int) -> LogArray:
    """Records of a block that begins at record `first`. Raises ProtocolError."""
    if len(block) < LOG_HEADER.size:
        raise ProtocolError(f"log block of {len(block)} bytes is shorter than its header")
    magic, version, size, count, start, _, crc = LOG_HEADER.unpack_from(block)
    body = block[LOG_HEADER.size :]
    if magic != LOG_MAGIC or version not in LOG_FORMATS or size != LOG_RECORD.itemsize:
        raise ProtocolError(f"log block has format {magic!r} {version}, records of {size} bytes")
    if len(body) != count * size:
        raise ProtocolError(f"log block says {count} records and holds {len(body)} bytes")
    if zlib.crc32(body, zlib.crc32(block[: LOG_HEADER.size - 4])) != crc:
        raise ProtocolError("log block fails its CRC")
    if start != first:
        raise ProtocolError(f"log block begins at record {start}, asked for {first}")
    return np.frombuffer(body, LOG_RECORD)


def fields(line: str) -> dict[str, str]:
    """`a=1 b=2` to a dictionary. Raises ProtocolError."""
    pairs = {}
    for word in line.split():
        key, separator, value = word.partition("=")
        if not separator or not key:
            raise ProtocolError(f"{word!r} is not of the form name=value")
        pairs[key] = value
    return pairs


def number(pairs: dict[str, str], key: str) -> int:
    """A non-negative integer field of at most 20 digits. Raises ProtocolError."""
    text = pairs.get(key, "")
    if not (text.isascii() and text.isdigit() and len(text) <= 20):
        raise ProtocolError(f"field {key} is {text!r}, not a number")
    return int(text)
