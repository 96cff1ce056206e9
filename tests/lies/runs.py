# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs on a lying virtual bench, and how far their figures are from what was true."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.bench import virtual_process
from rig.bench.open import Bench, open_bench
from rig.config.fixture import Fixture, parse_fixture
from rig.config.plan import Plan, parse_plan
from rig.errors import RigError
from rig.limit_names import BY_TICKS, INTERNAL, INTERRUPT, LATENCY, SPACING
from rig.measurements.registry import SELF_MEASUREMENTS
from rig.resources import find_fixture, find_plan
from rig.session.results import store
from rig.session.run import run
from rig.virtual.truth import ANSWERED
from tests.lies.lie import FOLDER, Told, tell, truth_path

COUNT = 200
PROGRAM = (virtual_process.PROGRAM[0], str(Path(__file__).with_name("bench.py")))
PERIOD_PS = 10**9
COUNTER_PPM = 12
_COUNTS = {"smi": 4000, "saturation": 50}
_SERVICE_US = 100
MEASUREMENTS = {
    "interrupt": "interrupt",
    "interrupt_to_task": "interrupt-to-task",
    "period": "period",
    "task_switch": "task-switch",
    "task_preemption": "task-preemption",
    "preemption": "preemption",
    "timer": "timer",
    "clock_resolution": "clock-resolution",
    "task_creation": "task-creation",
    "services": "services",
    "priority_inversion": "priority-inversion",
    "semaphore_shuffle": "semaphore-shuffle",
    "start_finish": "start-finish",
    "smi": "smi",
    "interrupt_dispatch": "interrupt-dispatch",
    "self_triggered": "interrupt-self",
    "saturation": "saturation",
}
"""Built-in plan of each measurement that a modelled target can do."""
_ONCE_S = {
    "interrupt": 0.1, "interrupt_to_task": 0.1, "period": 0.1,
    "start_finish": 0.1, "smi": 0.02, "interrupt_dispatch": 0.1, "self_triggered": 0.1,
    "saturation": 0.02,
}  # fmt: skip
"""When a lie is told that an analyzer tells once, after the first edge; others: soon."""
_SOON_S = 0.0025
REFUSED = "refused"
"""In place of a verdict: the bench would not measure."""
STIMULATED = ("interrupt", "interrupt_to_task", "interrupt_dispatch", "self_triggered")


@dataclass(frozen=True)
class Outcome:
    """What became of one run."""

    verdict: str
    """Of the run, or `refused` if the bench would not measure."""
    reason: str
    error_ns: float | None = None
    """The largest departure of an average or a maximum from the truth; None: none was judged."""
    of_u: float | None = None
    """The largest such departure, as a share of its stated expanded uncertainty U."""

    @property
    def caught(self) -> bool:
        """The run does not pass."""
        return self.verdict != Verdict.PASS.value


def plan_of(measurement: str) -> Plan:
    """Its built-in plan, for a short run."""
    name = MEASUREMENTS[measurement]
    text = find_plan(name).read_text(encoding="utf-8")
    if measurement == "clock_resolution":  # whose own plan does without the pin
        text = text.replace("[agent]\n", "[agent]\npin = true\n")
    period = "1 ms" if measurement in ("period", "start_finish") else None
    count = _COUNTS.get(measurement, COUNT)
    return parse_plan(text, name).with_overrides(count=count, period=period)


def fixture_of(measurement: str, *, unstated: bool = False) -> Fixture:
    """The built-in virtual bench. `unstated`: of whose analyzer's clock nothing is known."""
    text = find_fixture("virtual").read_text(encoding="utf-8")
    if unstated:
        text += '[virtual.wiring]\nanalyzer_rate = "24 MHz"\n'
    if measurement == "interrupt_dispatch":
        text = text.replace("[virtual.target]", f"{_TASK_WIRE}[virtual.target]")
    if measurement == "saturation":
        text = text.replace("seed = 1\n", f'seed = 1\nservice_time = "{_SERVICE_US} us"\n')
    if measurement == "smi":
        head, _, tail = text.partition('model = "gamma"')
        text = head + _HELD_UP + tail.partition("shape = 3.0\n")[2]
    return parse_fixture(text, "virtual")


_TASK_WIRE = """
[[wire]]
signal = "task"
channel = "D5"
target_line = "D7 (9)"
"""
_HELD_UP = """model = "mixture"
mean = "1 us"
deviation = "100 ns"
minimum = "0 ns"
outlier_probability = 0.01
outlier_latency = "200 us"
"""


class LyingBench:
    """An open bench on which runs follow each other, each with a lie of its own."""

    def __init__(self, measurement: str, bench: Bench, fixture: Fixture, folder: Path) -> None:
        self._bench, self._fixture, self._folder = bench, fixture, folder
        self._measurement, self._plan = measurement, plan_of(measurement)

    def run(self, told: Told) -> Outcome:
        """One run with this lie."""
        once_s = _ONCE_S.get(self._measurement, _SOON_S)
        tell(replace(told, once_samples=round(once_s * told.sample_rate_hz)), self._folder)
        path = self._folder / "run.h5"
        path.unlink(missing_ok=True)

        @contextmanager
        def opened(_fixture: Fixture) -> Iterator[Bench]:
            yield self._bench

        try:
            failure = run(
                self._plan, self._fixture, path, lambda _: None, threading.Event(), opened
            )
            if failure is not None:
                return Outcome(REFUSED, str(failure))
            evaluation = store(path).evaluation
        except RigError as error:
            return Outcome(REFUSED, str(error))
        truth = np.load(truth_path(self._folder))
        reason = evaluation.reasons[0] if evaluation.reasons else ""
        return Outcome(
            evaluation.verdict.value, reason, *departure(self._measurement, evaluation, truth)
        )


@contextmanager
def lying_bench(
    measurement: str, folder: Path, at_opening: Told | None = None
) -> Iterator[LyingBench]:
    """Open one; what is told at its opening stays."""
    tell(at_opening or Told(), folder)
    fixture = fixture_of(measurement, unstated=at_opening is not None and at_opening.unstated)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(virtual_process, "PROGRAM", PROGRAM)
        patch.setenv(FOLDER, str(folder))
        with open_bench(fixture) as bench:
            yield LyingBench(measurement, bench, fixture, folder)


# --- how far figures are from the truth ----------------------------------------------------------


def departure(
    measurement: str, evaluation: Evaluation, truth: Any
) -> tuple[float | None, float | None]:
    """Largest error of an average or a maximum, in ns and as a share of its U."""
    errors, shares = [], []
    for found in evaluation.measurands:
        true_ns = true_values(measurement, found.name, truth)
        if true_ns is None or not len(true_ns):
            continue
        for name, true in (("average", true_ns.mean()), ("max", true_ns.max())):
            budget = found.budgets.get(name)
            if budget is not None:
                # What the bench adds inside the target is no error of the time between two edges.
                value = budget.indication if measurement in STIMULATED else budget.corrected
                errors.append(float(abs(value - true)))
                shares.append(errors[-1] / budget.expanded)
    return (max(errors), max(shares)) if errors else (None, None)


def true_values(measurement: str, name: str, truth: Any) -> np.ndarray | None:
    """In ns; None where this measurand has no truth of its own."""
    begin, end = truth["stimulus_ps"].astype(float), truth["response_ps"].astype(float)
    served = truth["response_ps"] >= 0
    if measurement in SELF_MEASUREMENTS:
        return _true_inside(measurement, name, truth)
    if measurement == "period":
        if name != "interval_error":
            return None
        intervals: np.ndarray = np.diff(end[served]) / 1000
        return intervals - PERIOD_PS / 1000
    if measurement == "saturation":
        return np.array([_SERVICE_US * 1000.0]) if name == SPACING else None
    if measurement == "interrupt_dispatch":
        row = {INTERRUPT: 0, LATENCY + BY_TICKS: 1, LATENCY: 2}.get(name)
        return None if row is None else ((end - begin) / 1000)[row::3]
    return _true_latencies(name, truth)


def _true_latencies(name: str, truth: Any) -> np.ndarray | None:
    if name == LATENCY:
        answered = truth[(truth["response_ps"] >= 0) & (truth["kind"] >= ANSWERED)]
        latency: np.ndarray = (answered["response_ps"] - answered["stimulus_ps"]) / 1000
        return latency
    if name == INTERNAL:  # from one reading of the counter to the other, rows of either in turn
        before = truth["before_ticks"].astype(float)
        inside: np.ndarray = (before[1::2] - before[::2]) * (1 + COUNTER_PPM * 1e-6)
        return inside
    return None


def _true_inside(measurement: str, name: str, truth: Any) -> np.ndarray | None:
    inside = SELF_MEASUREMENTS[measurement]
    begin, end = truth["stimulus_ps"].astype(float), truth["response_ps"].astype(float)
    if inside.spins:
        gaps: np.ndarray = np.diff(end) / 1000
        return gaps
    names = [part.name for part in inside.parts]
    if name not in names:
        return None
    if inside.periodic:
        if name != "work":
            return None
        # From one reading of the counter to the other, whose nominal rate is 1 GHz.
        starts = truth["before_ticks"].astype(float)
        work: np.ndarray = (starts[1::2] - starts[::2]) * (1 + COUNTER_PPM * 1e-6)
        return work
    rows = len(names) + 1  # and the write of the pin
    part: np.ndarray = ((end - begin) / 1000)[names.index(name) :: rows]
    return part
