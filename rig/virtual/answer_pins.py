# SPDX-License-Identifier: GPL-3.0-or-later
"""The answering pins of a modelled target, and their edges still to come."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from rig.instruments import Int64Array
from rig.virtual.wired_target import WireEdge, WireEdges


@dataclass(frozen=True)
class AnswerWires:
    """Analyzer channels of the answering pins."""

    response: int
    sequence: tuple[int, ...]
    task: int | None = None
    """The pin of a task that is interrupted; a modelled target has none."""


class AnswerPins:
    """The levels of the pins as they will be when all that was decided has happened."""

    def __init__(self, wires: AnswerWires) -> None:
        self._wires = wires
        self._edges: list[WireEdge] = []
        self._many = WireEdges.of(())
        self._decided: list[WireEdge] = []
        self._response = 0
        self._sequence = 0

    @property
    def sequence_wired(self) -> int:
        """The number of sequence pins."""
        return len(self._wires.sequence)

    def write(self, at_ps: int, sequence: int) -> None:
        """Write an answer: the low bits of its number, and the response pin toggles."""
        for bit, channel in enumerate(self._wires.sequence):
            if (sequence ^ self._sequence) >> bit & 1:
                heapq.heappush(self._edges, (at_ps, channel, sequence >> bit & 1))
        self._sequence = sequence
        self.toggle(at_ps)

    @property
    def next_level(self) -> int:
        """The response pin's level behind the next answer."""
        return self._response ^ 1

    def write_many(self, at_ps: Int64Array, sequence: Int64Array) -> None:
        """Write many answers, in order, which the microcontroller has got already."""
        response = np.full(len(at_ps), self._wires.response, np.uint8)
        level = ((np.arange(len(at_ps)) + self.next_level) & 1).astype(np.uint8)
        parts = [self._many, WireEdges(at_ps, response, level)]
        changed = sequence ^ np.concatenate(([self._sequence], sequence[:-1]))
        for bit, channel in enumerate(self._wires.sequence):
            at = np.flatnonzero(changed >> bit & 1)
            levels = (sequence[at] >> bit & 1).astype(np.uint8)
            parts.append(WireEdges(at_ps[at], np.full(len(at), channel, np.uint8), levels))
        self._many = WireEdges.joined(parts)
        self._response = (self._response + len(at_ps)) & 1
        if len(at_ps):
            self._sequence = int(sequence[-1])

    def take_many(self, until_ps: int) -> WireEdges:
        """Return the edges of `write_many` before a time."""
        taken, self._many = self._many.split(until_ps)
        return taken

    def toggle(self, at_ps: int) -> None:
        """Toggle the response pin alone."""
        self._response ^= 1
        self._drive(at_ps, self._wires.response, self._response)

    def idle(self, at_ps: int) -> None:
        """Bring all pins low."""
        if self._response:
            self._response = 0
            self._drive(at_ps, self._wires.response, 0)
        for bit, channel in enumerate(self._wires.sequence):
            if self._sequence >> bit & 1:
                self._drive(at_ps, channel, 0)
        self._sequence = 0

    def pulse(self, first_ps: int, number: int, count: int, width_ps: int) -> int:
        """Put pulses on one pin, 0 the response's, else a sequence pin's; return their end."""
        channel = (self._wires.response, *self._wires.sequence)[number]
        for half in range(1, 2 * count + 1):
            self._drive(first_ps + half * width_ps, channel, half % 2)
        return first_ps + (2 * count + 1) * width_ps

    def take_edges(self, until_ps: int) -> list[WireEdge]:
        """Return the edges before a time, in order."""
        taken = []
        while self._edges and self._edges[0][0] < until_ps:
            taken.append(heapq.heappop(self._edges))
        return taken

    def take_decided(self) -> list[WireEdge]:
        """Return the response pin's edges decided since the last call, mostly still to come."""
        decided, self._decided = self._decided, []
        return decided

    def _drive(self, at_ps: int, channel: int, level: int) -> None:
        edge = (at_ps, channel, level)
        heapq.heappush(self._edges, edge)
        if channel == self._wires.response:
            self._decided.append(edge)
