# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of the records of a target's log, and what is out of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.instruments import LOG_COALESCED, LOG_TASK, LOG_TRIGGER, LOG_VALUE, LogArray

_COLUMNS = ("handled", "before_ticks", "after_ticks", "flags")
_Columns = dict[str, npt.NDArray[np.unsignedinteger]]


class LogOrder:
    """A check that record numbers have no hole, handler counts and ticks never fall; in pieces."""

    def __init__(self) -> None:
        self._problems: dict[str, None] = {}
        self._expected = 0
        self._last: _Columns | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """The kinds of what is out of order, each once, in the order in which it was found."""
        return tuple(self._problems)

    def feed(self, rows: LogArray) -> None:
        """Check the next records, shape (n,), n > 0."""
        sequence = rows["sequence"]
        expected = self._expected + np.arange(len(rows), dtype=np.uint64)
        if not np.array_equal(sequence, expected):
            self._problems["record numbers have a hole"] = None
        self._expected = int(sequence[-1]) + 1
        columns: _Columns = {name: rows[name] for name in _COLUMNS}
        if self._last is not None:
            columns = {
                name: np.concatenate([self._last[name], values]) for name, values in columns.items()
            }
        self._last = {name: values[-1:].copy() for name, values in columns.items()}
        handled = _but(columns, LOG_TRIGGER)["handled"]
        if np.any(handled[1:] < handled[:-1]):
            self._problems["handler count falls"] = None
        if _shared_by_none(columns):
            text = "an answer to several interrupts by its flag, to one by its count"
            self._problems[text] = None
        if _runs_backward(columns):
            self._problems["cycle counter runs backward"] = None


def _but(columns: _Columns, flags: int) -> _Columns:
    """Return all records but those that have one of these flags."""
    marked = columns["flags"] & np.uint32(flags)
    if not marked.any():
        return columns
    return {name: values[marked == 0] for name, values in columns.items()}


def _shared_by_none(columns: _Columns) -> bool:
    """Return whether a record serves several interrupts by its flag, but one by its count."""
    answers = _but(columns, LOG_TASK | LOG_TRIGGER | LOG_VALUE)
    shared = (answers["flags"][1:] & np.uint32(LOG_COALESCED)) != 0
    if not shared.any():
        return False
    handled = answers["handled"]
    return bool(np.any(shared & (handled[1:] <= handled[:-1] + np.uint64(1))))


def _runs_backward(columns: _Columns) -> bool:
    """Return whether a record begins before the last ends; triggers may, made by another task.

    Values that were measured inside may be of other clocks.
    """
    ticks = _but(columns, LOG_VALUE)
    before, after = ticks["before_ticks"], ticks["after_ticks"]
    if np.any(after < before) or np.any(before[1:] < before[:-1]):
        return True
    overlaps = before[1:] < after[:-1]
    if not overlaps.any():
        return False
    trigger = (ticks["flags"] & np.uint32(LOG_TRIGGER)) != 0
    return bool(np.any(overlaps & ~(trigger[1:] | trigger[:-1])))
