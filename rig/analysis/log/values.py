# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that records of a measurement inside the target hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rig.analysis.model.self_measurement import SelfMeasurement, whole_word
from rig.instruments import (
    LOG_CLOCK,
    LOG_FAILED,
    LOG_LEAD,
    LOG_OF,
    LOG_PART_SHIFT,
    LOG_VALUE,
    LOG_WENT_ON,
    Int64Array,
    LogArray,
)

PARTS_MAX = 16


@dataclass(frozen=True)
class LoggedValues:
    """Values of the log in order. Shapes (n,)."""

    iteration: Int64Array
    part: Int64Array
    before: Int64Array
    """Begin and end of each value, in ticks, or ns of a clock."""
    after: Int64Array
    went_on: npt.NDArray[np.bool_] = field(repr=False)
    """Whether the task that woke another went on before that one ran."""
    clocked: npt.NDArray[np.bool_] = field(repr=False)
    """Whether the value is in ns of a clock."""
    task: Int64Array = field(repr=False)
    """The number of the task that each ends in, from 1; 0: not known."""
    asked: Int64Array = field(repr=False)
    """The time from begin to end that was asked for, and is no part of the value."""

    @property
    def values(self) -> Int64Array:
        """Each value: the time from its begin to its end, beyond what was asked for."""
        return self.after - self.before - self.asked


def are_values(records: LogArray) -> npt.NDArray[np.bool_]:
    """Return which of these records are values, shape (n,); the others are writes of the pins."""
    values: npt.NDArray[np.bool_] = (records["flags"] & np.uint32(LOG_VALUE)) != 0
    return values


def failed_iterations(records: LogArray) -> Int64Array:
    """Return the numbers of the iterations among some records that failed, shape (n,)."""
    failed = are_values(records) & ((records["flags"] & np.uint32(LOG_FAILED)) != 0)
    iterations: Int64Array = records["handled"][failed].astype(np.int64)
    return iterations


def logged_values(
    inside: SelfMeasurement, records: LogArray, words: Mapping[str, str], tick_hz: int | None
) -> LoggedValues:
    """Return the values of some records, in order, of a run with these words for the agent."""
    wanted = are_values(records) & ((records["flags"] & np.uint32(LOG_FAILED)) == 0)
    if inside.variant(words) in inside.by_answers:
        wanted = ~are_values(records)
    rows = records[wanted]
    before, after = (rows[name].astype(np.int64) for name in ("before_ticks", "after_ticks"))
    part = (rows["flags"] >> np.uint32(LOG_PART_SHIFT)).astype(np.int64) % PARTS_MAX
    went_on = (rows["flags"] & np.uint32(LOG_WENT_ON)) != 0
    clocked = (rows["flags"] & np.uint32(LOG_CLOCK)) != 0
    asked = _asked(inside, words, tick_hz or 10**9)[part]
    iteration = rows["handled"].astype(np.int64)
    return LoggedValues(iteration, part, before, after, went_on, clocked, _tasks_of(rows), asked)


def tell_tasks(records: LogArray) -> bool:
    """Return whether one of these records tells the task that its value ends in."""
    return bool(_tasks_of(records).any())


def _tasks_of(rows: LogArray) -> Int64Array:
    is_of = (rows["flags"] & np.uint32(LOG_VALUE | LOG_OF)) == LOG_VALUE | LOG_OF
    return np.where(is_of, rows[LOG_LEAD], 0).astype(np.int64)


def _asked(inside: SelfMeasurement, words: Mapping[str, str], tick_hz: int) -> Int64Array:
    """Return the time in ticks that was asked for of each part, shape (PARTS_MAX,)."""
    asked = np.zeros(PARTS_MAX, np.int64)
    for number, part in enumerate(inside.parts):
        asked[number] = whole_word(words, part.beyond) * tick_hz // 10**9  # as the agent rounds
    return asked
