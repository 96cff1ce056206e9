# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the values in a log make sense by themselves, and against the records of their pins."""

from __future__ import annotations

import numpy as np

from rig.analysis.evidence import Finding
from rig.analysis.witness import Witness
from rig.instruments import LOG_CLOCK, LOG_VALUE, LogArray
from rig.measure.times import Times, are_values


class ValueOrder:
    """Fed with a log in pieces, in order; constant memory."""

    def __init__(self, parts: int, *, shown: bool) -> None:
        """`parts`: values of an iteration. `shown`: a record of the pins follows each iteration."""
        self._parts, self._shown = parts, shown
        self._count = self._answers = 0
        self._last: LogArray | None = None
        self._negative, self._jumps = Finding(), Finding()
        self._unshown, self._late = Finding(), Finding()

    def feed(self, times: Times, records: LogArray) -> None:
        """The values among the next records, and all of these."""
        number = self._count + np.arange(len(times.before))
        self._negative.add(number[times.values < 0])
        in_order = times.iteration == number // self._parts + 1
        in_order &= times.part == number % self._parts
        self._jumps.add(number[~in_order])
        self._count += len(number)
        if self._shown and len(records):
            self._against_pins(records)

    def _against_pins(self, records: LogArray) -> None:
        """Each write of the pins follows a value of its iteration, and begins after its end."""
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

    def witness(self, handled: int, dropped: int) -> Witness:
        """`handled`: iterations by the agent's count. `dropped`: records that found no room."""
        problems = [
            self._negative.text("values end before they begin, number"),
            self._jumps.text("values out of order, number"),
            self._unshown.text("pin writes that follow no value of theirs, number"),
            self._late.text("values end after their pin write, number"),
        ]
        if self._count != handled * self._parts and not dropped:
            problems.append(
                f"{handled:,} iterations counted by the agent, {self._count:,} values in the log"
            )
        text = "; ".join(problem for problem in problems if problem)
        good = f"{self._count:,} values of {handled:,} iterations, in order"
        return Witness("values", not text, text or good)
