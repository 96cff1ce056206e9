# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures stored channel by channel, as Saleae's and DSView's programs write them."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.replay.captures import zip_of

Chunk = tuple[int, float, float, Sequence[float]]
"""The level, begin and end in seconds, and the times of the changes."""

DSL_HEADER = """\
[version]
version = 3
[header]
driver = DSLogic
device mode = 0
capturefile = data
total samples = {samples}
total probes = 2
total blocks = {blocks}
samplerate = 25 MHz
trigger pos = 0
probe0 = stimulus
 trigger0 = X
probe3 = 3
"""


def saleae_binary(version: int, chunks: Sequence[Chunk], rate_hz: float = 0.0) -> bytes:
    """A file of Saleae's binary format; version 0 has one chunk, which tells no rate."""
    data = struct.pack("<8sii", b"<SALEAE>", version, 0)
    data += struct.pack("<Q", len(chunks)) if version else b""
    for level, begin_s, end_s, times in chunks:
        rate = [rate_hz] if version else []
        data += struct.pack(f"<I{'d' * len(rate)}ddQ", level, *rate, begin_s, end_s, len(times))
        data += np.array(times, "<f8").tobytes()
    return data


def dsl_of(path: Path, levels: dict[int, np.ndarray], block_samples: int) -> Path:
    """A file of DSView with the samples of these channels, in blocks."""
    samples = len(next(iter(levels.values())))
    blocks = -(-samples // block_samples)
    entries: dict[str, str | bytes] = {
        "header": DSL_HEADER.format(samples=samples, blocks=blocks),
        "decoders": "[]",
    }
    for channel, level in levels.items():
        for block in range(blocks):
            part = level[block * block_samples : (block + 1) * block_samples]
            packed = np.packbits(np.pad(part, (0, -len(part) % 64)), bitorder="little")
            entries[f"L-{channel}/{block}"] = packed.tobytes()
    return zip_of(path, entries)
