# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers among the records of a target's log: those that toggled the response pin.

A log may also hold triggers of the target's own, and where an interrupted task went on; answer
number j is then not record number j.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.raw import RawRun
from rig.instruments import LOG_COALESCED, LOG_TASK, LOG_TRIGGER, LOG_VALUE, LogArray

CHUNK = 1 << 16
"""Records read at a time."""


KEPT_BYTES = 1 << 26
"""Of handler counts."""
_BLOCK, _BLOCKS_MAX = 1 << 15, 4
"""Records of a block, and blocks kept: several parts of an analysis read near each other."""


def are_answers(records: LogArray) -> npt.NDArray[np.bool_]:
    """Which of these records are toggles of the response pin, shape (n,)."""
    answers: npt.NDArray[np.bool_] = (
        records["flags"] & np.uint32(LOG_TASK | LOG_TRIGGER | LOG_VALUE)
    ) == 0
    return answers


def are_triggers(records: LogArray) -> npt.NDArray[np.bool_]:
    """Which of these records are pulses that the target made itself, shape (n,)."""
    triggers: npt.NDArray[np.bool_] = (records["flags"] & np.uint32(LOG_TRIGGER)) != 0
    return triggers


class AnswerLog:
    """Answers by their own numbers.

    Memory: some chunks of the log, and the handler counts, a byte each where they rise slowly, in
    KEPT_BYTES at most.
    """

    def __init__(
        self, raw: RawRun, wanted: Callable[[LogArray], npt.NDArray[np.bool_]] = are_answers
    ) -> None:
        """Reads the log once. `wanted`: records of another kind than answers."""
        self._raw, self._wanted = raw, wanted
        self._kept: tuple[int, LogArray] | None = None
        self._blocks: OrderedDict[int, LogArray] = OrderedDict()
        self._handled: list[_Rising] = []
        self._unpacked: tuple[int, npt.NDArray[np.uint64]] | None = None
        self.order = LogOrder()
        """What is out of order among all records, of whatever kind."""
        room_bytes = KEPT_BYTES
        counts = []
        for first in range(0, raw.log_count, CHUNK):
            rows = raw.log(first, CHUNK)
            self.order.feed(rows)
            chosen = wanted(rows)
            counts.append(np.count_nonzero(chosen))
            if room_bytes >= 0:
                handled = rows["handled"]
                packed = _Rising.of(handled if chosen.all() else handled[chosen])
                self._handled.append(packed)
                room_bytes -= packed.steps.nbytes
        self._ends = np.cumsum(counts, dtype=np.int64)
        self.count = int(self._ends[-1]) if counts else 0
        """Answers in the log."""

    def read(self, first: int, count: int) -> LogArray:
        """Records of answers first .. first + count - 1, fewer at the end."""
        if self.count == self._raw.log_count:
            return self._joined(first, min(first + count, self.count))
        chunk = int(np.searchsorted(self._ends, first, side="right"))
        skip = first - (int(self._ends[chunk - 1]) if chunk else 0)
        parts: list[LogArray] = [self._raw.log(0, 0)]
        missing = count
        while missing > 0 and chunk < len(self._ends):
            rows = self._chunk(chunk)[skip : skip + missing]
            parts.append(rows)
            missing -= len(rows)
            skip, chunk = 0, chunk + 1
        answers: LogArray = np.concatenate(parts)
        return answers

    def _joined(self, first: int, stop: int) -> LogArray:
        """Records of a log that has nothing else, out of the blocks read last."""
        parts = []
        while first < stop:
            number = first // _BLOCK
            block = self._blocks.pop(number, None)
            if block is None:
                block = self._raw.log(number * _BLOCK, _BLOCK)
            self._blocks[number] = block
            if len(self._blocks) > _BLOCKS_MAX:
                self._blocks.popitem(last=False)
            parts.append(block[first - number * _BLOCK : stop - number * _BLOCK])
            first = (number + 1) * _BLOCK
        if len(parts) == 1:
            return parts[0]
        joined: LogArray = np.concatenate([self._raw.log(0, 0), *parts])
        return joined

    def handled(self, first: int, count: int) -> npt.NDArray[np.uint64]:
        """Handler counts of answers first .. first + count - 1, fewer at the end."""
        chunk = int(np.searchsorted(self._ends, first, side="right"))
        stop = min(first + count, self.count)
        if stop > first and int(np.searchsorted(self._ends, stop)) >= len(self._handled):
            handled: npt.NDArray[np.uint64] = self.read(first, count)["handled"]
            return handled
        parts = [np.empty(0, np.uint64)]
        while first < stop:
            begin = int(self._ends[chunk - 1]) if chunk else 0
            if self._unpacked is None or self._unpacked[0] != chunk:
                self._unpacked = chunk, self._handled[chunk].values()
            parts.append(self._unpacked[1][first - begin : stop - begin])
            first, chunk = int(self._ends[chunk]), chunk + 1
        return np.concatenate(parts)

    def _chunk(self, number: int) -> LogArray:
        """Answers of one chunk; the last one is kept, for stretches are much shorter."""
        if self._kept is None or self._kept[0] != number:
            rows = self._raw.log(number * CHUNK, CHUNK)
            self._kept = number, rows[self._wanted(rows)]
        return self._kept[1]


@dataclass(frozen=True)
class _Rising:
    """Counts that mostly rise slowly, as the steps between them, modulo 2**64."""

    first: np.uint64
    steps: npt.NDArray[np.unsignedinteger]

    @classmethod
    def of(cls, values: npt.NDArray[np.uint64]) -> _Rising:
        if not len(values):
            return cls(np.uint64(0), np.empty(0, np.uint8))
        steps = np.diff(values, prepend=values[:1])
        return cls(values[0], steps.astype(np.min_scalar_type(int(steps.max()))))

    def values(self) -> npt.NDArray[np.uint64]:
        """As they were, shape (n,)."""
        return self.first + np.cumsum(self.steps, dtype=np.uint64)


class LogOrder:
    """Record numbers without a hole, handler counts and ticks that never fall; in pieces."""

    def __init__(self) -> None:
        self._problems: dict[str, None] = {}
        self._expected = 0
        self._last: LogArray | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """What is out of order, each kind once, in the order in which it was found."""
        return tuple(self._problems)

    def feed(self, rows: LogArray) -> None:
        """The next records, shape (n,), n > 0."""
        expected = self._expected
        if self._last is not None:
            rows = np.concatenate([self._last, rows])
            expected -= 1
        if not np.array_equal(rows["sequence"], expected + np.arange(len(rows), dtype=np.uint64)):
            self._problems["record numbers have a hole"] = None
        handled = rows["handled"][(rows["flags"] & np.uint32(LOG_TRIGGER)) == 0]
        if np.any(handled[1:] < handled[:-1]):
            self._problems["handler count falls"] = None
        if _shared_by_none(rows):
            text = "an answer to several interrupts by its flag, to one by its count"
            self._problems[text] = None
        if _runs_backward(rows):
            self._problems["cycle counter runs backward"] = None
        self._expected, self._last = int(rows["sequence"][-1]) + 1, rows[-1:].copy()


def _shared_by_none(rows: LogArray) -> bool:
    """A record that serves interrupts since the one before has a count that tells of them."""
    answers = rows[are_answers(rows)]
    shared = (answers["flags"][1:] & np.uint32(LOG_COALESCED)) != 0
    handled = answers["handled"]
    return bool(np.any(shared & (handled[1:] <= handled[:-1] + np.uint64(1))))


def _runs_backward(rows: LogArray) -> bool:
    """One record ends before the next begins, but for triggers: they are made by another task.

    Values that were measured inside may be of other clocks.
    """
    rows = rows[(rows["flags"] & np.uint32(LOG_VALUE)) == 0]
    before, after = rows["before_ticks"], rows["after_ticks"]
    trigger = (rows["flags"] & np.uint32(LOG_TRIGGER)) != 0
    alone = ~(trigger[1:] | trigger[:-1])
    return bool(
        np.any(after < before)
        or np.any(before[1:] < before[:-1])
        or np.any((before[1:] < after[:-1]) & alone)
    )
