# SPDX-License-Identifier: GPL-3.0-or-later
"""The figure of merit of the Rhealstone benchmark is that of its definition."""

from __future__ import annotations

import pytest

from rig.errors import InputError
from rig.report.tables.record import RunRecord
from rig.report.tables.rhealstone import parse_weights, rhealstone

VARIANTS = {
    ("task_switch", "2 tasks"): 1_000.0,
    ("task_preemption", "semaphore"): 2_000.0,
    ("interrupt", ""): 4_000.0,
    ("semaphore_shuffle", "semaphore"): 5_000.0,
    ("priority_inversion", "middle 500us inheritance"): 8_000.0,
    ("task_preemption", "pipe"): 10_000.0,
}
"""Averages in ns: 1, 0.5, 0.25, 0.2, 0.125 and 0.1 million a second."""
OTHERS = (
    ("task_switch", "16 tasks"), ("task_switch", "mutex"), ("semaphore_shuffle", "mutex"),
    ("priority_inversion", "middle 500us section 50us inheritance"), ("interrupt", "self"),
    ("priority_inversion", "middle 500us none"),
)  # fmt: skip


def records(system: str = "bench") -> list[RunRecord]:
    own = [
        RunRecord(system, *names, "idle", {"average_ns": average_ns})
        for names, average_ns in VARIANTS.items()
    ]
    return [*(RunRecord(system, *names, "idle", {"average_ns": 1.0}) for names in OTHERS), *own]


def test_the_figure_is_the_weighted_average_of_the_inverted_averages() -> None:
    (table,) = rhealstone(records())
    (row,) = table.rows
    averages = ("1.000", "2.000", "4.000", "5.000", "8.000", "10.000")
    assert row == ("bench", "idle", *averages, f"{2.175e6 / 6:,.0f}", "")
    (weighted,) = rhealstone(records(), parse_weights("2,1,0,1,0,0"))
    assert weighted.rows[0][-2] == f"{(2e6 + 0.5e6 + 0.2e6) / 4:,.0f}"


def test_a_row_without_a_component_has_no_figure_and_says_so() -> None:
    lacking = [record for record in records() if record.variant != "pipe"]
    again = RunRecord(
        "bench", "interrupt", "", "idle", {"average_ns": 9.0}, remark="FAIL: 1 missed"
    )
    (table,) = rhealstone([again, *lacking])
    assert table.rows[0][-2:] == (
        "-", "interrupt: the first of 2 runs, interrupt: FAIL: 1 missed, no message",
    )  # fmt: skip
    assert rhealstone([record for record in records() if record.variant == "mutex"]) == []


@pytest.mark.parametrize(
    "text", ["", "1", "1,1,1,1,1,x", "0,0,0,0,0,0", "1,1,1,1,1,-1", "1,1,1,1,1,nan"]
)
def test_weights_that_make_no_sense(text: str) -> None:
    with pytest.raises(InputError, match="valid: 6 numbers from 0 to 1,000,000, of task switch"):
        parse_weights(text)
