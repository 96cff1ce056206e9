# SPDX-License-Identifier: GPL-3.0-or-later
"""On the virtual bench: what is reported of a modelled target is what it drew, value by value."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from rig.bench.open import Bench, open_bench
from rig.bench.replay import open_replay
from rig.config.fixture import Fixture, parse_fixture
from rig.config.plan import parse_plan
from rig.measurements.registry import MEASUREMENTS, SELF_MEASUREMENTS
from rig.record.reader import RunFile
from rig.report.compare import compare
from rig.report.page import write_page
from rig.resources import find_fixture
from rig.session.results import Result, evaluation_text, store
from rig.session.run import run
from rig.virtual.truth import load_truth

COUNT = 60
RUNS = [
    *(
        (name, next(iter(each.variants)), True)
        for name, each in SELF_MEASUREMENTS.items()
        if not each.spins and not each.own_form
    ),
    ("services", "port_write", False),
    ("preemption", "timer", True),
    ("timer", "relative", True),
    ("task_switch", "mutex", False),
]
KEYS = {"relative": "warm_up = 2", "timer": 'pause = "100 us"\nwait = "30 us"\nlow_priority = 70'}
"""Further keys of variants."""
WARM_UP = {"relative": 2}


def plan_text(measurement: str, variant: str, *, pin: bool) -> str:
    inside = SELF_MEASUREMENTS[measurement]
    times = {"period": "1 ms", "section": "20 us", "work": "50 us"}
    if variant == "relative":
        times["period"] = "5 us"
    wanted = [key for key in times if key in inside.needs or (key == "work" and inside.periodic)]
    lines = [f'{key} = "{times[key]}"' for key in wanted]
    period = "\n".join([*lines, KEYS.get(variant, "")])
    return f"""
[plan]
name = "inside"
measurement = "{measurement}"
[agent]
variant = "{variant}"
count = {COUNT}
pin = {str(pin).lower()}
{period}
[capture]
resolution = "50 ns"
glitch_filter = "0 ns"
[response]
timeout = "5 ms"
[limits]
missed = 0
"""


def measured(text: str, fixture: Fixture, out: Path, opener: object) -> Result:
    failure = run(parse_plan(text, "p"), fixture, out, lambda _: None, threading.Event(), opener)
    assert failure is None, failure
    return store(out)


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> tuple[list[Result], np.ndarray, Fixture]:
    """All runs, one after the other on one bench, and the truth of all of them."""
    folder = tmp_path_factory.mktemp("inside")
    truth = folder / "truth.bin"
    text = find_fixture("virtual").read_text(encoding="utf-8")
    assert text.count("\n[virtual]\n") <= 1
    fixture = parse_fixture(
        text.replace("[virtual.target]", f'[virtual]\ntruth_file = "{truth}"\n\n[virtual.target]'),
        "virtual",
    )

    with open_bench(fixture) as bench:

        @contextmanager
        def opened(_fixture: Fixture) -> Iterator[Bench]:
            yield bench

        found = [
            measured(plan_text(name, variant, pin=pin), fixture, folder / f"{number}.h5", opened)
            for number, (name, variant, pin) in enumerate(RUNS)
        ]
    return found, load_truth(truth)[0], fixture


@pytest.mark.parametrize("number", range(len(RUNS)), ids=["-".join(map(str, r)) for r in RUNS])
def test_each_value_is_the_one_that_was_drawn(results, number):
    found, truth, _ = results
    name, variant, pin = RUNS[number]
    evaluation = found[number].evaluation
    assert found[number].exit_code == 0, evaluation.reasons
    before = sum(_drawn(*each[:2], pin=each[2]) for each in RUNS[:number])
    mine = truth[before : before + _drawn(name, variant, pin=pin)]
    lengths = (mine["after_ticks"] - mine["before_ticks"]).astype(np.int64)
    rows = _drawn(name, variant, pin=pin) // _iterations(variant)
    for part, each in enumerate(evaluation.measurands):
        true = lengths[part::rows] - (30_000 if each.name == "wait" and variant == "timer" else 0)
        true = true[WARM_UP.get(variant, 0) :]
        if SELF_MEASUREMENTS[name].periodic:  # start and finish are told of a grid that is fitted
            if each.name != "work":
                assert each.statistics.n == COUNT - each.name.startswith("interval_error")
                continue
            true = np.diff(mine["before_ticks"].astype(np.int64))[::2]
            assert true.min() > 50_000
        want, times = np.unique(true, return_counts=True)
        assert each.histogram.values.tolist() == want.tolist()
        assert each.histogram.counts.tolist() == times.tolist()
    seen = {witness.name: witness for witness in evaluation.witnesses}
    edges = _edges(name, variant, pin=pin)
    assert seen["answers"].text == f"analyzer {edges}, target log {edges}"
    assert ("bracket test" in seen) == (edges > 0)


def test_the_export_tells_which_task_each_switch_ended_in(results):
    result = results[0][[name for name, _, _ in RUNS].index("task_switch")]
    with RunFile(result.path) as file:
        table = MEASUREMENTS["task_switch"].value_table(file, result.settings)
        (piece,) = table.pieces
    assert table.columns == ("iteration", "begin_s", "switch_ns", "to_task")
    assert piece[-1].tolist() == [1, 2] * (COUNT // 2)


def test_the_export_has_starts_and_finishes_by_both_clocks(results):
    result = results[0][[name for name, _, _ in RUNS].index("start_finish")]
    with RunFile(result.path) as file:
        table = MEASUREMENTS["start_finish"].value_table(file, result.settings)
        (piece,) = table.pieces
    own = ("start_ns", "finish_ns", "work_ns")
    pins = ("start_by_pins_ns", "finish_by_pins_ns", "work_by_pins_ns")
    assert table.columns == ("period", "begin_s", *own, *pins)
    sample_ns = 1e9 / result.settings.sample_rate_hz
    for ticks, seen in zip(piece[2:5], piece[5:], strict=True):
        assert len(seen) == COUNT
        assert np.abs(seen - ticks).max() < 3 * sample_ns


def _iterations(variant: str) -> int:
    return COUNT + WARM_UP.get(variant, 0)


def _edges(name: str, variant: str, *, pin: bool) -> int:
    if SELF_MEASUREMENTS[name].periodic:
        return 2 * COUNT
    return _iterations(variant) if pin or variant in SELF_MEASUREMENTS[name].by_answers else 0


def _drawn(name: str, variant: str, *, pin: bool) -> int:
    """Rows of the truth: values, and writes of the pins."""
    inside = SELF_MEASUREMENTS[name]
    values = 0 if variant in inside.by_answers else _iterations(variant) * len(inside.parts)
    return values + _edges(name, variant, pin=pin)


def test_a_run_file_replayed_gives_the_same_figures(results, tmp_path):
    found, _, fixture = results
    plan = plan_text(*RUNS[0][:2], pin=RUNS[0][2])
    again = measured(plan, fixture, tmp_path / "again.h5", partial(open_replay, found[0].path))
    assert evaluation_text(again.evaluation) == evaluation_text(found[0].evaluation)


def test_reports_and_comparisons_are_in_the_targets_own_unit(results, tmp_path):
    found, _, _ = results
    both = [found[0], found[-1]]
    assert [result.unit_hz for result in both] == [10**9, 10**9]
    compared = compare(both)
    name, (difference,) = compared.differences[0]
    averages = [result.evaluation.figures.average_ns for result in (found[0], found[-1])]
    assert name == "average"
    assert difference.value_ns == pytest.approx(averages[1] - averages[0], abs=1e-6)
    write_page(tmp_path / "page.html", found[0])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "from a task that gives way" in page


def test_an_inversion_lasts_as_long_as_the_plan_says(results):
    found, _, _ = results
    name = "priority_inversion"
    inverted = found[[run[0] for run in RUNS].index(name)].evaluation.figures
    drawn = found[[run[0] for run in RUNS].index("preemption")].evaluation.figures
    assert inverted.min_ns - 70_000 == pytest.approx(drawn.min_ns, abs=2000)
