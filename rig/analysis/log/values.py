# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that records of a measurement inside the target hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rig.analysis.model.self_measurement import SelfMeasurement
from rig.instruments import (
    LOG_CLOCK,
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

    @property
    def values(self) -> Int64Array:
        """The length of each value."""
        return self.after - self.before


def are_values(records: LogArray) -> npt.NDArray[np.bool_]:
    """Return which of these records are values, shape (n,); the others are writes of the pins."""
    values: npt.NDArray[np.bool_] = (records["flags"] & np.uint32(LOG_VALUE)) != 0
    return values


def logged_values(
    inside: SelfMeasurement, records: LogArray, words: Mapping[str, str]
) -> LoggedValues:
    """Return the values of some records, in order, of a run with these words for the agent."""
    wanted = are_values(records)
    if inside.variant(words) in inside.by_answers:
        wanted = ~wanted
    rows = records[wanted]
    before, after = (rows[name].astype(np.int64) for name in ("before_ticks", "after_ticks"))
    part = (rows["flags"] >> np.uint32(LOG_PART_SHIFT)).astype(np.int64) % PARTS_MAX
    went_on = (rows["flags"] & np.uint32(LOG_WENT_ON)) != 0
    clocked = (rows["flags"] & np.uint32(LOG_CLOCK)) != 0
    return LoggedValues(rows["handled"].astype(np.int64), part, before, after, went_on, clocked)
