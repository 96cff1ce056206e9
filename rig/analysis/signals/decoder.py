# SPDX-License-Identifier: GPL-3.0-or-later
"""A decoder of edges on channels into stimulus edges, answers and sequence numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from rig.analysis.model.wiring import Wiring
from rig.instruments import EdgeBlock, Int64Array

SEQUENCE_SETTLE_NS = 200
"""Sequence pins are read this long after the answer's edge, so that skew between pins is over."""


@dataclass(frozen=True)
class Observation:
    """The signals of one stretch of the capture. Stretches follow each other without a hole."""

    stimulus: Int64Array
    """Shape (n,), samples of leading stimulus edges."""
    response: Int64Array
    """Shape (m,), samples of answer edges."""
    sequence: Int64Array | None
    """Shape (m,), value of the sequence pins just after each answer; None if none are wired."""
    end_sample: int
    task: Int64Array = field(default_factory=lambda: np.empty(0, np.int64))
    """Shape (k,), samples of all edges at the interrupted task's pin."""


def settle_samples(wiring: Wiring, sample_rate_hz: int) -> int:
    """Return how many samples after an answer its sequence pins are read; 0 if none are wired."""
    if not wiring.sequence:
        return 0
    return max(2, SEQUENCE_SETTLE_NS * sample_rate_hz // 10**9)


class SignalDecoder:
    """A decoder of a stream of edge blocks into observations, in constant memory.

    Answers are held back until the sequence pins behind them have settled, so an observation may
    end before the block that completed it. With no sequence pins nothing is held back.
    """

    def __init__(self, wiring: Wiring, sample_rate_hz: int) -> None:
        self._wiring = wiring
        self._settle = settle_samples(wiring, sample_rate_hz)
        empty = np.empty(0, np.int64)
        self._stimulus, self._response, self._task = empty, empty, empty
        self._pin_edges = [empty for _ in wiring.sequence]
        self._pin_levels: list[int] | None = None

    def feed(self, block: EdgeBlock) -> Observation:
        """Take the next block, and return the observation that it completes."""
        wiring = self._wiring
        if self._pin_levels is None:
            self._pin_levels = [block.levels_before >> channel & 1 for channel in wiring.sequence]
        leading = (block.channel == wiring.stimulus) & (block.level == wiring.active_level)
        self._stimulus = np.concatenate([self._stimulus, block.index[leading]])
        answers = block.channel == wiring.response
        if wiring.answer_level is not None:
            answers &= block.level == wiring.answer_level
        self._response = np.concatenate([self._response, block.index[answers]])
        if wiring.task is not None:
            edges = block.index[block.channel == wiring.task]
            self._task = np.concatenate([self._task, edges])
        self._pin_edges = [
            np.concatenate([edges, block.index[block.channel == channel]])
            for edges, channel in zip(self._pin_edges, wiring.sequence, strict=True)
        ]
        return self._take(block.end_sample - self._settle)

    def finish(self, end_sample: int) -> Observation:
        """Return what was held back, once the capture is over."""
        return self._take(end_sample + self._settle + 1)

    def _take(self, end: int) -> Observation:
        stimulus, self._stimulus = _split(self._stimulus, end)
        response, self._response = _split(self._response, end)
        task, self._task = _split(self._task, end)
        sequence = self._sequence_at(response) if self._wiring.sequence else None
        if self._wiring.sequence:
            self._forget_pin_edges(end)
        return Observation(stimulus, response, sequence, end, task)

    def _sequence_at(self, response: Int64Array) -> Int64Array:
        value = np.zeros(len(response), np.int64)
        for bit, edges in enumerate(self._pin_edges):
            level = 0 if self._pin_levels is None else self._pin_levels[bit]
            toggles = np.searchsorted(edges, response + self._settle, side="right")
            value |= ((toggles + level) & 1) << bit
        return value

    def _forget_pin_edges(self, end: int) -> None:
        # An answer at `end` or later looks at its pins from end + settle on: older edges only
        # matter as the level they left behind.
        for bit, edges in enumerate(self._pin_edges):
            old = int(np.searchsorted(edges, end, side="right"))
            assert self._pin_levels is not None  # noqa: S101 - set by the first feed
            self._pin_levels[bit] ^= old & 1
            self._pin_edges[bit] = edges[old:]


def _split(values: Int64Array, end: int) -> tuple[Int64Array, Int64Array]:
    cut = int(np.searchsorted(values, end, side="left"))
    return values[:cut], values[cut:]


def observe(
    blocks: Iterable[EdgeBlock], wiring: Wiring, sample_rate_hz: int
) -> Iterator[Observation]:
    """Yield all observations of a capture, in order, block by block."""
    observer = SignalDecoder(wiring, sample_rate_hz)
    end = 0
    for block in blocks:
        end = block.end_sample
        yield observer.feed(block)
    yield observer.finish(end)
