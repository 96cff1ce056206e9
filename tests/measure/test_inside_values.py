# SPDX-License-Identifier: GPL-3.0-or-later
"""What is reported of a target that measures by itself is what was put into its log, exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.settings import Limits
from rig.analysis.model.sources import SelfMeasured
from rig.instruments import LOG_FAILED, LOG_VALUE, LOG_WENT_ON
from rig.measurements.evaluate import evaluate
from rig.measurements.registry import MEASUREMENTS, SELF_MEASUREMENTS
from tests.measure.inside_runs import (
    PAUSE_TICKS,
    PPM,
    TICK_HZ,
    Known,
    known_periods,
    known_run,
)

CASES = [
    (name, variant)
    for name, each in SELF_MEASUREMENTS.items()
    for variant in each.variants
    if not (each.periodic or each.spins)
]
KINDS = [
    *(
        (name, next(iter(each.variants)))
        for name, each in SELF_MEASUREMENTS.items()
        if not (each.periodic or each.spins)
    ),
    ("services", "port_write"),
    ("clock_resolution", "counter"),
]
"""One of each way in which a log is read."""


def drawn(measurement: str, count: int, seed: int = 1) -> np.ndarray:
    shape = (count, len(SELF_MEASUREMENTS[measurement].parts))
    return np.random.default_rng(seed).gamma(3, 700, shape).astype(np.int64) + 400


def facts(found) -> dict[str, str]:
    """What reports say of it below its table."""
    (section,) = MEASUREMENTS["services"].sections(found)
    return {fact.name: fact.text for fact in section.blocks[1].rows}


def evaluated(run: Known):
    return evaluate(run.raw, run.settings, run.account)


@pytest.mark.parametrize(("measurement", "variant"), CASES)
@pytest.mark.parametrize("pin", [True, False])
def test_figures_are_those_of_the_values_put_in(measurement, variant, pin):
    values = drawn(measurement, 100)
    found = evaluated(known_run(measurement, variant, values, pin=pin))
    assert found.verdict is Verdict.PASS, found.reasons
    assert len(found.measurands) == values.shape[1]
    for part, each in enumerate(found.measurands):
        mine = values[:, part]
        assert each.statistics.n == 100
        assert each.statistics.min_ns == mine.min()
        assert each.statistics.max_ns == mine.max()
        assert each.statistics.average_ns == pytest.approx(mine.mean(), rel=1e-12)
        assert each.statistics.deviation_ns == pytest.approx(mine.std(), rel=1e-9)
        assert each.histogram.values.tolist() == np.unique(mine).tolist()
    assert found.counts.n == found.counts.answered == 100


@given(
    values=st.lists(st.integers(0, 10**7), min_size=1, max_size=60),
    variant=st.sampled_from(["yield", "mutex"]),
)
@settings(deadline=None, max_examples=25)
def test_any_values_come_out_as_they_went_in(values, variant):
    run = known_run("task_switch", variant, np.array(values).reshape(-1, 1))
    found = evaluated(run)
    assert found.verdict is Verdict.PASS, found.reasons
    counted = dict(
        zip(found.histogram.values.tolist(), found.histogram.counts.tolist(), strict=True)
    )
    assert counted == {value: values.count(value) for value in set(values)}


def test_the_counters_rate_is_found_by_the_pins_and_told():
    run = known_run("task_switch", "yield", drawn("task_switch", 400))
    seen = evaluated(run)
    assert seen.details.rate_ppm == pytest.approx(PPM, abs=1)
    average = seen.measurands[0].budgets["average"]
    true_ns = run.values.mean() / (TICK_HZ * (1 + PPM * 1e-6)) * 1e9
    assert average.corrected == pytest.approx(true_ns, abs=average.expanded)
    blind = evaluated(known_run("task_switch", "yield", run.values, pin=False))
    assert blind.details.rate_ppm is None
    assert "rate that the agent reported" in facts(blind)["unit"]
    assert "none" in facts(blind)["outside"]


def test_a_clock_of_the_system_is_in_its_own_nanoseconds():
    run = known_run("timer", "absolute", drawn("timer", 50))
    odd = replace(run, settings=replace(run.settings, tick_hz=2_799_999_999))
    found = evaluate(odd.raw, odd.settings, odd.account)
    assert found.figures.max_ns == run.values.max()
    assert found.details.by_clock


def test_wakes_that_did_not_preempt_are_told():
    run = known_run("task_preemption", "pipe", drawn("task_preemption", 20))
    late = np.flatnonzero(run.raw.records["flags"] & LOG_VALUE)[[3, 7]]
    run.raw.records["flags"][late] |= np.uint32(LOG_WENT_ON)
    found = evaluated(run)
    assert found.verdict is Verdict.PASS
    assert found.details.went_on == 2
    assert "2 wakes" in facts(found)["went on"]


def test_a_clock_that_stands_still_is_told():
    values = np.array([0, 0, 4_000_000, 0]).reshape(-1, 1)
    found = evaluated(known_run("clock_resolution", "coarse", values, pin=False))
    assert (found.details.at_zero, found.details.smallest_step_ns) == (3, 4_000_000)


def passes(count: int, failed: tuple[int, ...] = (), **more: Limits) -> Known:
    """Passes of a preemption by a timer that are asked to wait 5 us, some of which have failed."""
    values = drawn("preemption", count) + np.array([0, 5000, 0])
    run = known_run("preemption", "timer", values, pin=False, **more)
    run.settings.agent["wait_ns"] = "5000"
    first = [int(np.flatnonzero(run.raw.records["handled"] == number)[0]) for number in failed]
    gone = np.isin(run.raw.records["handled"], failed)
    gone[first] = False
    records = run.raw.records[~gone].copy()
    records["flags"][np.isin(records["handled"], failed)] = LOG_VALUE | LOG_FAILED
    records["sequence"] = np.arange(len(records))
    account = replace(run.account, unanswered=len(failed))
    return replace(run, raw=replace(run.raw, records=records), account=account)


def test_a_wait_is_what_it_took_beyond_what_was_asked_for():
    run = passes(100)
    found = evaluated(run)
    assert found.verdict is Verdict.PASS, found.reasons
    wait = run.values[:, 1] - 5000
    assert found.measurands[1].histogram.values.tolist() == np.unique(wait).tolist()
    assert found.details.rows[1].title == "wait beyond 5 us"


def test_failed_passes_are_counted_and_give_no_value():
    failed = (1, 40, 41, 100)
    run = passes(100, failed, limits=Limits(missed=0, others={"failed": 3}))
    found = evaluated(run)
    assert all(witness.agrees for witness in found.witnesses), found.witnesses
    assert found.details.failed == 4
    assert (found.counts.n, found.counts.missed) == (96, 0)
    assert found.verdict is Verdict.FAIL
    assert found.reasons == ("4 failed, 3 allowed",)
    good = np.delete(run.values, np.array(failed) - 1, axis=0)
    assert found.figures.max_ns == good[:, 0].max()
    assert "4 iterations" in facts(found)["failed"]


def test_failed_passes_that_the_log_does_not_have_are_told():
    run = passes(100, (7,))
    found = evaluated(replace(run, account=replace(run.account, unanswered=2)))
    assert found.verdict is Verdict.INCONSISTENT
    assert "2 failed iterations counted by the agent, 1 in the log" in str(found.reasons)


def test_a_value_of_a_batch_is_the_mean_of_its_switches():
    run = known_run("task_switch", "mutex", drawn("task_switch", 100) * 1000)
    run.settings.agent["batch"] = "1000"
    found = evaluated(run)
    assert found.verdict is Verdict.PASS, found.reasons
    assert found.figures.max_ns == pytest.approx(run.values.max() / 1000)
    assert found.figures.average_ns == pytest.approx(run.values.mean() / 1000)
    assert found.measurands[0].effects.resolution_ns == pytest.approx(1e-3)
    assert "1,000 switches" in facts(found)["mean of"]


@pytest.mark.parametrize("pin", [True, False])
def test_values_of_a_warm_up_are_told_and_in_no_figure(pin):
    values = drawn("preemption", 50)
    values[1, 0] = 99_000
    run = known_run("preemption", "pipe", values, pin=pin)
    run.settings.agent["warm_up"] = "3"
    found = evaluate(run.raw, replace(run.settings, source=SelfMeasured(47)), run.account)
    assert found.verdict is Verdict.PASS, found.reasons
    assert (found.counts.n, found.figures.n) == (47, 47)
    for part, each in enumerate(found.measurands):
        assert each.histogram.values.tolist() == np.unique(values[3:, part]).tolist()
    assert (found.details.warm_up, found.details.warm_up_max_ns) == (3, 99_000)
    assert facts(found)["warm-up"] == "the first 3 values are in no figure, of up to 99.000 us"


# --- limits and ends ----------------------------------------------------------------------------


def test_limits_hold_each_part_by_its_name():
    values = np.tile([[1000, 50, 700]], (100, 1))
    values[40] = 9000, 60, 8000
    limits = Limits(max_ns=5000, others={"max_wait": 100.0, "max_switch_back": 5000.0})
    found = evaluated(known_run("preemption", "futex", values, limits=limits))
    assert found.verdict is Verdict.FAIL
    judged = {each.name: str(each.judgment) for each in found.limits}
    assert judged == {
        "max_latency": "exceeded", "max_wait": "kept", "max_switch_back": "exceeded",
    }  # fmt: skip


def test_values_that_did_not_come_are_missed():
    run = known_run("task_creation", "fork", drawn("task_creation", 30))
    cut = replace(run, settings=replace(run.settings, source=SelfMeasured(40)))
    found = evaluated(cut)
    assert found.verdict is Verdict.FAIL
    assert found.counts.missed == 10


def test_a_run_without_an_end_proves_nothing():
    run = known_run("task_switch", "yield", drawn("task_switch", 30))
    found = evaluate(run.raw, run.settings, replace(run.account, handled=None))
    assert found.verdict is Verdict.INCONCLUSIVE


def test_a_log_that_was_full_is_no_lie():
    run = known_run("task_switch", "yield", drawn("task_switch", 30))
    raw = replace(run.raw, records=run.raw.records[:40])
    found = evaluate(raw, run.settings, replace(run.account, log_dropped=20))
    assert found.verdict is Verdict.FAIL, found.reasons  # ten values are missing, and that is told
    assert found.counts.missed == 10
    assert all(witness.agrees for witness in found.witnesses), found.witnesses


@pytest.mark.parametrize(("measurement", "variant"), KINDS)
def test_an_empty_log_is_no_figure(measurement, variant):
    run = known_run(measurement, variant, drawn(measurement, 5))
    empty = replace(run.raw, records=run.raw.records[:0], edges=[])
    found = evaluate(empty, run.settings, replace(run.account, handled=0))
    assert found.verdict is not Verdict.PASS
    assert found.figures.n == 0


# --- wrong agents -------------------------------------------------------------------------------


@pytest.mark.parametrize("measurement", ["task_switch", "preemption", "task_creation", "services"])
def test_a_value_that_ends_behind_its_edge_is_caught(measurement):
    variant = next(iter(SELF_MEASUREMENTS[measurement].variants))
    run = known_run(measurement, variant, drawn(measurement, 50))
    records = run.raw.records.copy()
    last = np.flatnonzero(records["flags"] & LOG_VALUE == 0)[20] - 1
    records["after_ticks"][last] += np.uint64(1000)
    found = evaluated(replace(run, raw=replace(run.raw, records=records)))
    assert found.verdict is Verdict.INCONSISTENT
    assert any("end after their pin write" in reason for reason in found.reasons)


def test_a_value_that_ends_before_it_begins_is_caught():
    run = known_run("task_switch", "yield", drawn("task_switch", 50), pin=False)
    records = run.raw.records.copy()
    records["after_ticks"][9] = records["before_ticks"][9] - np.uint64(5)
    found = evaluated(replace(run, raw=replace(run.raw, records=records)))
    assert found.verdict is Verdict.INCONSISTENT


def test_a_part_that_is_told_twice_is_caught():
    run = known_run("preemption", "pipe", drawn("preemption", 50), pin=False)
    records = run.raw.records.copy()
    records["flags"][31] = records["flags"][30]
    found = evaluated(replace(run, raw=replace(run.raw, records=records)))
    assert found.verdict is Verdict.INCONSISTENT


def test_edges_of_a_pin_that_was_to_rest_are_caught():
    run = known_run("task_switch", "yield", drawn("task_switch", 50))
    silent = known_run("task_switch", "yield", run.values, pin=False)
    found = evaluate(replace(silent.raw, edges=run.raw.edges, end=run.raw.end), silent.settings,
                     silent.account)  # fmt: skip
    assert found.verdict is Verdict.INCONSISTENT


# --- start and finish ---------------------------------------------------------------------------


def periods(count: int = 200) -> Known:
    """Every other one starts and finishes as early as can be, so that nothing tilts the grids."""
    start, work = (drawn("services", count, seed)[:, 0] for seed in (3, 4))
    start[::2], work[::2] = 0, 100_000
    work[1::2] += 100_000
    start[-1], work[-1] = 0, 100_000
    return known_periods(start, work)


def test_start_finish_and_work_are_those_put_in():
    run = periods()
    found = evaluated(run)
    assert found.verdict is Verdict.PASS, found.reasons
    names = ["latency", "finish_latency", "work", "interval_error"]
    assert [each.name for each in found.measurands] == [*names, *(f"{n}_by_pins" for n in names)]
    for part, each in enumerate(found.measurands[:3]):
        want, times = np.unique(run.values[:, part], return_counts=True)
        assert each.histogram.values.tolist() == want.tolist()
        assert each.histogram.counts.tolist() == times.tolist()
    errors, times = np.unique(np.diff(run.values[:, 0]), return_counts=True)
    assert found.measurands[3].histogram.values.tolist() == errors.tolist()
    assert found.measurands[3].histogram.counts.tolist() == times.tolist()


def test_pins_see_what_ticks_say_to_a_sample():
    run = periods()
    found = {each.name: each.statistics for each in evaluated(run).measurands}
    sample_ns = 1e9 / run.settings.sample_rate_hz
    for name in ("latency", "finish_latency", "work"):
        ticks, pins = found[name], found[f"{name}_by_pins"]
        assert ticks.n == pins.n == 200
        for key in ("average_ns", "median_ns", "max_ns", "quartile_3_ns"):
            assert getattr(pins, key) == pytest.approx(getattr(ticks, key), abs=1.5 * sample_ns)
        assert pins.deviation_ns == pytest.approx(ticks.deviation_ns, rel=0.02)
        scale = pins.max_ns / sample_ns
        assert scale == pytest.approx(round(scale), abs=1e-6), "whole samples"


def test_pins_say_nothing_if_it_is_not_known_which_edge_is_which():
    run = periods()
    less = replace(run, raw=replace(run.raw, edges=run.raw.edges[:-1]))
    found = evaluated(less)
    assert len(found.measurands) == 4
    assert found.verdict is Verdict.INCONSISTENT


def test_a_finish_without_its_start_is_caught():
    run = periods()
    run.raw.records["flags"][60] = run.raw.records["flags"][61]
    found = evaluated(run)
    assert any("out of turn" in reason for reason in found.reasons)


def test_periods_that_were_missed_are_told_and_missed():
    run = periods()
    records = run.raw.records[run.raw.records["handled"] != 77].copy()
    records["sequence"] = np.arange(len(records))
    edges = [edge for n, edge in enumerate(sorted(run.raw.edges)) if n not in (152, 153)]
    account = replace(run.account, unanswered=1)
    found = evaluate(replace(run.raw, records=records, edges=edges), run.settings, account)
    assert found.verdict is Verdict.FAIL, found.reasons
    assert found.counts.missed == 1
    assert all(witness.agrees for witness in found.witnesses), found.witnesses


def test_words_of_a_foreign_file_may_be_anything():
    run = periods(10)
    for text in ("", "x", "0", "-5", "9" * 40):
        odd = replace(run.settings, agent={**run.settings.agent, "period_ns": text})
        assert evaluate(run.raw, odd, run.account).figures.n == 10


def test_a_value_that_begins_before_the_last_pin_write_has_ended_is_told():
    known = known_run("task_preemption", "semaphore", np.full((50, 1), 5_000))
    assert evaluated(known).verdict is Verdict.PASS
    records = known.raw.records
    rows = np.flatnonzero(records["flags"] & LOG_VALUE)
    records["before_ticks"][rows[20]] -= np.uint64(PAUSE_TICKS + 2)
    found = evaluated(known)
    assert found.verdict is Verdict.INCONSISTENT
    assert "1 values begin before a pin write has ended" in found.reasons[0]


def test_parts_of_an_iteration_do_not_overlap():
    known = known_run("preemption", "semaphore", np.full((50, 3), 5_000))
    records = known.raw.records
    records["before_ticks"][np.flatnonzero(records["flags"] & LOG_VALUE)[31]] -= np.uint64(1)
    found = evaluated(known)
    assert "1 values begin before the one before has ended, number 31" in found.reasons[0]
