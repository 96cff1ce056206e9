# SPDX-License-Identifier: GPL-3.0-or-later
"""Every measurement that pins can verify x all that an agent can do wrong: each is caught."""

from __future__ import annotations

from pathlib import Path

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.measurements.registry import MEASUREMENTS, SELF_MEASUREMENTS
from tests.measure.agent_lies import lies_of
from tests.measure.true_runs import TRUE_RUNS, N, kinds_of

ROWS = tuple(TRUE_RUNS)
CELLS = [(row, lie) for row in ROWS for lie in lies_of(*row)]
NUMBERS = (1, N // 2, N - 4)
"""Answers that a lie is told of, one after the other."""
ELSEWHERE = {
    "interrupt_to_task_with_tasks": "tests/measure/test_with_tasks.py",
    "interrupt_with_tasks": "tests/measure/test_with_tasks.py",
    "period_search": "tests/measure/test_period_search.py",
    "periodic_tasks": "tests/measure/test_periodic_tasks.py",
    "saturation": "tests/measure/test_saturation.py",
    "smi": "tests/measure/test_smi.py",
}
"""Measurements of a form of their own, and where their wrong agents are."""


@pytest.fixture(scope="module")
def true_run(tmp_path_factory):
    """Each made once."""
    made = {}

    def of(row):
        if row not in made:
            made[row] = TRUE_RUNS[row](tmp_path_factory.mktemp("true"))
        return made[row]

    return of


@pytest.mark.parametrize("row", ROWS, ids="-".join)
def test_a_true_agent_is_believed(true_run, row):
    found = true_run(row).evaluated()
    assert (found.verdict, found.reasons) == (Verdict.PASS, ())
    seen = {witness.name: witness for witness in found.witnesses}
    assert seen["bracket test"].agrees


@pytest.mark.parametrize(
    ("row", "lie", "number"),
    [(*cell, NUMBERS[place % len(NUMBERS)]) for place, cell in enumerate(CELLS)],
    ids=[f"{'-'.join(row)}-{lie.__name__}" for row, lie in CELLS],
)
def test_a_wrong_agent_is_caught(true_run, row, lie, number):
    found = lie(true_run(row), number).evaluated()
    assert found.verdict is Verdict.INCONSISTENT, found.reasons


def test_no_measurement_is_left_out():
    rows = {measurement for measurement, _ in ROWS}
    assert rows | ELSEWHERE.keys() == set(MEASUREMENTS)
    assert not rows & ELSEWHERE.keys()
    for measurement, place in ELSEWHERE.items():
        text = (Path(__file__).parents[2] / place).read_text(encoding="utf-8")
        assert "lie" in text, (measurement, place)
    inside = {(name, variant) for name, variant in ROWS if name in SELF_MEASUREMENTS}
    wanted = {
        (name, variant)
        for name in SELF_MEASUREMENTS.keys() - ELSEWHERE.keys()
        for variant in kinds_of(SELF_MEASUREMENTS[name])
    }
    assert inside == wanted
    assert {row for row, _ in CELLS} == set(ROWS)
