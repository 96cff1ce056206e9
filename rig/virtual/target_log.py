# SPDX-License-Identifier: GPL-3.0-or-later
"""The modelled target's log."""

from __future__ import annotations

import tempfile

import numpy as np

from rig.instruments import LOG_LEAD, LOG_RECORD, Int64Array, LogArray

_AT_A_TIME = 4096


class TargetLog:
    """A ring of records on disk, so that a long log needs no memory."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="rig-log-")  # noqa: SIM115 - lives as long as self
        self._rows: list[tuple[int, ...]] = []
        self._capacity = self._released = 0
        self.streamed = False
        self.count = 0
        self.dropped = 0
        """Records that found the log full."""

    def close(self) -> None:
        """Drop the log; may be called twice."""
        self._file.close()

    def begin(self, capacity: int, *, streamed: bool = False) -> None:
        """Forget all records, and hold up to `capacity` new ones.

        `streamed`: those that are released make room for others.
        """
        self._rows.clear()
        self._file.truncate(0)
        self._capacity, self.streamed = capacity, streamed
        self.count = self.dropped = self._released = 0

    @property
    def has_room(self) -> bool:
        """Whether half of a log that is streamed is free; any other gets full sooner or later."""
        return not self.streamed or 2 * (self.count - self._released) <= self._capacity

    def add(
        self, handled: int, before_ticks: int, after_ticks: int, flags: int, lead_ticks: int = 0
    ) -> None:
        """Add a record, or count one dropped. `lead_ticks`: see LOG_ENTRY."""
        if self.count - self._released >= self._capacity:
            self.dropped += 1
            return
        self._rows.append((self.count, handled, before_ticks, after_ticks, flags, lead_ticks))
        self.count += 1
        if len(self._rows) >= _AT_A_TIME:
            self._spill()

    def add_many(
        self,
        handled: Int64Array,
        before: Int64Array,
        after: Int64Array,
        flags: Int64Array,
        lead_ticks: Int64Array,
    ) -> None:
        """Add records, as many as there is room for; the others count as dropped."""
        count = min(len(handled), self._capacity - (self.count - self._released))
        self.dropped += len(handled) - count
        records = np.zeros(count, LOG_RECORD)
        records["sequence"] = np.arange(self.count, self.count + count)
        records["handled"] = handled[:count]
        records["before_ticks"], records["after_ticks"] = before[:count], after[:count]
        records["flags"], records[LOG_LEAD] = flags[:count], lead_ticks[:count]
        self._spill()
        self._write(self.count, records)
        self.count += count

    def read(self, first: int, count: int, *, release: bool = False) -> LogArray:
        """Return records from `first` on, fewer at the end.

        `release`: those before make room. Raises ValueError for some that were released.
        """
        if first < self._released:
            raise ValueError("the log cannot be read")
        self._spill()
        if release:
            self._released = min(first, self.count)
        parts, stop = [], min(first + count, self.count)
        while first < stop:
            place = first % self._capacity
            rows = min(stop - first, self._capacity - place)
            self._file.seek(place * LOG_RECORD.itemsize)
            parts.append(self._file.read(rows * LOG_RECORD.itemsize))
            first += rows
        return np.frombuffer(b"".join(parts), LOG_RECORD)

    def _spill(self) -> None:
        if self._rows:
            self._write(self.count - len(self._rows), np.array(self._rows, LOG_RECORD))
            self._rows.clear()

    def _write(self, first: int, records: LogArray) -> None:
        """Write records from number `first` to their places."""
        place = first % self._capacity
        head = min(len(records), self._capacity - place)
        for at, part in ((place, records[:head]), (0, records[head:])):
            if len(part):
                self._file.seek(at * LOG_RECORD.itemsize)
                self._file.write(part.tobytes())
