# SPDX-License-Identifier: GPL-3.0-or-later
"""Level and activity of the wires at one moment, and their way over a pipe. Light: no numpy."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

CHANNELS_MAX: Final = 16
LINE_MAX: Final = 1 << 14
"""Longest line, in bytes, that the listening process sends."""


@dataclass(frozen=True)
class Levels:
    """What the analyzer saw in the last moment."""

    mask: int
    """Bit n: the level of channel n at its end."""
    edges: tuple[int, ...]
    """Edges of each channel in it, by channel number."""
    samples: int
    """Its length."""
    sample_rate_hz: int

    def is_high(self, channel: int) -> bool:
        return bool(self.mask >> channel & 1)

    def edges_per_s(self, channel: int) -> float:
        """Of this channel, over this moment."""
        return self.edges[channel] * self.sample_rate_hz / self.samples

    def line(self) -> bytes:
        """As it passes the pipe."""
        fields = {"mask": self.mask, "edges": self.edges, "samples": self.samples,
                  "sample_rate_hz": self.sample_rate_hz}  # fmt: skip
        return json.dumps(fields).encode() + b"\n"


def error_line(text: str) -> bytes:
    """What is sent in place of levels when it is over."""
    return json.dumps({"error": text}).encode() + b"\n"


def levels_of(line: bytes) -> Levels | str:
    """The way back; a string is an error's text. Raises ValueError for anything else."""
    stored = json.loads(line)
    if not isinstance(stored, dict):
        raise ValueError("no object")
    if isinstance(stored.get("error"), str):
        return str(stored["error"])
    edges = stored.get("edges")
    if not isinstance(edges, list) or len(edges) != CHANNELS_MAX:
        raise ValueError("levels of another number of channels")
    numbers = [_number(stored.get(name)) for name in ("mask", "samples", "sample_rate_hz")]
    mask, samples, rate_hz = numbers
    if mask >> CHANNELS_MAX or not samples or not rate_hz:
        raise ValueError("levels out of range")
    return Levels(mask, tuple(_number(each) for each in edges), samples, rate_hz)


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError("not a count")
    return value
