# SPDX-License-Identifier: GPL-3.0-or-later
"""Wires that are there for a step of the calibration: fan-out, loopback, tap, pulse a second."""

from __future__ import annotations

import numpy as np

from rig.config.virtual.jumpers import Jumpers
from rig.virtual.clock import PS_PER_S
from rig.virtual.wired_target import WireEdge

PPS_WIDTH_PS = PS_PER_S // 10
PPS_FIRST_PS = PS_PER_S // 3
"""The time of the first pulse: a receiver's seconds begin when they do."""


class JumperWires:
    """The jumpers between the pins and the wires. Edges of one channel stay in order."""

    def __init__(self, jumpers: Jumpers, stimulus: int, response: int, seed: int = 0) -> None:
        self._jumpers, self._stimulus, self._response = jumpers, stimulus, response
        self._rng = np.random.default_rng(seed)
        self._pps_ps = PPS_FIRST_PS
        self._held: list[WireEdge] = []
        replaced = {*jumpers.fan_out, *jumpers.tap[1:]}
        if jumpers.loopback:
            replaced.add(response)
        if jumpers.pps >= 0:
            replaced.add(jumpers.pps)
        self._replaced = frozenset(replaced)

    @property
    def plain(self) -> bool:
        """Whether there are no jumpers."""
        return not self._replaced

    @property
    def loopback(self) -> bool:
        """Whether the microcontroller's answer is its own stimulus."""
        return self._jumpers.loopback

    def answer_ps(self, time_ps: int) -> int:
        """Return the time at which a stimulus edge is back at the input capture."""
        return time_ps + self._jumpers.loopback_delay_ps

    def through(self, edges: list[WireEdge], until_ps: int) -> list[WireEdge]:
        """Turn edges at pins before a time, which never falls, into edges on wires, in order."""
        if not self._replaced:
            return edges
        shown = [edge for edge in edges if edge[1] not in self._replaced]
        for time_ps, channel, level in edges:
            if channel == self._stimulus:
                shown += [(time_ps, each, level) for each in self._jumpers.fan_out]
                if self._jumpers.loopback:
                    self._held.append((self.answer_ps(time_ps), self._response, level))
        self._make_pulses(until_ps)
        shown += [edge for edge in self._held if edge[0] < until_ps]
        self._held = [edge for edge in self._held if edge[0] >= until_ps]
        if self._jumpers.tap:
            near, far = self._jumpers.tap
            shown += [(time_ps, far, level) for time_ps, channel, level in shown if channel == near]
        return sorted(shown)

    def _make_pulses(self, until_ps: int) -> None:
        """Make the receiver's pulses, whole ones, ahead of time."""
        channel, jitter_ps = self._jumpers.pps, self._jumpers.pps_jitter_ps
        while channel >= 0 and self._pps_ps - jitter_ps < until_ps + PS_PER_S:
            off_ps = int(self._rng.integers(-jitter_ps, jitter_ps + 1))
            at_ps = self._pps_ps + off_ps
            self._held += [(at_ps, channel, 1), (at_ps + PPS_WIDTH_PS, channel, 0)]
            self._pps_ps += PS_PER_S
