# SPDX-License-Identifier: GPL-3.0-or-later
"""A logic analyzer that lies: of its rate, in its samples, and of which line is which."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

import numpy as np

from rig.virtual import capture
from rig.virtual.analyzer import VirtualAnalyzer
from rig.virtual.clock import VirtualClock
from tests.lies.lie import Told, told

STIMULUS, RESPONSE, SEQUENCE, TASK = 0, 1, 2, 5
NEVER = 1 << 62
Bits = np.ndarray
"""Samples, dtype u1: channel n is bit n."""
Edit = Callable[["Memory", Bits, int], Bits]
"""A lie in the samples: state, samples and the number of the first of them to what is sent."""


class Memory:
    """What a lie remembers of one capture."""

    def __init__(self, lie: Told) -> None:
        self.lie = lie
        self.tail = np.zeros(0, np.uint8)
        self.done = False
        self.at = NEVER
        """Sample at which a lie is told that is told once."""

    def look(self, bits: Bits, first: int) -> None:
        """Find the first edge of stimulus or response."""
        if self.at == NEVER:
            edges = np.flatnonzero(np.diff(bits & 3))
            if len(edges):
                self.at = first + int(edges[0]) + self.lie.once_samples

    def stretch(self, bits: Bits, first: int) -> tuple[int, int]:
        """Which of these samples are within the lie's size from then on."""
        begin, end = self.at - first, self.at + self.lie.size - first
        return min(max(begin, 0), len(bits)), min(max(end, 0), len(bits))


def dropped(state: Memory, bits: Bits, first: int) -> Bits:
    """So many samples not sent, and nobody told."""
    return np.delete(bits, slice(*state.stretch(bits, first)))


def repeated(state: Memory, bits: Bits, first: int) -> Bits:
    """So many samples sent twice."""
    place = state.at - first
    if not 0 <= place < len(bits):
        return bits
    size = min(state.lie.size, len(bits) - place)
    return np.insert(bits, place, bits[place : place + size])


def held(state: Memory, bits: Bits, first: int) -> Bits:
    """One sample taken in so many, and sent that often."""
    every = state.lie.size
    taken = (first + np.arange(len(bits))) // every * every - first
    before = state.tail[-1:] if len(state.tail) else bits[:1]
    state.tail = np.where(taken[-1:] >= 0, bits[taken[-1:]], before)
    sent: Bits = np.where(taken >= 0, bits[np.maximum(taken, 0)], before)
    return sent


def _delayed(state: Memory, bits: Bits, mask: int, samples: int) -> Bits:
    """The channels of the mask so many samples late."""
    if len(state.tail) != samples:
        state.tail = np.full(samples, bits[0], np.uint8)
    late = np.concatenate([state.tail, bits])[: len(bits)]
    state.tail = np.concatenate([state.tail, bits])[len(bits) :]
    return bits & np.uint8(~mask & 0xFF) | late & np.uint8(mask)


def response_late(state: Memory, bits: Bits, _first: int) -> Bits:
    """The response's channel later by so many samples."""
    return _delayed(state, bits, 1 << RESPONSE, state.lie.size)


def stimulus_late(state: Memory, bits: Bits, _first: int) -> Bits:
    """The stimulus's channel later by so many samples."""
    return _delayed(state, bits, 1 << STIMULUS, state.lie.size)


def sequence_late(state: Memory, bits: Bits, _first: int) -> Bits:
    """A sequence pin's channel later by so many samples."""
    return _delayed(state, bits, 1 << SEQUENCE, state.lie.size)


def task_late(state: Memory, bits: Bits, _first: int) -> Bits:
    """The task's channel later by so many samples."""
    return _delayed(state, bits, 1 << TASK, state.lie.size)


def response_jumps(state: Memory, bits: Bits, first: int) -> Bits:
    """The response's channel later by so many samples from the middle on."""
    if first + len(bits) <= state.at:
        return bits
    return _delayed(state, bits, 1 << RESPONSE, state.lie.size)


def swapped(_state: Memory, bits: Bits, _first: int) -> Bits:
    """Stimulus and response exchanged."""
    return bits & 0xFC | (bits & 1) << 1 | (bits & 2) >> 1


def swapped_sequence(_state: Memory, bits: Bits, _first: int) -> Bits:
    """Response and sequence pin exchanged."""
    return bits & 0xF9 | (bits & 2) << 1 | (bits & 4) >> 1


def inverted(_state: Memory, bits: Bits, _first: int) -> Bits:
    """The response's level inverted."""
    return bits ^ np.uint8(1 << RESPONSE)


def stimulus_inverted(_state: Memory, bits: Bits, _first: int) -> Bits:
    """The stimulus's level inverted."""
    return bits ^ np.uint8(1 << STIMULUS)


def stuck(state: Memory, bits: Bits, first: int) -> Bits:
    """The response's channel keeps its level for so many samples."""
    return _stuck(state, bits, first, 1 << RESPONSE)


def stimulus_stuck(state: Memory, bits: Bits, first: int) -> Bits:
    """The stimulus's channel keeps its level for so many samples."""
    return _stuck(state, bits, first, 1 << STIMULUS)


def _stuck(state: Memory, bits: Bits, first: int, mask: int) -> Bits:
    begin, end = (
        min(max(at - first, 0), len(bits)) for at in (state.at, state.at + state.lie.size)
    )
    if begin == end:
        return bits
    level = state.tail[0] if state.done else bits[begin] & mask
    state.tail, state.done = np.array([level], np.uint8), True
    held = bits.copy()
    held[begin:end] = held[begin:end] & np.uint8(~mask & 0xFF) | level
    return held


def glitch(state: Memory, bits: Bits, first: int) -> Bits:
    """One pulse of so many samples on the response's channel."""
    return _glitch(state, bits, first, 1 << RESPONSE)


def stimulus_glitch(state: Memory, bits: Bits, first: int) -> Bits:
    """One pulse of so many samples on the stimulus's channel."""
    return _glitch(state, bits, first, 1 << STIMULUS)


def _glitch(state: Memory, bits: Bits, first: int, mask: int) -> Bits:
    begin, end = (
        min(max(at - first, 0), len(bits)) for at in (state.at, state.at + state.lie.size)
    )
    if begin == end:
        return bits
    other = bits.copy()
    other[begin:end] ^= np.uint8(mask)
    return other


EDITS: dict[str, Edit] = {
    function.__name__: function
    for function in (
        dropped, repeated, response_late, stimulus_late, sequence_late, task_late,
        response_jumps, swapped,
        swapped_sequence, inverted, stimulus_inverted, stuck, stimulus_stuck, glitch,
        stimulus_glitch, held,
    )
}  # fmt: skip


# --- the binary ----------------------------------------------------------------------------------


class LyingSocket:
    """The host's connection, to which other samples are sent than were taken."""

    def __init__(self, client: socket.socket) -> None:
        self._client, self._first = client, 0
        self._state = Memory(told("analyzer"))
        self._edit = EDITS.get(self._state.lie.name)

    def sendmsg(self, pieces: list[memoryview]) -> int:
        """As `socket.sendmsg`, always all."""
        self.sendall(b"".join(pieces))
        return sum(map(len, pieces))

    def sendall(self, data: Any) -> None:
        """Samples of one byte each."""
        if self._edit is not None:
            bits = np.frombuffer(data, np.uint8)
            self._state.look(bits, self._first)
            data = np.ascontiguousarray(self._edit(self._state, bits, self._first)).data
            self._first += len(bits)
        self._client.sendall(data)


class LyingStream(capture.SampleStream):
    """Sends through such a connection."""

    def __init__(self, client: socket.socket, sample_bytes: int) -> None:
        super().__init__(LyingSocket(client), sample_bytes)  # type: ignore[arg-type]


class LyingAnalyzer(VirtualAnalyzer):
    """It samples at another rate than it says."""

    def _clock(self) -> VirtualClock:
        lie = told("analyzer")
        faster = {"rate": lie.size * 1000, "rate_unstated": lie.size * 1000}.get(lie.name, 0)
        drift = {"stretch": lie.size}.get(lie.name, 0)
        return VirtualClock(self.sample_rate_hz, faster, drift_ppb_per_s=drift)
