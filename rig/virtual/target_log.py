# SPDX-License-Identifier: GPL-3.0-or-later
"""The modelled target's log."""

from __future__ import annotations

import tempfile

import numpy as np

from rig.instruments import LOG_LEAD, LOG_RECORD, Int64Array, LogArray


class TargetLog:
    """A log with its records on disk, so that a long run needs no memory."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="rig-log-")  # noqa: SIM115 - lives as long as self
        self._rows: list[tuple[int, ...]] = []
        self._capacity = 0
        self.count = 0
        self.dropped = 0
        """Records that found the log full."""

    def close(self) -> None:
        """Drop the log; may be called twice."""
        self._file.close()

    def begin(self, capacity: int) -> None:
        """Forget all records, and hold up to `capacity` new ones."""
        self._rows.clear()
        self._file.truncate(0)
        self._capacity, self.count, self.dropped = capacity, 0, 0

    def add(
        self, handled: int, before_ticks: int, after_ticks: int, flags: int, lead_ticks: int = 0
    ) -> None:
        """Add a record, or count one dropped. `lead_ticks`: see LOG_ENTRY."""
        if self.count >= self._capacity:
            self.dropped += 1
            return
        self._rows.append((self.count, handled, before_ticks, after_ticks, flags, lead_ticks))
        self.count += 1
        if len(self._rows) >= 4096:
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
        count = min(len(handled), self._capacity - self.count)
        self.dropped += len(handled) - count
        records = np.zeros(count, LOG_RECORD)
        records["sequence"] = np.arange(self.count, self.count + count)
        records["handled"] = handled[:count]
        records["before_ticks"], records["after_ticks"] = before[:count], after[:count]
        records["flags"], records[LOG_LEAD] = flags[:count], lead_ticks[:count]
        self._spill()
        self._file.write(records.tobytes())
        self.count += count

    def read(self, first: int, count: int) -> LogArray:
        """Records from `first` on, fewer at the end."""
        self._spill()
        self._file.seek(first * LOG_RECORD.itemsize)
        data = self._file.read(count * LOG_RECORD.itemsize)
        return np.frombuffer(data, LOG_RECORD)

    def _spill(self) -> None:
        self._file.seek(0, 2)
        if self._rows:
            self._file.write(np.array(self._rows, LOG_RECORD).tobytes())
            self._rows.clear()
