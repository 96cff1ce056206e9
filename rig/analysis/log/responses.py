# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers among the records of a target's log: those that toggled the response pin.

A log may also hold triggers of the target's own, and where an interrupted task went on; answer
number j is then not record number j.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rig.analysis.log.record_order import LogOrder
from rig.analysis.model.run_data import RawRun
from rig.analysis.signals.packed import Records
from rig.analysis.signals.spool import Spool
from rig.instruments import LOG_RECORD, LOG_TASK, LOG_TRIGGER, LOG_VALUE, LogArray

CHUNK = 1 << 16
"""Records read at a time."""
KEPT_BYTES = 1 << 26
"""Most bytes of records that are kept without a spool."""
_CHUNKS_MAX = 3
"""Most chunks kept as they were: several parts of an analysis read near each other."""


def are_answers(records: LogArray) -> npt.NDArray[np.bool_]:
    """Return which of these records are toggles of the response pin, shape (n,)."""
    answers: npt.NDArray[np.bool_] = (
        records["flags"] & np.uint32(LOG_TASK | LOG_TRIGGER | LOG_VALUE)
    ) == 0
    return answers


def are_triggers(records: LogArray) -> npt.NDArray[np.bool_]:
    """Return which of these records are pulses that the target made itself, shape (n,)."""
    triggers: npt.NDArray[np.bool_] = (records["flags"] & np.uint32(LOG_TRIGGER)) != 0
    return triggers


class ResponseLog:
    """The answers in a log by their own numbers.

    The log is read once, as far as it is asked for. Memory: some chunks of it, and of all others as
    much as the spool keeps in memory.
    """

    def __init__(
        self,
        raw: RawRun,
        wanted: Callable[[LogArray], npt.NDArray[np.bool_]] = are_answers,
        spool: Spool | None = None,
    ) -> None:
        """Keep records in the spool; what it has no room for is read again when asked for.

        `wanted`: records of another kind than answers. `spool` None: in memory, and not much.
        """
        self._raw, self._wanted = raw, wanted
        self._chunks: OrderedDict[int, _Chunk] = OrderedDict()
        self._packed: list[Records] = []
        self._order = LogOrder()
        self._spool = spool or Spool(KEPT_BYTES, 0)
        self._ends: list[int] = []
        """Number of answers up to the end of each chunk that was read."""

    @property
    def count(self) -> int:
        """The number of answers in the log."""
        self._read_all()
        return self._so_far

    @property
    def order(self) -> LogOrder:
        """The order of all records, of whatever kind."""
        self._read_all()
        return self._order

    @property
    def _so_far(self) -> int:
        return self._ends[-1] if self._ends else 0

    def reach(self, count: int) -> None:
        """Read so many answers, if there are so many.

        Whoever reads other parts of the run does it in step: records are stored along edges.
        """
        while self._so_far < count and len(self._ends) * CHUNK < self._raw.log_count:
            self._read_more()

    def _read_all(self) -> None:
        while len(self._ends) * CHUNK < self._raw.log_count:
            self._read_more()

    def _read_more(self) -> None:
        rows = self._raw.log(len(self._ends) * CHUNK, CHUNK)
        self._order.feed(rows)
        chosen = self._wanted(rows)
        if len(self._packed) == len(self._ends):  # there was room for all so far
            packed = Records.of(rows if chosen.all() else rows[chosen], self._spool)
            if packed is not None:
                self._packed.append(packed)
        self._ends.append(self._so_far + int(np.count_nonzero(chosen)))

    def read(self, first: int, count: int) -> LogArray:
        """Return records of answers first .. first + count - 1, fewer at the end."""
        columns = {name: self.column(name, first, count) for name in LOG_RECORD.names or ()}
        rows = np.empty(len(columns["sequence"]), LOG_RECORD)
        for name, values in columns.items():
            rows[name] = values
        return rows

    def column(self, name: str, first: int, count: int) -> npt.NDArray[np.unsignedinteger]:
        """Return one column of these records, in its own type; not to be written to."""
        self.reach(first + count)
        chunk = bisect_right(self._ends, first)
        stop = min(first + count, self._so_far)
        parts = []
        while first < stop:
            begin = self._ends[chunk - 1] if chunk else 0
            parts.append(self._chunk(chunk).column(name)[first - begin : stop - begin])
            first, chunk = self._ends[chunk], chunk + 1
        return parts[0] if len(parts) == 1 else np.concatenate([_none(name), *parts])

    def _chunk(self, number: int) -> _Chunk:
        """Return the answers of one chunk of records, one of those read last if it can be."""
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
        """Return one column of the answers, shape (n,)."""
        if name not in self._columns:
            source = self._source
            values = source.column(name) if isinstance(source, Records) else source[name]
            self._columns[name] = values
        return self._columns[name]


def _none(name: str) -> npt.NDArray[np.unsignedinteger]:
    return np.empty(0, LOG_RECORD[name])
