# SPDX-License-Identifier: GPL-3.0-or-later
"""Rising and falling answers that are not equally late: each is corrected by its own edge."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.uncertainty.by_edge import AnswerEdges, ByEdge
from rig.analysis.uncertainty.contribution import calibrated
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.config.calibration import CalibratedQuantity, CalibrationRecord
from rig.instruments import LOG_OF_TASK, LOG_SPAN, LOG_TASK
from rig.measurements.evaluate import evaluate
from rig.record.reader import RunFile
from rig.session.calibrated_error_model import calibrated_bench
from rig.session.results import document, read
from rig.virtual.truth import load_truth
from tests.analysis.raw_runs import (
    RATE_HZ,
    RESPONSE,
    STIMULUS,
    TASK,
    MemoryRun,
    log_of,
    settings_of,
)
from tests.calibration.skewed import MADE, PLAN, SAMPLE_NS, measure, records, text, true_values_ns

APART_NS = 500.0
"""More than a pin write takes: without correction no clock fits rising and falling answers."""
PERIODS = """
[plan]
name = "skewed"
title = ""
measurement = "period"
scenario = "idle"
[agent]
period = "1 ms"
count = 400
priority = 80
[capture]
resolution = "50 ns"
glitch_filter = "0 ns"
[response]
timeout = "5 ms"
"""


@pytest.mark.parametrize("measurement", ["interrupt", "interrupt_to_task"])
def test_each_answer_is_corrected_by_its_edge(tmp_path, measurement):
    plan = PLAN.replace('"interrupt"', f'"{measurement}"')
    known = text(*records(apart_ns=APART_NS))
    path, true_ns = measure(tmp_path, calibration=known, plan=plan, apart_ns=APART_NS)
    result = read(path)
    assert result.evaluation.verdict == "pass", result.evaluation.reasons
    figures = document(result)["measurands"][0]["corrected"]
    values_ns = true_values_ns(tmp_path / "truth.bin")
    assert abs(figures["average_ns"] - true_ns) < SAMPLE_NS / 4
    # Single values have their pin write's scatter and a sample of quantization, and no more.
    reach_ns = SAMPLE_NS + 200
    assert abs(figures["max_ns"] - max(values_ns)) < reach_ns
    assert abs(figures["min_ns"] - min(values_ns)) < reach_ns
    assert figures["deviation_ns"] == pytest.approx(np.std(values_ns), rel=0.02)
    for name in ("max", "average"):
        budget = result.evaluation.primary.budgets[name]
        assert budget.corrected == pytest.approx(figures[f"{name}_ns"], abs=0.1)
    # Without it the two kinds of answers contradict each other, and it says so.
    assert read(path, "").evaluation.verdict == "inconsistent"


def test_the_average_interval_of_periods(tmp_path):
    known = text(*records(apart_ns=APART_NS))
    path, _ = measure(tmp_path, calibration=known, plan=PERIODS, apart_ns=APART_NS)
    result = read(path)
    assert result.evaluation.verdict == "pass", result.evaluation.reasons
    truth, _ = load_truth(tmp_path / "truth.bin")
    mean_ns = (int(truth["response_ps"][-1]) - int(truth["response_ps"][0])) / 399 / 1e3
    (interval,) = [m for m in result.evaluation.measurands if m.name == "interval_error"]
    assert abs(interval.budgets["average"].corrected + 1e6 - mean_ns) < SAMPLE_NS / 4


def test_pulses_and_holes_say_nothing_of_edges(tmp_path):
    """Only edges of one level are answers, or it is not known which they are."""
    path, _ = measure(tmp_path, calibration=text(*records()))
    result = read(path)
    half = calibrated(0.0, 0.1, "ns", "")
    bench = replace(BenchErrorModel(SAMPLE_NS), edge_later_ns=half, edge_shown_ns=half)
    with RunFile(path) as file:
        found = AnswerEdges.of(file, result.settings, bench)
        assert found is not None
        assert found.first_level == 1
        pulses = replace(result.settings.wiring, answer_level=1)
        assert AnswerEdges.of(file, replace(result.settings, wiring=pulses), bench) is None
        assert AnswerEdges.of(file, result.settings, BenchErrorModel(SAMPLE_NS)) is None


@given(
    latency=st.lists(st.integers(1, 10**6), min_size=1, max_size=80),
    numbers=st.data(),
    half_ns=st.floats(-1e4, 1e4),
    first=st.integers(0, 1),
    rate_hz=st.sampled_from((1_000_000, 24_000_000, 100_000_000)),
)
def test_figures_are_those_of_values_corrected_one_by_one(
    latency, numbers, half_ns, first, rate_hz
):
    answer = numbers.draw(
        st.lists(st.integers(0, 10**9), min_size=len(latency), max_size=len(latency))
    )
    half = calibrated(half_ns, 0.1, "ns", "")
    found = ByEdge(AnswerEdges(first, half, half), rate_hz)
    samples, number = np.array(latency), np.array(answer)
    found.add(samples[:7], number[:7])
    found.add(samples[7:], number[7:])
    signs = np.array([1 if (first + each) % 2 else -1 for each in answer])
    values_ns = samples * 1e9 / rate_hz - signs * half_ns
    assert found.figures.n == len(latency)
    assert found.figures.average_ns == pytest.approx(values_ns.mean(), abs=0.002)
    assert found.figures.max_ns == pytest.approx(values_ns.max(), abs=0.002)
    assert found.figures.median_ns == pytest.approx(np.median(values_ns), abs=0.002)


def task_records(skews: dict[str, float]) -> list[CalibrationRecord]:
    quantities = tuple(
        CalibratedQuantity("channel_skew", ns, "ns", 0.1, 1000, subject)
        for subject, ns in skews.items()
    )
    return [CalibrationRecord("channel-skew", MADE, quantities)]


def test_dispatch_by_pins_knows_the_channels_of_both():
    """A task's channel that is 2 samples late, and whose edges differ by half a sample."""
    rng = np.random.default_rng(4)
    late = {(RESPONSE, 1): 3.0, (RESPONSE, 0): 15.0, (TASK, 1): 90.0, (TASK, 0): 110.0}
    edges, rows, true_ns = [], [], []
    sample_ns = Fraction(10**9, RATE_HZ)

    def seen(at_ns: float, channel: int, level: int) -> None:
        shown = Fraction(at_ns + late.get((channel, level), 0.0)) / sample_ns
        edges.append((int(shown) + 1, channel, level))

    for number in range(1, 801):
        at_ns = number * 1_000_000 + float(rng.uniform(0, 5000))
        dispatch_ns = float(rng.uniform(3000, 9000))
        seen(at_ns - 4000, STIMULUS, 1)
        seen(at_ns - 3000, STIMULUS, 0)
        level = number & 1
        seen(at_ns, RESPONSE, level)
        seen(at_ns + dispatch_ns, TASK, level)
        rows.append((number, int(at_ns) - 50, int(at_ns) + 400, LOG_SPAN | LOG_OF_TASK))
        back = int(at_ns + dispatch_ns)
        rows.append((number, back - 300, back + 300, LOG_TASK))
        true_ns.append(dispatch_ns)
    run = MemoryRun(edges, 801 * RATE_HZ // 1000 + 10_000, log_of(rows))
    settings = settings_of("interrupt_dispatch", task=True)
    names = {(c, level): f"D{c} {('falling', 'rising')[level]}" for c, level in late}
    skews = {names[key]: ns for key, ns in late.items()} | {f"D{STIMULUS} rising": 0.0}
    bench, _ = calibrated_bench(
        BenchErrorModel(SAMPLE_NS), task_records(skews), settings.wiring, settings.stimulus_clock_hz
    )
    found = evaluate(run, settings, InstrumentCounts(sent=800, handled=800), bench=bench)
    pins = found.measurands[0]
    assert pins.histogram.n == 800
    assert abs(pins.statistics.average_ns - np.mean(true_ns)) > SAMPLE_NS
    budget = pins.budgets["average"]
    assert abs(budget.corrected - np.mean(true_ns)) < SAMPLE_NS / 4
    assert "channel skew" not in [unknown.name for unknown in budget.unknown]
