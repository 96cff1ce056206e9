# SPDX-License-Identifier: GPL-3.0-or-later
"""The fixture as its wires were found: the same text with other channels."""

from __future__ import annotations

import re
from collections.abc import Mapping

from calibration.wiring.judge import arrivals
from calibration.wiring.observed import Observed
from rig.config.fixture import Fixture, parse_fixture

_HEADER = re.compile(r"^\s*\[")
_SIGNAL = re.compile(r"""^\s*signal\s*=\s*["']([a-z0-9]+)["']""")
_CHANNEL = re.compile(r"""^(\s*channel\s*=\s*)(["'])D[0-9]+\2""")
_SWAP = re.compile(r"^\s*swap\s*=")


def rewritten(fixture: Fixture, observed: Observed) -> str:
    """The text with each wire's channel as found; "" if that cannot be told of every wire.

    A wire must arrive on one channel, not inverted, and no two on the same. One that nobody could
    drive keeps its channel if that is free.
    """
    where = arrivals(observed)
    channels: dict[str, int] = {}
    for wire in fixture.wires:
        there = where.get(wire.signal)
        if there is None:
            channels[wire.signal] = wire.channel
        elif len(there) == 1 and not there[0].inverted:
            channels[wire.signal] = there[0].channel
        else:
            return ""
    return with_channels(fixture, channels)


def with_channels(fixture: Fixture, channels: Mapping[str, int]) -> str:
    """The text with another channel for each signal; "" if two share one or it has no place.

    A virtual bench's swap goes: its wires begin at the fixture's channels, and now end there too.
    """
    if len(set(channels.values())) < len(channels):
        return ""
    text = "".join(_with_channels(fixture.text.splitlines(keepends=True), channels))
    found = parse_fixture(text, fixture.source)
    told = {wire.signal: wire.channel for wire in found.wires}
    return text if told == channels else ""


def _with_channels(lines: list[str], channels: Mapping[str, int]) -> list[str]:
    """Table by table, since `signal` may stand behind `channel`."""
    result: list[str] = []
    start = 0
    for end in [*(n for n, line in enumerate(lines) if n and _HEADER.match(line)), len(lines)]:
        table = lines[start:end]
        signals = [match[1] for line in table if (match := _SIGNAL.match(line))]
        if signals and table[0].strip().startswith("[[wire]]"):
            channel = channels[signals[0]]
            table = [_CHANNEL.sub(rf"\g<1>\g<2>D{channel}\g<2>", line) for line in table]
        elif table[0].strip().startswith("[virtual.wiring]"):
            table = ["\n" if _SWAP.match(line) else line for line in table]
        result += table
        start = end
    return result
