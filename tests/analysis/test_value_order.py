# SPDX-License-Identifier: GPL-3.0-or-later
"""Values and the records of the pin writes that show them, in order or not."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.log.value_order import ValueOrder
from rig.analysis.log.values import LoggedValues, are_values
from rig.instruments import LOG_VALUE, LogArray
from tests.analysis.raw_runs import log_of

N = 20


def records_of() -> LogArray:
    """An iteration: a value from 0 to 100 ticks, and its pin write from 120 to 150."""
    rows = []
    for n in range(N):
        at = 1000 * n
        rows += [(n + 1, at, at + 100, LOG_VALUE), (n + 1, at + 120, at + 150, 0)]
    return log_of(rows)


def witnessed(records: LogArray, piece: int, parts: int = 1) -> str:
    order, seen = ValueOrder(parts, shown=True, sequential=True), 0
    for first in range(0, len(records), piece):
        part = records[first : first + piece]
        values = part[are_values(part)]
        none = np.zeros(len(values), bool)
        before, after = (values[name].astype(np.int64) for name in ("before_ticks", "after_ticks"))
        handled = values["handled"].astype(np.int64)
        number = seen + np.arange(len(values))
        seen += len(values)
        zero = 0 * number
        order.feed(
            LoggedValues(handled, number % parts, before, after, none, none, zero, zero), part
        )
    return order.witness(N, 0, 0).text


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 1000])
def test_each_fault_is_told_and_no_other(piece: int) -> None:
    assert witnessed(records_of(), piece) == f"{N} values of {N} iterations, in order"
    during_value, during_write = records_of(), records_of()
    during_value["before_ticks"][11] = 5090  # the pin write of iteration 6, its value ends at 5100
    assert witnessed(during_value, piece) == "1 values end after their pin write, number 5"
    during_write["before_ticks"][12] = 5140  # the value after it
    text = witnessed(during_write, piece)
    assert text == "1 values begin before a pin write has ended"


@pytest.mark.parametrize("piece", [1, 3, 1000])
def test_parts_that_overlap_are_no_fault_of_the_pin_write(piece: int) -> None:
    rows = []
    for n in range(N):
        at, second = 1000 * n, 90 if n == 7 else 100
        rows += [(n + 1, at, at + 100, LOG_VALUE), (n + 1, at + second, at + 200, LOG_VALUE)]
        rows.append((n + 1, at + 220, at + 250, 0))
    told = "1 values begin before the one before has ended, number 15"
    assert witnessed(log_of(rows), piece, parts=2) == told
