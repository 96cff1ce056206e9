# SPDX-License-Identifier: GPL-3.0-or-later
"""An agent that lies: in its log, in its counts, of its counter, and with its pins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from rig.instruments import (
    LOG_COALESCED,
    LOG_LEAD,
    LOG_SPAN,
    LOG_TASK,
    LOG_TRIGGER,
    LOG_VALUE,
    LogArray,
    TargetSummary,
)
from rig.target.protocol import fields
from rig.virtual.agent import AgentServer
from rig.virtual.answer_pins import AnswerPins
from rig.virtual.target import ModelledTarget
from tests.lies.lie import Told, told

LogLie = Callable[[LogArray, int, int], LogArray]
"""A true log, the lie's size and the counter's nominal rate, to the log that is sent."""
STAMPS = ("before_ticks", "after_ticks")


def _ticks(ns: int, tick_hz: int) -> int:
    return ns * tick_hz // 10**9


def _middle(records: LogArray) -> int:
    """Row of an answer's record in the middle."""
    rows = np.flatnonzero(records["flags"] & (LOG_VALUE | LOG_TASK | LOG_TRIGGER) == 0)
    return int(rows[len(rows) // 2]) if len(rows) else 0


def _renumbered(records: LogArray) -> LogArray:
    records["sequence"] = np.arange(len(records))
    return records


def _moved(records: LogArray, rows: Any, ticks: Any, names: tuple[str, ...] = STAMPS) -> LogArray:
    for name in names:
        records[name][rows] = (records[name][rows].astype(np.int64) + ticks).astype(np.uint64)
    return records


# --- stamps --------------------------------------------------------------------------------------


def all_stamps_late(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """All stamps later by a constant."""
    return _moved(records, slice(None), _ticks(ns, tick_hz))


def answers_late(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Stamps of all answers later by a constant, those of values true."""
    return _moved(records, records["flags"] & LOG_VALUE == 0, _ticks(ns, tick_hz))


def one_late(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """One answer stamped later."""
    return _moved(records, _middle(records), _ticks(ns, tick_hz))


def one_early(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """One answer stamped earlier."""
    return _moved(records, _middle(records), -_ticks(ns, tick_hz))


def wide(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Every bracket wider on both sides: the pin write said to take longer."""
    _moved(records, records["flags"] & LOG_VALUE == 0, -_ticks(ns, tick_hz), STAMPS[:1])
    return _moved(records, records["flags"] & LOG_VALUE == 0, _ticks(ns, tick_hz), STAMPS[1:])


def scaled(records: LogArray, ppm: int, _tick_hz: int) -> LogArray:
    """All stamps by a counter that is faster than it is."""
    if len(records):
        first = int(records["before_ticks"].min())
        for name in STAMPS:
            since = records[name].astype(np.int64) - first
            records[name] = (since + since * ppm // 10**6 + first).astype(np.uint64)
    return records


def entry_late(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """The handler's entry said to be later, so that its answer seems quicker."""
    lead = records[LOG_LEAD].astype(np.int64) - _ticks(ns, tick_hz)
    records[LOG_LEAD] = np.maximum(lead, 0)
    return records


def entry_early(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """The handler's entry said to be earlier."""
    records[LOG_LEAD] = records[LOG_LEAD] + np.uint32(_ticks(ns, tick_hz))
    return records


# --- records -------------------------------------------------------------------------------------


def dropped(records: LogArray, count: int, _tick_hz: int) -> LogArray:
    """Records left out, and the others numbered anew."""
    first = len(records) // 2
    return _renumbered(np.delete(records, slice(first, first + count)))


def duplicated(records: LogArray, count: int, _tick_hz: int) -> LogArray:
    """Records sent twice, and all numbered anew."""
    first = len(records) // 2
    again = records[first : first + count]
    return _renumbered(np.insert(records, first + 1, again))


def reordered(records: LogArray, apart: int, _tick_hz: int) -> LogArray:
    """Two records exchanged, and all numbered anew."""
    if len(records) < 2:
        return records
    first = len(records) // 2
    second = min(first + apart, len(records) - 1)
    records[[first, second]] = records[[second, first]]
    return _renumbered(records)


def handled_off(records: LogArray, count: int, _tick_hz: int) -> LogArray:
    """The handler's count too high from one record on."""
    records["handled"][len(records) // 2 :] += np.uint64(count)
    return records


def coalesced_hidden(records: LogArray, _size: int, _tick_hz: int) -> LogArray:
    """No record says that it answers several interrupts."""
    records["flags"] &= ~np.uint32(LOG_COALESCED)
    return records


def coalesced_false(records: LogArray, count: int, _tick_hz: int) -> LogArray:
    """Records say that they answer several interrupts, though each answers one."""
    answers = np.flatnonzero(records["flags"] & (LOG_VALUE | LOG_TASK | LOG_TRIGGER) == 0)
    first = len(answers) // 2
    records["flags"][answers[first : first + count]] |= np.uint32(LOG_COALESCED)
    return records


# --- values inside the target --------------------------------------------------------------------


def _values(records: LogArray) -> np.ndarray:
    found: np.ndarray = records["flags"] & LOG_VALUE != 0
    return found


def _lengths(records: LogArray) -> np.ndarray:
    return (records["after_ticks"] - records["before_ticks"]).astype(np.int64)


def values_scaled(records: LogArray, ppm: int, _tick_hz: int) -> LogArray:
    """Every value shorter than it was: it seems to have begun later."""
    rows = np.flatnonzero(_values(records))
    return _moved(records, rows, _lengths(records)[rows] * ppm // 10**6, STAMPS[:1])


def values_longer(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Every value longer by a constant: it seems to have begun earlier."""
    return _moved(records, np.flatnonzero(_values(records)), -_ticks(ns, tick_hz), STAMPS[:1])


def values_shifted(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Every value shorter by a constant."""
    rows = np.flatnonzero(_values(records))
    less = np.minimum(_lengths(records)[rows], _ticks(ns, tick_hz))
    return _moved(records, rows, less, STAMPS[:1])


def values_clipped(records: LogArray, percent: int, _tick_hz: int) -> LogArray:
    """The largest values cut by so many percent of the spread, as by one that drops outliers."""
    rows = np.flatnonzero(_values(records))
    lengths = _lengths(records)[rows]
    if not len(rows):
        return records
    most = lengths.max() - (lengths.max() - lengths.min()) * percent // 100
    return _moved(records, rows, np.maximum(lengths - most, 0), STAMPS[:1])


def one_value_shorter(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """The largest value shorter, by a later beginning."""
    rows = np.flatnonzero(_values(records))
    if not len(rows):
        return records
    row = rows[int(_lengths(records)[rows].argmax())]
    return _moved(records, row, min(int(_lengths(records)[row]), _ticks(ns, tick_hz)), STAMPS[:1])


def one_value_ends_early(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """The largest value shorter, by an earlier end."""
    rows = np.flatnonzero(_values(records))
    if not len(rows):
        return records
    row = rows[int(_lengths(records)[rows].argmax())]
    return _moved(records, row, -min(int(_lengths(records)[row]), _ticks(ns, tick_hz)), STAMPS[1:])


# --- dispatch and triggers -----------------------------------------------------------------------


def exits_late(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Every handler's exit later: dispatch seems quicker."""
    return _moved(records, records["flags"] & LOG_SPAN != 0, _ticks(ns, tick_hz), STAMPS[1:])


def exits_early(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Every handler's exit earlier."""
    return _moved(records, records["flags"] & LOG_SPAN != 0, -_ticks(ns, tick_hz), STAMPS[1:])


def tasks_late(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Every task said to go on later."""
    return _moved(records, records["flags"] & LOG_TASK != 0, _ticks(ns, tick_hz), STAMPS[:1])


def tasks_early(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Every task said to go on earlier."""
    return _moved(records, records["flags"] & LOG_TASK != 0, -_ticks(ns, tick_hz), STAMPS[:1])


def triggers_late(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Stamps of all triggers later: latencies inside seem shorter."""
    return _moved(records, records["flags"] & LOG_TRIGGER != 0, _ticks(ns, tick_hz))


def triggers_early(records: LogArray, ns: int, tick_hz: int) -> LogArray:
    """Stamps of all triggers earlier."""
    return _moved(records, records["flags"] & LOG_TRIGGER != 0, -_ticks(ns, tick_hz))


LOG_LIES: dict[str, LogLie] = {
    function.__name__: function
    for function in (
        all_stamps_late, answers_late, one_late, one_early, wide, scaled, entry_late, entry_early,
        dropped, duplicated, reordered, handled_off, coalesced_hidden, coalesced_false,
        values_scaled, values_shifted, values_longer, values_clipped, one_value_shorter,
        one_value_ends_early, exits_late, exits_early, tasks_late, tasks_early, triggers_late,
        triggers_early,
    )
}  # fmt: skip


# --- the binary ----------------------------------------------------------------------------------


class LyingAgent(AgentServer):
    """The virtual target's agent, which sends another log, other counts or another rate."""

    def __init__(self, target: ModelledTarget, tick_hz: int, *others: Any, **more: Any) -> None:
        lie = told("agent")
        said_hz = tick_hz + (tick_hz * lie.size // 10**6 if lie.name == "rate" else 0)
        super().__init__(LyingTarget(target, tick_hz), said_hz, *others, **more)  # type: ignore[arg-type]

    def _asked(self, rest: str) -> dict[str, str]:
        """As a kernel's agent: `ModelledTarget` knows nothing of dispatch and triggers."""
        return super()._asked(rest.replace("interrupt_dispatch", "interrupt"))

    def _arm(self, rest: str) -> bytes:
        words = fields(rest)
        told = {**words, "measurement": words.get("measurement", "")}
        reply = super()._arm(rest)
        self._target.begin(told)  # type: ignore[attr-defined]
        return reply

    def _stop(self, rest: str) -> bytes:
        """With the triggers of a target that makes its own."""
        reply, made = super()._stop(rest), self._target.triggered  # type: ignore[attr-defined]
        if made is None:
            return reply
        lie = told("agent")
        made += lie.size if lie.name == "trigger_count" else 0
        return reply.rstrip() + f" triggers={made}\n".encode()


class LyingTarget:
    """In front of the modelled target: what the agent reads of it."""

    def __init__(self, target: ModelledTarget, tick_hz: int) -> None:
        self._target, self._tick_hz = target, tick_hz
        self._log: LogArray | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("arm"):
            self._log = None
        return getattr(self._target, name)

    def stop(self) -> TargetSummary:
        """The target's account, with what the lie says of it."""
        end, lie = self._target.stop(), told("agent")
        self._log = self._false_log(end.records, lie)
        end = replace(end, records=len(self._log))
        if lie.name == "handled_count":
            end = replace(end, handled=end.handled + lie.size)
        return end

    def _false_log(self, count: int, lie: Told) -> LogArray:
        records = self._target.log(0, count).copy()
        if lie.name in LOG_LIES:
            records = LOG_LIES[lie.name](records, lie.size, self._tick_hz)
        return records

    def log(self, first: int, count: int) -> LogArray:
        """Of the false log."""
        if self._log is None:
            return self._target.log(first, count)
        return self._log[first : first + count]


class LyingPins(AnswerPins):
    """Answering pins that are not written as the log says."""

    def __init__(self, *others: Any) -> None:
        super().__init__(*others)
        self._writes = self._task = 0

    def drive(self, at_ps: int, channel: int, level: int) -> None:
        """An edge of any wire."""
        self._drive(at_ps, channel, level)

    def write_task(self, at_ps: int, level: int) -> None:
        """The pin of the task that was interrupted."""
        assert self._wires.task is not None
        if level != self._task:
            self._drive(at_ps, self._wires.task, level)
        self._task = level

    def write(self, at_ps: int, sequence: int) -> None:
        """One write in the middle is left out, made twice, or made at another time."""
        self._writes += 1
        lie = told("agent") if self._writes % 100 == 50 else Told()
        if lie.name == "pin_not_written":
            return
        if lie.name == "pin_late":
            at_ps += lie.size * 1000
        if lie.name == "pin_early":
            at_ps -= lie.size * 1000
        super().write(at_ps, sequence)
        if lie.name == "pin_twice":
            self.toggle(at_ps + lie.size * 1000)
        if lie.name == "pin_pulse":
            self.toggle(at_ps + lie.size * 1000)
            self.toggle(at_ps + 2 * lie.size * 1000)
