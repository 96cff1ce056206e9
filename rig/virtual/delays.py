# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires and inputs that are late: edges reach the analyzer after the time that they happened at."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from rig.config.virtual.delays import ChannelDelay
from rig.virtual.wired_target import WireEdge


class DelayLines:
    """The delays between pins and analyzer. Edges of one channel never overtake."""

    def __init__(self, delays: Iterable[ChannelDelay]) -> None:
        self._delays = {each.channel: each for each in delays}
        self._under_way: list[tuple[int, int, int, int]] = []
        self._number = 0
        self._last_ps: dict[int, int] = {}

    @property
    def plain(self) -> bool:
        """Whether nothing is late."""
        return not self._delays

    def through(self, edges: list[WireEdge], until_ps: int) -> list[WireEdge]:
        """Take the edges that happened; hand out those that arrive before a time, in order.

        `edges` are in order and before `until_ps`, which never falls.
        """
        if not self._delays:
            return edges
        for time_ps, channel, level in edges:
            self._send(time_ps, channel, level)
        arrived = []
        while self._under_way and self._under_way[0][0] < until_ps:
            time_ps, _, channel, level = heapq.heappop(self._under_way)
            arrived.append((time_ps, channel, level))
        return arrived

    def _send(self, time_ps: int, channel: int, level: int) -> None:
        delay = self._delays.get(channel)
        arrival_ps = time_ps + (0 if delay is None else delay.delay_ps(level))
        # A pulse shorter than the difference of its edges' delays comes out with no length.
        arrival_ps = max(arrival_ps, self._last_ps.get(channel, arrival_ps))
        self._last_ps[channel] = arrival_ps
        self._number += 1
        heapq.heappush(self._under_way, (arrival_ps, self._number, channel, level))
