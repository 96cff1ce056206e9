# SPDX-License-Identifier: GPL-3.0-or-later
"""The [[virtual.delay]] tables of a fixture: the delays of a virtual bench's wires and inputs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from rig.toml.reader import TomlTable

DELAY_MAX_PS = 10**9
"""The largest delay, a millisecond: far beyond any cable."""
_CHANNELS = 14
_KEYS = ("line_rising", "line_falling", "skew_rising", "skew_falling")


@dataclass(frozen=True)
class ChannelDelay:
    """The delays of one of the analyzer's channels, by edge."""

    channel: int
    line_rising_ps: int
    """The delay from the pin to the analyzer's input, through wire and level shifter."""
    line_falling_ps: int
    skew_rising_ps: int
    """The delay inside the analyzer."""
    skew_falling_ps: int

    def delay_ps(self, level: int) -> int:
        """Return the whole delay of the edge to this level."""
        if level:
            return self.line_rising_ps + self.skew_rising_ps
        return self.line_falling_ps + self.skew_falling_ps


def parse_delays(virtual: TomlTable) -> tuple[ChannelDelay, ...]:
    """Parse the delays of the [virtual] table; none if it has none. Raises InputError."""
    found: list[ChannelDelay] = []
    for table in virtual.tables("delay"):
        table.allow_only(("channel", *_KEYS))
        valid = f"D0 to D{_CHANNELS - 1}"
        channel = int(table.text("channel", pattern="D([0-9]|1[0-3])", valid=valid)[1:])
        if any(each.channel == channel for each in found):
            raise table.error("channel", f"D{channel} is given twice", "one delay for each channel")
        found.append(ChannelDelay(channel, *(_time_ps(table, key) for key in _KEYS)))
    return tuple(found)


def clipped(
    delays: tuple[ChannelDelay, ...], channels: Collection[int]
) -> tuple[ChannelDelay, ...]:
    """Return the delays with these channels clipped to a pin itself: their wires delay nothing."""
    return tuple(
        replace(each, line_rising_ps=0, line_falling_ps=0) if each.channel in channels else each
        for each in delays
    )


def _time_ps(table: TomlTable, key: str) -> int:
    return table.time_ps(key, 0, DELAY_MAX_PS, 0)
