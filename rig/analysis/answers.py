# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers among the records of a target's log: those that toggled the response pin.

A log may also hold triggers of the target's own, and where an interrupted task went on; answer
number j is then not record number j.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rig.analysis.raw import RawRun
from rig.instruments import LOG_TASK, LOG_TRIGGER, LOG_VALUE, LogArray

CHUNK = 1 << 16
"""Records read at a time."""


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
    """Answers by their own numbers. Memory: one count a chunk of the log, and one chunk."""

    def __init__(
        self, raw: RawRun, wanted: Callable[[LogArray], npt.NDArray[np.bool_]] = are_answers
    ) -> None:
        """Reads the log once. `wanted`: records of another kind than answers."""
        self._raw, self._wanted = raw, wanted
        self._kept: tuple[int, LogArray] | None = None
        counts = [
            np.count_nonzero(wanted(raw.log(first, CHUNK)))
            for first in range(0, raw.log_count, CHUNK)
        ]
        self._ends = np.cumsum(counts, dtype=np.int64)
        self.count = int(self._ends[-1]) if counts else 0
        """Answers in the log."""

    def read(self, first: int, count: int) -> LogArray:
        """Records of answers first .. first + count - 1, fewer at the end."""
        if self.count == self._raw.log_count:
            return self._raw.log(first, count)
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

    def _chunk(self, number: int) -> LogArray:
        """Answers of one chunk; the last one is kept, for stretches are much shorter."""
        if self._kept is None or self._kept[0] != number:
            rows = self._raw.log(number * CHUNK, CHUNK)
            self._kept = number, rows[self._wanted(rows)]
        return self._kept[1]
