# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires that go wrong: what the analyzer is shown of what was driven."""

from __future__ import annotations

from collections.abc import Sequence

from rig.config.virtual.wiring import CHANNELS_MAX, WiringFaults
from rig.virtual.wired_target import WireEdge

RECOVERY_PS = 20 * 10**9
"""The time after which a level that only leaks away has crossed the threshold: beyond any pulse."""


def _mask(channels: Sequence[int]) -> int:
    return sum(1 << channel for channel in channels)


class VirtualWiring:
    """The wires from drivers to the analyzer's inputs. All lines are low at first."""

    def __init__(self, faults: WiringFaults) -> None:
        self._faults = faults
        self.interrupt_open, self.capture_open = faults.interrupt_open, faults.capture_open
        self.capture_is_late = faults.capture_is_late
        self._whole = not faults.at_analyzer
        self._open, self._invert = _mask(faults.open), _mask(faults.invert)
        self._high, self._low = _mask(faults.stuck_high), _mask(faults.stuck_low)
        self._slow = (_mask(faults.no_falling), _mask(faults.no_rising))
        """Channels that are slow to reach level 0, and level 1."""
        self._driven = 0
        self._shown = 0
        self._due_ps: dict[int, int] = {}
        """The time when a slow channel has changed its level at last."""
        self._begun = False

    def capture_delay_ps(self, level: int) -> int:
        """Return how much later an answer to this level reaches the microcontroller."""
        later_ps = self._faults.capture_rising_later_ps if level else 0
        return self._faults.capture_delay_ps + later_ps

    @property
    def plain(self) -> bool:
        """Whether all that is driven is shown as it is."""
        return self._whole

    def through(self, edges: list[WireEdge], now_ps: int) -> list[WireEdge]:
        """Return the edges at the inputs before `now_ps`, sorted; `edges`: all that were driven."""
        if self._whole:
            return edges
        shown: list[WireEdge] = []
        if not self._begun:
            self._begun = True
            levels = self._levels()
            shown += [(0, n, 1) for n in range(CHANNELS_MAX) if levels >> n & 1]
            self._shown = levels
        for time_ps, channel, level in edges:
            self._recover(time_ps, shown)
            bit = 1 << channel
            self._driven = self._driven | bit if level else self._driven & ~bit
            self._follow(time_ps, shown)
        self._recover(now_ps, shown)
        return shown

    def _levels(self) -> int:
        """Return the levels to which the inputs settle, given what is driven."""
        levels = self._driven
        if self._faults.swap:
            a, b = self._faults.swap
            if (levels >> a ^ levels >> b) & 1:
                levels ^= 1 << a | 1 << b
        pair = _mask(self._faults.short)
        if levels & pair:
            levels |= pair
        levels = levels & ~self._open ^ self._invert
        return (levels | self._high) & ~self._low

    def _follow(self, time_ps: int, shown: list[WireEdge]) -> None:
        wanted = self._levels()
        for channel in range(CHANNELS_MAX):
            bit, level = 1 << channel, wanted >> channel & 1
            if not (wanted ^ self._shown) & bit:
                self._due_ps.pop(channel, None)
            elif self._slow[level] & bit:
                self._due_ps.setdefault(channel, time_ps + RECOVERY_PS)
            else:
                self._show(time_ps, channel, shown)

    def _recover(self, until_ps: int, shown: list[WireEdge]) -> None:
        """Show slow channels whose time has come before `until_ps`."""
        for due_ps, channel in sorted((due, channel) for channel, due in self._due_ps.items()):
            if due_ps < until_ps:
                del self._due_ps[channel]
                self._show(due_ps, channel, shown)

    def _show(self, time_ps: int, channel: int, shown: list[WireEdge]) -> None:
        self._shown ^= 1 << channel
        shown.append((time_ps, channel, self._shown >> channel & 1))
