# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers among the records of a target's log: those that toggled the response pin.

A log may also hold triggers of the target's own, and where an interrupted task went on; answer
number j is then not record number j.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rig.analysis.log_order import LogOrder
from rig.analysis.packed import Records
from rig.analysis.raw import RawRun
from rig.analysis.spool import Spool
from rig.instruments import LOG_RECORD, LOG_TASK, LOG_TRIGGER, LOG_VALUE, LogArray

CHUNK = 1 << 16
"""Records read at a time."""
KEPT_BYTES = 1 << 26
"""Of records, without a spool."""
_CHUNKS_MAX = 3
"""Chunks kept as they were: several parts of an analysis read near each other."""


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

    Memory: some chunks of the log, and of all others as much as the spool keeps in memory.
    """

    def __init__(
        self,
        raw: RawRun,
        wanted: Callable[[LogArray], npt.NDArray[np.bool_]] = are_answers,
        spool: Spool | None = None,
    ) -> None:
        """Reads the log once; what the spool has no room for is read again when it is asked for.

        `wanted`: records of another kind than answers. `spool` None: in memory, and not much.
        """
        self._raw, self._wanted = raw, wanted
        self._chunks: OrderedDict[int, _Chunk] = OrderedDict()
        self._packed: list[Records] = []
        self.order = LogOrder()
        """What is out of order among all records, of whatever kind."""
        spool = spool or Spool(KEPT_BYTES, 0)
        counts, has_room = [], True
        for first in range(0, raw.log_count, CHUNK):
            rows = raw.log(first, CHUNK)
            self.order.feed(rows)
            chosen = wanted(rows)
            counts.append(np.count_nonzero(chosen))
            packed = None
            if has_room:
                packed = Records.of(rows if chosen.all() else rows[chosen], spool)
            has_room = packed is not None
            if packed is not None:
                self._packed.append(packed)
        self._ends = np.cumsum(counts, dtype=np.int64)
        self.count = int(self._ends[-1]) if counts else 0
        """Answers in the log."""

    def read(self, first: int, count: int) -> LogArray:
        """Records of answers first .. first + count - 1, fewer at the end."""
        columns = {name: self.column(name, first, count) for name in LOG_RECORD.names or ()}
        rows = np.empty(len(columns["sequence"]), LOG_RECORD)
        for name, values in columns.items():
            rows[name] = values
        return rows

    def column(self, name: str, first: int, count: int) -> npt.NDArray[np.unsignedinteger]:
        """One column of them, in its own type; not to be written to."""
        chunk = int(np.searchsorted(self._ends, first, side="right"))
        stop = min(first + count, self.count)
        parts = []
        while first < stop:
            begin = int(self._ends[chunk - 1]) if chunk else 0
            parts.append(self._chunk(chunk).column(name)[first - begin : stop - begin])
            first, chunk = int(self._ends[chunk]), chunk + 1
        return parts[0] if len(parts) == 1 else np.concatenate([_none(name), *parts])

    def _chunk(self, number: int) -> _Chunk:
        """Answers of one chunk of records, one of those read last if it can be."""
        chunk = self._chunks.pop(number, None)
        if chunk is None:
            packed = self._packed[number] if number < len(self._packed) else None
            chunk = _Chunk(self._read(number) if packed is None else packed)
        self._chunks[number] = chunk
        if len(self._chunks) > _CHUNKS_MAX:
            self._chunks.popitem(last=False)
        return chunk

    def _read(self, number: int) -> LogArray:
        rows = self._raw.log(number * CHUNK, CHUNK)
        return rows[self._wanted(rows)]


class _Chunk:
    """Answers of one chunk, of which each column is unpacked when it is asked for."""

    def __init__(self, source: Records | LogArray) -> None:
        self._source = source
        self._columns: dict[str, npt.NDArray[np.unsignedinteger]] = {}

    def column(self, name: str) -> npt.NDArray[np.unsignedinteger]:
        """Shape (n,)."""
        if name not in self._columns:
            source = self._source
            values = source.column(name) if isinstance(source, Records) else source[name]
            self._columns[name] = values
        return self._columns[name]


def _none(name: str) -> npt.NDArray[np.unsignedinteger]:
    return np.empty(0, LOG_RECORD[name])
