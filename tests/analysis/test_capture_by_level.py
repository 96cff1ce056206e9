# SPDX-License-Identifier: GPL-3.0-or-later
"""The second witness where rising and falling answers reach the analyzer at different times."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from rig.analysis.crosscheck.witness import CaptureComparison
from rig.config.fixture import parse_fixture
from rig.config.plan import parse_plan
from rig.session.results import Result, store
from rig.session.run import run
from rig.virtual.truth import load_truth
from tests.truth.bench import Case, plan_text
from tests.virtual_bench import virtual_fixture

COUNT = 200
TARGET = """\
[virtual.target]
model = "gamma"
minimum = "3 us"
scale = "0.5 us"
shape = 3.0
seed = 1
toggle_time = "50 ns"
clock = "1 GHz"
[virtual.wiring]
"""
SAMPLE_NS, TICK_NS = 1e9 / 24e6, 62.5


def measured(folder: Path, wiring: str) -> Result:
    """A run on a bench with these faults of its wiring."""
    plan = parse_plan(plan_text(Case(3, "gamma", "uniform", 24, count=COUNT)), "plan")
    text = virtual_fixture("apart", TARGET + wiring, truth=folder / "truth.bin")
    path = folder / "run.h5"
    failure = run(plan, parse_fixture(text, "f"), path, lambda _live: None, threading.Event())
    assert failure is None, failure
    return store(path)


@pytest.mark.parametrize("late_ns", [100, 200, 400])
def test_answers_slow_one_way_are_consistent_and_told(tmp_path, late_ns):
    """A threshold that the capture pin has and the analyzer has not."""
    evaluation = measured(tmp_path, f'capture_rising_later = "{late_ns} ns"').evaluation
    assert evaluation.verdict == "pass", evaluation.reasons
    capture = evaluation.capture
    assert capture.n == COUNT
    (told,) = [w.text for w in evaluation.witnesses if w.name == "latency by input capture"]
    if late_ns == 100:  # explained by the resolution of both
        assert "calibrate" not in told
    else:
        assert abs(capture.rising_later_ns + late_ns) < SAMPLE_NS + TICK_NS
        assert "calibrate edge-shape" in told
    # What is told of each figure has room for what is not known.
    truth, _ = load_truth(tmp_path / "truth.bin")
    true_ns = float((truth["response_ps"] - truth["stimulus_ps"]).mean()) / 1e3
    budget = evaluation.primary.budgets["average"]
    assert abs(budget.corrected - true_ns) <= budget.expanded


def test_a_difference_beyond_all_wires_contradicts(tmp_path):
    evaluation = measured(tmp_path, 'capture_rising_later = "900 ns"').evaluation
    assert evaluation.verdict == "inconsistent"
    assert any("delay of the input capture" in text for text in evaluation.reasons)


def compared(errors_ns: np.ndarray) -> CaptureComparison:
    """Ideal witnesses whose answers, falling and rising in turn, have these errors."""
    rng = np.random.default_rng(1)
    n = len(errors_ns)
    latency_ns = rng.uniform(5_000, 20_000, n)
    phase_ns = rng.uniform(0, 1e6, n)
    samples = np.floor((phase_ns + latency_ns + errors_ns) / SAMPLE_NS) - np.floor(
        phase_ns / SAMPLE_NS
    )
    ticks = np.floor((latency_ns + 300) / TICK_NS)
    begun = CaptureComparison.begin(24_000_000, 16_000_000, samples=0, ticks=0)
    levels = (np.arange(n) & 1).astype(np.uint8)
    return begun.add(samples.astype(np.int64), ticks.astype(np.int64), levels=levels)


def test_one_constant_stays_one():
    found = compared(np.zeros(1000))
    assert len(found.constants) == 1
    assert found.rising_later_ns == 0
    assert "rising" not in found.text


@pytest.mark.parametrize("apart_ns", [300, -300])
def test_what_is_left_besides_two_constants_contradicts(apart_ns):
    errors_ns = np.where(np.arange(1000) & 1, apart_ns, 0.0)
    found = compared(errors_ns)
    assert found.spread_ns <= found.allowed_ns
    assert abs(found.rising_later_ns - apart_ns) < SAMPLE_NS + TICK_NS
    for place in (500, 501):
        errors_ns[place] += 250
        lied = compared(errors_ns)
        assert lied.spread_ns > lied.allowed_ns
        assert "calibrate" not in lied.text
        errors_ns[place] -= 250
    drifting = errors_ns + np.linspace(0, 200, 1000)
    assert compared(drifting).spread_ns > found.allowed_ns
