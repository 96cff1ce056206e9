# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupts beside periodic tasks: both have figures of what they did, and a lie is told."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.run_data import RawRun
from rig.config.fixture import parse_fixture
from rig.config.plan import load_plan, parse_plan
from rig.errors import InputError
from rig.instruments import LOG_PART_SHIFT, LogArray
from rig.measurements import with_tasks
from rig.measurements.evaluate import evaluate
from rig.measurements.registry import MEASUREMENTS
from rig.record.reader import RunFile
from rig.resources import find_plan
from rig.session.results import Result, store
from rig.session.run import run
from rig.virtual.truth import load_truth
from tests.virtual_bench import virtual_fixture

COUNT = 60
LATENCY_NS = 6_000
TASK_1_NS = 100_000
SAMPLE_NS = 1000 / 24
TARGET = """
[virtual.target]
model = "constant"
latency = "6 us"
seed = 1
toggle_time = "50 ns"
clock = "2.8 GHz"
clock_error_ppb = 0
"""


@dataclass(frozen=True)
class Made:
    """A run on the virtual bench, and what was true."""

    result: Result
    truth: np.ndarray

    @property
    def cycles(self) -> tuple[np.ndarray, ...]:
        """Number, due, start and finish of every cycle, in ns, as they were."""
        rows = self.truth[COUNT:]
        first, second = rows[::2], rows[1::2]
        times = first["stimulus_ps"], second["stimulus_ps"], second["response_ps"]
        return first["handled"] - COUNT, *(each // 1000 for each in times)


class LyingLog:
    """A run whose log is another one."""

    def __init__(self, raw: RawRun, records: LogArray) -> None:
        self._raw, self.records = raw, records

    def __getattr__(self, name: str) -> object:
        return getattr(self._raw, name)

    @property
    def log_count(self) -> int:
        return len(self.records)

    def log(self, first: int, count: int) -> LogArray:
        return self.records[first : first + count]


def made(plan: str, folder: Path) -> Made:
    truth, out = folder / "truth.bin", folder / "run.h5"
    fixture = parse_fixture(virtual_fixture("bench", TARGET, truth=truth), "bench")
    asked = load_plan(plan).with_overrides(count=COUNT)
    assert run(asked, fixture, out, lambda _live: None, threading.Event()) is None
    return Made(store(out), load_truth(truth)[0])


@pytest.fixture(scope="module")
def by_task(tmp_path_factory) -> Made:
    return made("interrupt-to-task-with-tasks", tmp_path_factory.mktemp("task"))


@pytest.fixture(scope="module")
def by_handler(tmp_path_factory) -> Made:
    return made("interrupt-with-tasks", tmp_path_factory.mktemp("handler"))


def latencies_ns(of: Made) -> np.ndarray:
    rows = of.truth[:COUNT]
    return (rows["response_ps"] - rows["stimulus_ps"]) / 1000


def test_a_task_above_delays_answers_by_no_more_than_its_work(by_task: Made) -> None:
    """What is reported is what was injected; without the tasks it is the latency alone."""
    found, true_ns = by_task.result.evaluation, latencies_ns(by_task)
    assert found.verdict is Verdict.PASS, found.reasons
    assert LATENCY_NS + TASK_1_NS / 2 < true_ns.max() <= LATENCY_NS + TASK_1_NS
    assert true_ns.min() == LATENCY_NS
    for name, want in (("max_ns", true_ns.max()), ("average_ns", true_ns.mean())):
        assert getattr(found.figures, name) == pytest.approx(want, abs=3 * SAMPLE_NS)


def test_a_handler_is_not_delayed(by_handler: Made) -> None:
    assert (latencies_ns(by_handler) == LATENCY_NS).all()
    assert by_handler.result.evaluation.verdict is Verdict.PASS
    figures = by_handler.result.evaluation.figures
    assert figures.max_ns == pytest.approx(LATENCY_NS, abs=3 * SAMPLE_NS)


@pytest.mark.parametrize("which", ["by_task", "by_handler"])
def test_each_task_has_the_figures_of_what_it_did(which: str, request) -> None:
    run: Made = request.getfixturevalue(which)
    found = {each.name: each.histogram for each in run.result.evaluation.measurands}
    number, due, start, finish = run.cycles
    tasks = run.result.evaluation.details.tasks
    assert sum(each.start.n for each in tasks) == len(number) > 100
    bounds = np.flatnonzero(np.diff(due) < 0) + 1
    spans = [0, *bounds.tolist(), len(number)]
    assert len(spans) == 4
    for task, (first, last) in enumerate(pairwise(spans), 1):
        of = slice(first, last)
        for name, want in (
            ("latency", start[of] - due[of]),
            ("finish_latency", finish[of] - due[of]),
            ("work", finish[of] - start[of]),
        ):
            values, counts = np.unique(want, return_counts=True)
            histogram = found[f"{name}_of_task_{task}"]
            assert histogram.values.tolist() == values.tolist(), (task, name)
            assert histogram.counts.tolist() == counts.tolist(), (task, name)


def test_a_handler_makes_the_work_of_every_task_longer_by_its_time(by_handler: Made) -> None:
    """From the edge to the answer, 6 us, and its pin write of 50 ns."""
    first = by_handler.result.evaluation.details.tasks[0].work
    assert first.min_ns == TASK_1_NS
    assert first.max_ns == TASK_1_NS + LATENCY_NS + 50


def evaluated(of: Made, change) -> Evaluation:
    with RunFile(of.result.path) as file:
        records = file.log(0, file.log_count).copy()
        return evaluate(LyingLog(file, change(records)), of.result.settings, of.result.account)


def _told_twice(records: LogArray) -> LogArray:
    records["handled"][-2:] = records["handled"][-4:-2]
    return records


def _off_its_grid(records: LogArray) -> LogArray:
    records["before_ticks"][-4] += 1
    return records


def _of_a_task_that_is_not_there(records: LogArray) -> LogArray:
    records["flags"][-2:] += 4 << LOG_PART_SHIFT
    return records


def _an_interrupt_fewer(records: LogArray) -> LogArray:
    return np.delete(records, COUNT - 1)


@pytest.mark.parametrize(
    "lie", [_told_twice, _off_its_grid, _of_a_task_that_is_not_there, _an_interrupt_fewer]
)
def test_a_lie_of_the_agent_is_caught(by_task: Made, lie) -> None:
    assert evaluated(by_task, lambda records: records).verdict is Verdict.PASS
    found = evaluated(by_task, lie)
    assert found.verdict is Verdict.INCONSISTENT, found.reasons


def test_a_period_in_which_a_task_did_not_run_is_a_failure(by_task: Made) -> None:
    def without_one(records: LogArray) -> LogArray:
        kept = np.delete(records, [COUNT + 20, COUNT + 21])
        kept["sequence"] = np.arange(len(kept))
        return kept

    found = evaluated(by_task, without_one)
    assert found.verdict is Verdict.FAIL
    assert "1 missed periods, 0 allowed" in found.reasons
    assert [each.missed for each in found.details.tasks] == [1, 0, 0]


def test_tasks_that_end_before_the_run_prove_nothing(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(with_tasks, "_SPARE_NS", -500_000_000)
    found = made("interrupt-with-tasks", tmp_path).result.evaluation
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "had come to their last period before the run was over" in str(found.reasons)


def test_the_report_has_a_line_for_each_task(by_task: Made) -> None:
    measurement = MEASUREMENTS[by_task.result.settings.measurement]
    (section,) = measurement.sections(by_task.result.evaluation)
    assert [row[:4] for row in section.blocks[0].rows] == [
        ("1", "1 ms", "100 us", "82"), ("2", "2 ms", "300 us", "80"), ("3", "5 ms", "1.2 ms", "79")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("was", "wrong", "part"),
    [
        ("[[agent.task]]", "[[agent.other]]", "other"),
        ("priority = 81 ", "self_trigger = true\npriority = 81 ", "self_trigger"),
        ('work = "100 us"', 'work = "2 s"', "work"),
    ],
)
def test_what_makes_no_sense_is_refused(was: str, wrong: str, part: str) -> None:
    text = find_plan("interrupt-to-task-with-tasks").read_text(encoding="utf-8")
    assert was in text
    with pytest.raises(InputError, match=part):
        parse_plan(text.replace(was, wrong), "plan")
