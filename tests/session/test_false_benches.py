# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole virtual benches that lie about a clock or a delay: what is false is named.

Real firmware, libsigrok's own driver; only what lies past the cables is another than the fixture
says.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.session.results import Result, store
from rig.session.run import run
from tests.truth.bench import Case, fixture_text, plan_text

COUNT = 120


def measured(folder: Path, more: str = "", swap: tuple[str, str] = ("", "")) -> Result:
    """A run of a bench whose fixture has `more`, and `swap[1]` in place of `swap[0]`."""
    case = Case(7, "gamma", "uniform", 24, count=COUNT)
    text = fixture_text(case, folder / "truth.bin").replace(*swap) + more
    plan = parse_plan(plan_text(case), "plan")
    path = folder / "run.h5"
    failure = run(plan, parse_fixture(text, "fixture"), path, lambda _live: None, threading.Event())
    assert failure is None, failure
    return store(path)


def disagreeing(result: Result) -> dict[str, str]:
    """Texts of the witnesses that do."""
    return {w.name: w.text for w in result.evaluation.witnesses if not w.agrees}


@pytest.mark.parametrize(("rate", "runs_at"), [("21 MHz", "21.00"), ("12 MHz", "12.00")])
def test_an_analyzer_of_another_rate_is_named(tmp_path: Path, rate: str, runs_at: str) -> None:
    found = measured(tmp_path, f'[virtual.wiring]\nanalyzer_rate = "{rate}"\n')
    assert found.evaluation.verdict is Verdict.INCONSISTENT
    told = disagreeing(found)
    assert {"clocks"} <= set(told) <= {"clocks", "handler's entry"}
    assert "the analyzer is contradicted by stimulus and target's counter" in told["clocks"]
    assert f"runs at about {runs_at}" in told["clocks"]


def test_an_analyzer_within_a_resonators_reach_is_the_likelier_of_two(tmp_path: Path) -> None:
    found = measured(tmp_path, '[virtual.wiring]\nanalyzer_rate = "23.9 MHz"\n')
    assert found.evaluation.verdict is Verdict.INCONSISTENT
    assert "more likely the analyzer" in disagreeing(found)["clocks"]


def test_firmware_of_another_clock_is_named(tmp_path: Path) -> None:
    wrong = ("stimulus_error_ppb = 38000", "stimulus_error_ppb = -50000000")
    found = measured(tmp_path, swap=wrong)
    assert found.evaluation.verdict is Verdict.INCONSISTENT
    assert "the stimulus is contradicted by analyzer" in disagreeing(found)["clocks"]


@pytest.mark.parametrize(
    ("lie", "cause"),
    [
        ('[[virtual.delay]]\nchannel = "D0"\nline_rising = "2500 ns"\nline_falling = "2500 ns"\n',
         "wire or input D0"),
        ('[[virtual.delay]]\nchannel = "D1"\nskew_rising = "2500 ns"\nskew_falling = "2500 ns"\n',
         "wire or input D1"),
        ('[virtual.wiring]\ncapture_delay = "2500 ns"\n', "reach the capture pin late"),
    ],
)  # fmt: skip
def test_a_late_wire_is_named(tmp_path: Path, lie: str, cause: str) -> None:
    found = measured(tmp_path, lie)
    assert found.evaluation.verdict is Verdict.INCONSISTENT
    told = disagreeing(found)
    named = {"delay of the input capture"}
    assert named <= set(told) <= named | {"handler's entry"}
    assert cause in told["delay of the input capture"]


def test_a_wire_that_is_late_within_the_allowance_is_in_u(tmp_path: Path) -> None:
    """Nothing is stated of the bench, so that 150 ns are possible: and U covers them."""
    late = '[[virtual.delay]]\nchannel = "D0"\nline_rising = "150 ns"\nline_falling = "150 ns"\n'
    found = measured(tmp_path, late).evaluation
    assert found.verdict is Verdict.PASS, found.reasons
    (delay,) = found.delays
    assert delay.value_ns == pytest.approx(343.75 + 150, abs=60)
    assert found.primary.budgets["average"].expanded > 150
    assert found.primary.budgets["average"].is_whole
