# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of the values in a log by themselves, and against the records of their pins."""

from __future__ import annotations

import numpy as np

from rig.analysis.log.contingency import Irregularities
from rig.analysis.log.values import LoggedValues, are_values, failed_iterations
from rig.analysis.model.witness import Witness
from rig.instruments import LOG_CLOCK, LOG_VALUE, Int64Array, LogArray


class ValueOrder:
    """A check of a log's values, fed in pieces, in order; constant memory."""

    def __init__(
        self, parts: int, *, shown: bool, sequential: bool = False, can_fail: bool = False
    ) -> None:
        """Begin; `parts`: values of an iteration. `shown`: a record of the pins follows each.

        `sequential`: none begins before the one before it is over, and the pin write that shows it.
        `can_fail`: iterations without a value are failed ones, each with a record.
        """
        self.failed = 0
        self._can_fail = can_fail
        self._parts, self._shown, self._sequential = parts, shown, sequential
        self._end: int | None = None
        self._overlap, self._during_write = Irregularities(), 0
        self._count = self._answers = 0
        self._last: LogArray | None = None
        self._negative, self._jumps = Irregularities(), Irregularities()
        self._unshown, self._late = Irregularities(), Irregularities()

    def feed(self, times: LoggedValues, records: LogArray) -> None:
        """Check the values among the next records, and all of these."""
        number = self._count + np.arange(len(times.before))
        self._negative.add(number[times.values < 0])
        failed = np.sort(failed_iterations(records))
        before = self.failed + np.searchsorted(failed, times.iteration)
        self.failed += len(failed)
        in_order = times.iteration == number // self._parts + 1 + before
        in_order &= times.part == number % self._parts
        self._jumps.add(number[~in_order])
        if self._sequential and len(number):
            self._one_by_one(times, number)
        self._count += len(number)
        if self._shown and len(records):
            self._against_pins(records)

    def _one_by_one(self, times: LoggedValues, number: Int64Array) -> None:
        first = times.before[0] if self._end is None else self._end
        self._overlap.add(number[times.before < np.concatenate(([first], times.after[:-1]))])
        self._end = int(times.after[-1])

    def _against_pins(self, records: LogArray) -> None:
        """Check that each pin write follows a value of its iteration, and begins after its end."""
        if self._last is not None:
            records = np.concatenate([self._last, records])
        written = ~are_values(records)
        written[: 0 if self._last is None else 1] = False
        at = np.flatnonzero(written)
        number = self._answers + np.arange(len(at))
        self._answers += len(at)
        self._last = records[-1:]
        before = records[np.maximum(at - 1, 0)]
        shows = are_values(before) & (before["handled"] == records["handled"][at]) & (at > 0)
        self._unshown.add(number[~shows])
        in_ticks = (before["flags"] & np.uint32(LOG_VALUE | LOG_CLOCK)) == LOG_VALUE
        late = in_ticks & (before["after_ticks"] > records["before_ticks"][at])
        self._late.add(number[late])
        if self._sequential:
            value = are_values(records[1:]) & ~are_values(records[:-1])
            value &= (records["flags"][1:] & np.uint32(LOG_CLOCK)) == 0
            early = value & (records["before_ticks"][1:] < records["after_ticks"][:-1])
            # Those that begin during a value are found already.
            self._during_write += int(np.count_nonzero(early))

    def witness(self, handled: int, unanswered: int, dropped: int) -> Witness:
        """Return the result. `handled`: iterations by the agent's count, `unanswered` of them with
        a value but no edge, or failed. `dropped`: records that found no room."""
        problems = [
            self._negative.text("values end before they begin, number"),
            self._jumps.text("values out of order, number"),
            self._unshown.text("pin writes that follow no value of theirs, number"),
            self._late.text("values end after their pin write, number"),
            self._overlap.text("values begin before the one before has ended, number"),
        ]
        if self._during_write:
            problems.append(f"{self._during_write:,} values begin before a pin write has ended")
        if self._count != (handled - self.failed) * self._parts and not dropped:
            problems.append(
                f"{handled:,} iterations counted by the agent, {self._count:,} values in the log"
            )
        if self._can_fail and self.failed != unanswered and not dropped:
            problems.append(
                f"{unanswered:,} failed iterations counted by the agent, {self.failed:,} in the log"
            )
        text = "; ".join(problem for problem in problems if problem)
        but = f", of which {self.failed:,} failed" if self.failed else ""
        good = f"{self._count:,} values of {handled:,} iterations{but}, in order"
        return Witness("values", not text, text or good)
