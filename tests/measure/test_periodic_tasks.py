# SPDX-License-Identifier: GPL-3.0-or-later
"""Several periodic tasks: what is reported of each is what it did, and a lie is told."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.sources import SelfMeasured
from rig.analysis.model.task_set import parse_task_set
from rig.analysis.model.wiring import Wiring
from rig.config.plan import parse_plan
from rig.errors import InputError
from rig.instruments import LOG_CLOCK, LOG_PART_SHIFT, LOG_RECORD, LOG_VALUE
from rig.measurements.evaluate import evaluate
from rig.measurements.registry import MEASUREMENTS
from rig.resources import find_plan
from rig.virtual.task_set import Cycle, simulate
from tests.analysis.raw_runs import RATE_HZ, MemoryRun, toggles
from tests.measure.inside_runs import ORIGIN_TICKS, TICK_HZ, WRITE_TICKS, Known, sample_of

WORDS = {"periodic": "1000000:100000:82,2000000:300000:81,5000000:1200000:80", "count": "100"}
BUSY = {"periodic": "1000000:500000:2,1000000:600000:1", "count": "100"}
VALUE = LOG_VALUE | LOG_CLOCK


def known_tasks(words: dict[str, str], seed: int = 1) -> tuple[Known, list[list[Cycle]]]:
    """A run whose starts are late by drawn times, and what each task did."""
    tasks, random = parse_task_set(words), np.random.default_rng(seed)
    drawn = simulate(tasks, lambda _at: int(random.gamma(3, 700)) * 1000)
    rows, edges, before = [], [], [0, *accumulate(tasks.periods)]
    for task, cycles in enumerate(drawn):
        for cycle in cycles:
            number = before[task] + cycle.number
            due, start, finish = (at // 1000 for at in cycle[1:])
            if task == 0:
                for part, at in enumerate((start, finish)):
                    ticks = ORIGIN_TICKS + at
                    rows.append((number, ticks, ticks + WRITE_TICKS, part << LOG_PART_SHIFT))
                    edges.append(sample_of(ticks + WRITE_TICKS // 2))
            rows.append((number, due, start, VALUE | 2 * task << LOG_PART_SHIFT))
            rows.append((number, start, finish, VALUE | (2 * task + 1) << LOG_PART_SHIFT))
    records = np.array([(n, *row, 0) for n, row in enumerate(rows)], LOG_RECORD)
    settings = Settings(
        measurement="periodic_tasks",
        scenario="idle",
        sample_rate_hz=RATE_HZ,
        stimulus_clock_hz=16_000_000,
        wiring=Wiring(0, 1, ()),
        glitch_samples=0,
        limits=Limits(missed=0),
        tick_hz=TICK_HZ,
        agent=words,
        source=SelfMeasured(tasks.count),
    )
    done = sum(map(len, drawn))
    account = InstrumentCounts(handled=before[-1], unanswered=before[-1] - done)
    run = MemoryRun(toggles(edges), edges[-1] + 1000, records)
    return Known(run, settings, account, np.empty((0, 0), np.int64)), drawn


def evaluated(run: Known) -> Evaluation:
    return evaluate(run.raw, run.settings, run.account)


@pytest.mark.parametrize("words", [WORDS, BUSY], ids=["three", "too many"])
def test_each_task_has_the_figures_of_what_it_did(words: dict[str, str]) -> None:
    run, drawn = known_tasks(words)
    found = evaluated(run)
    assert all(witness.agrees for witness in found.witnesses), found.witnesses
    measurands = iter(found.measurands)
    for cycles in drawn:
        due, start, finish = (np.array([c[at] // 1000 for c in cycles]) for at in (1, 2, 3))
        for want in (start - due, finish - due, finish - start):
            values, counts = np.unique(want, return_counts=True)
            each = next(measurands)
            assert each.histogram.values.tolist() == values.tolist(), each.name
            assert each.histogram.counts.tolist() == counts.tolist(), each.name
    assert [each.name for each in measurands] == [
        f"{name}_by_pins" for name in ("latency", "finish_latency", "work", "interval_error")
    ]
    told = [each.missed for each in found.details.tasks]
    periods = parse_task_set(words).periods
    assert told == [all_ - len(cycles) for all_, cycles in zip(periods, drawn, strict=True)]
    assert found.counts.missed == sum(told)
    assert (found.verdict is Verdict.PASS) == (sum(told) == 0)


def test_pins_see_the_first_task() -> None:
    run, drawn = known_tasks(WORDS)
    found = {each.name: each.statistics for each in evaluated(run).measurands}
    late = np.array([cycle.start_ps - cycle.due_ps for cycle in drawn[0]]) / 1000
    sample_ns = 1e9 / RATE_HZ
    pins = found["interval_error_by_pins"]
    assert pins.max_ns == pytest.approx(np.diff(late).max(), abs=2 * sample_ns)
    assert found["work_by_pins"].average_ns == pytest.approx(100_000, abs=sample_ns)


def _told_twice(records):
    records["handled"][500] = records["handled"][498]


def _off_its_grid(records):
    records["before_ticks"][-4] += 1


def _of_a_task_that_is_not_there(records):
    records["flags"][-2:] += 4 << LOG_PART_SHIFT


def _start_elsewhere(records):
    records["before_ticks"][-1] += 5


@pytest.mark.parametrize(
    "lie", [_told_twice, _off_its_grid, _of_a_task_that_is_not_there, _start_elsewhere]
)
def test_a_lie_of_the_agent_is_caught(lie) -> None:
    run, _ = known_tasks(WORDS)
    records = run.raw.records.copy()
    lie(records)
    found = evaluated(replace(run, raw=replace(run.raw, records=records)))
    assert found.verdict is Verdict.INCONSISTENT, found.reasons


def test_cycles_that_are_not_in_the_log_are_missed_by_the_count() -> None:
    run, _ = known_tasks(WORDS)
    found = evaluated(replace(run, raw=replace(run.raw, records=run.raw.records[:-2])))
    assert "170 cycles by the agent's count, 169 in the log" in str(found.witnesses)


def test_the_report_has_a_line_for_each_task() -> None:
    found = evaluated(known_tasks(BUSY)[0])
    (section,) = MEASUREMENTS["periodic_tasks"].sections(found)
    table, _ = section.blocks
    assert [row[:6] for row in table.rows] == [
        ("1", "1 ms", "500 us", "2", "100", "0"),
        ("2", "1 ms", "600 us", "1", "50", "50"),
    ]


def test_a_plans_tasks_are_the_agents_word() -> None:
    plan = parse_plan(find_plan("periodic-tasks").read_text(encoding="utf-8"), "plan")
    assert plan.agent.wire_arguments() == {**WORDS, "count": "1000"}


@pytest.mark.parametrize(
    ("was", "wrong", "part"),
    [
        ('period = "5 ms"', 'period = "5 us"', r"plan:25: \[\[agent.task\]\] period"),
        ("priority = 80", "priority = 100", "priority"),
        ("priority = 80", "rank = 80", "rank"),
        ("[[agent.task]]", "[[agent.other]]", "other"),
    ],
)
def test_a_task_that_makes_no_sense_is_refused(was: str, wrong: str, part: str) -> None:
    text = find_plan("periodic-tasks").read_text(encoding="utf-8")
    assert was in text
    with pytest.raises(InputError, match=part):
        parse_plan(text.replace(was, wrong), "plan")


@pytest.mark.parametrize("text", ["", "1:2", "x:1:1", "0:1:1", "9" * 40 + ":1:1", "1:1:1:1"])
def test_words_of_a_foreign_file_may_be_anything(text: str) -> None:
    run, _ = known_tasks(WORDS)
    odd = replace(run.settings, agent={**WORDS, "periodic": text})
    assert evaluate(run.raw, odd, run.account).verdict is not Verdict.PASS
