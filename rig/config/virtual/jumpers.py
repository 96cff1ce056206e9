# SPDX-License-Identifier: GPL-3.0-or-later
"""The [virtual.jumpers] table of a fixture: what is connected for a step of the calibration."""

from __future__ import annotations

from dataclasses import dataclass

from rig.toml.reader import TomlTable

CHANNELS = 14
DELAY_MAX_PS = 10**9
JITTER_MAX_PS = 10**7
_CHANNEL = "D([0-9]|1[0-3])"
_CHANNEL_VALID = "D0 to D13"
_LIST_VALID = 'different channels, such as "D0 D1 D2"'


@dataclass(frozen=True)
class Jumpers:
    """Wires that are there for a step only. Channels are bit numbers."""

    fan_out: tuple[int, ...] = ()
    """The stimulus pin on all of these, in place of what drives them else."""
    direct: bool = False
    """Whether these channels are clipped to the pin itself: their own wires delay nothing."""
    loopback: bool = False
    """The stimulus pin on the response's channel and on the input capture, in place of the
    target's answer."""
    loopback_delay_ps: int = 0
    """The delay with which it arrives there."""
    tap: tuple[int, ...] = ()
    """Two channels: the second clipped to the far end of the first one's wire, before its delay."""
    pps: int = -1
    """Channel of a receiver's pulse a second; -1: none."""
    pps_jitter_ps: int = 0
    """Each of its pulses is early or late by up to this."""


def parse_jumpers(table: TomlTable) -> Jumpers:
    """The table, or no jumpers if it is not there. Raises InputError."""
    table.allow_only(
        ("fan_out", "direct", "loopback", "loopback_delay", "tap", "pps", "pps_jitter")
    )
    pps = -1
    if "pps" in table:
        pps = int(table.text("pps", pattern=_CHANNEL, valid=_CHANNEL_VALID)[1:])
    return Jumpers(
        fan_out=_channels(table, "fan_out"),
        direct=table.flag("direct"),
        loopback=table.flag("loopback"),
        loopback_delay_ps=table.time_ps("loopback_delay", 0, DELAY_MAX_PS, 0),
        tap=_channels(table, "tap", count=2),
        pps=pps,
        pps_jitter_ps=table.time_ps("pps_jitter", 0, JITTER_MAX_PS, 0),
    )


def _channels(table: TomlTable, key: str, count: int = 0) -> tuple[int, ...]:
    if key not in table:
        return ()
    valid = 'two different channels, such as "D1 D5"' if count else _LIST_VALID
    text = table.text(key, pattern=f"{_CHANNEL}( {_CHANNEL})*", valid=valid)
    found = tuple(int(word[1:]) for word in text.split())
    if len(set(found)) != len(found) or (count and len(found) != count):
        raise table.error(key, "not such channels", valid)
    return found
