# SPDX-License-Identifier: GPL-3.0-or-later
"""Level and activity of the wires at one moment, and their way to the window. Light: no numpy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from gui.processes.messages import Message

CHANNELS_MAX: Final = 16
KIND: Final = "levels"


@dataclass(frozen=True)
class ChannelLevels:
    """The levels and edges that the analyzer saw in the last moment."""

    mask: int
    """The level of channel n at the moment's end, as bit n."""
    edges: tuple[int, ...]
    """The number of edges in the moment, by channel number."""
    samples: int
    """The length of the moment."""
    sample_rate_hz: int

    def is_high(self, channel: int) -> bool:
        return bool(self.mask >> channel & 1)

    def edges_per_s(self, channel: int) -> float:
        """Return the edges per second of a channel over this moment."""
        return self.edges[channel] * self.sample_rate_hz / self.samples

    def message(self) -> Message:
        """Return the message that takes the levels to the window."""
        return Message(KIND, asdict(self))


def levels_of(message: Message) -> ChannelLevels:
    """Return the levels in a message. Raises ValueError for anything else."""
    stored = message.fields
    edges = stored.get("edges")
    if not isinstance(edges, list) or len(edges) != CHANNELS_MAX:
        raise ValueError("levels of another number of channels")
    numbers = [_number(stored.get(name)) for name in ("mask", "samples", "sample_rate_hz")]
    mask, samples, rate_hz = numbers
    if mask >> CHANNELS_MAX or not samples or not rate_hz:
        raise ValueError("levels out of range")
    return ChannelLevels(mask, tuple(_number(each) for each in edges), samples, rate_hz)


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError("not a count")
    return value
