# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest period that a task keeps: the search, what is made of it, and lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.sources import SelfMeasured
from rig.analysis.model.wiring import Wiring
from rig.config.plan import parse_plan
from rig.errors import InputError
from rig.instruments import LOG_PART_SHIFT, LOG_RECORD
from rig.measurements.evaluate import evaluate
from rig.measurements.registry import MEASUREMENTS
from rig.resources import find_plan
from rig.virtual.clock import VirtualClock
from rig.virtual.period_search import PeriodSearchTask
from rig.virtual.self_measuring import Means
from tests.analysis.raw_runs import RATE_HZ, MemoryRun
from tests.measure.inside_runs import TICK_HZ, Known

WORDS = {
    "period_ns": "1000000",
    "period_stop_ns": "20000",
    "resolution_ppm": "10000",
    "count": "50",
    "work_ns": "50000",
}


def searched(late_ps: Callable[[int], int], **words: str) -> Known:
    """A search by a task that starts so late, by the time at which it is due."""
    rows: list[tuple[int, int, int, int]] = []
    means = Means(
        late_ps, VirtualClock(TICK_HZ), lambda *row: rows.append(row), lambda *_: 0, lambda _: None
    )
    agent = WORDS | words
    task = PeriodSearchTask(means, agent, 10**12)
    task.pass_until(10**15)
    assert task.over
    records = np.array([(n, *row, 0) for n, row in enumerate(rows)], LOG_RECORD)
    settings = Settings(
        measurement="period_search",
        scenario="idle",
        sample_rate_hz=RATE_HZ,
        stimulus_clock_hz=16_000_000,
        wiring=Wiring(0, 1, ()),
        glitch_samples=0,
        limits=Limits(),
        tick_hz=TICK_HZ,
        agent=agent,
        source=SelfMeasured(int(agent["count"])),
    )
    account = InstrumentCounts(handled=task.handled, unanswered=task.missed)
    return Known(MemoryRun([], 1000, records), settings, account, np.empty((0, 0), np.int64))


def evaluated(run: Known) -> Evaluation:
    return evaluate(run.raw, run.settings, run.account)


@pytest.mark.parametrize(("late_us", "work_us"), [(7.3, 50), (15, 10), (40, 333), (0.5, 870)])
def test_the_limit_is_lateness_and_work(late_us: float, work_us: int) -> None:
    run = searched(lambda _at: int(late_us * 1e6), work_ns=str(work_us * 1000))
    found = evaluated(run)
    figures, truth_ns = found.details, (late_us + work_us) * 1e3
    assert found.verdict is Verdict.PASS, found.reasons
    assert figures.lost_ns <= truth_ns < figures.kept_ns
    assert figures.kept_ns - figures.lost_ns <= figures.lost_ns // 100
    assert figures.lost_ns < figures.limit_ns < figures.kept_ns
    assert abs(figures.limit_ns - truth_ns) <= figures.expanded_ns
    assert all(hold.is_kept == (hold.period_ns > truth_ns) for hold in figures.holds)
    assert sum(hold.missed for hold in figures.holds) == run.account.unanswered


def test_nothing_is_missed_and_nothing_is_kept() -> None:
    fast = evaluated(searched(lambda _at: 10**6, work_ns="5000"))
    assert (fast.details.kept_ns, fast.details.lost_ns, fast.details.limit_ns) == (
        20_000,
        None,
        None,
    )
    slow = evaluated(searched(lambda _at: 10**9, work_ns="500000"))
    assert (len(slow.details.holds), slow.details.kept_ns) == (1, None)
    assert slow.verdict is Verdict.INCONCLUSIVE
    assert "no period was kept; begin with a longer one" in slow.reasons


@pytest.mark.parametrize(
    ("limit_us", "verdict"), [(60, "pass"), (50, "fail"), (57.4, "inconclusive")]
)
def test_a_limit_on_the_period(limit_us: float, verdict: str) -> None:
    run = searched(lambda _at: 7_300_000)
    limits = replace(run.settings.limits, others={"max_least_period": limit_us * 1e3})
    found = replace(run, settings=replace(run.settings, limits=limits))
    assert evaluated(found).verdict == verdict


def _a_start_before_it_was_due(records):
    records["after_ticks"][70] = records["before_ticks"][70] - 1


def _off_its_grid(records):
    records["before_ticks"][70] += 1


def _a_hold_of_another_period(records):
    records["after_ticks"][51] -= 100


def _a_hold_too_few(records):
    records["flags"][51:] += 2 << LOG_PART_SHIFT


@pytest.mark.parametrize(
    "lie", [_a_start_before_it_was_due, _off_its_grid, _a_hold_of_another_period, _a_hold_too_few]
)
def test_a_lie_of_the_agent_is_caught(lie) -> None:
    run = searched(lambda _at: 7_300_000)
    records = run.raw.records.copy()
    lie(records)
    found = evaluated(replace(run, raw=replace(run.raw, records=records)))
    assert found.verdict is Verdict.INCONSISTENT, found.reasons


def test_periods_that_the_agent_counts_otherwise_are_told() -> None:
    run = searched(lambda _at: 7_300_000)
    odd = replace(run, account=replace(run.account, unanswered=run.account.unanswered + 1))
    assert evaluated(odd).verdict is Verdict.INCONSISTENT


def test_words_and_tables() -> None:
    found = evaluated(searched(lambda _at: 7_300_000))
    (section,) = MEASUREMENTS["period_search"].sections(found)
    facts, table, share = section.blocks
    assert section.title == "Shortest period kept: 57.647 us"
    assert [fact.name for fact in facts.rows] == ["period", "first lost", "limit"]
    assert len(table.rows) == len(found.details.holds)
    assert share.curve.y_range[1] == 100


def test_a_plans_search_is_the_agents_words() -> None:
    text = find_plan("period-search").read_text(encoding="utf-8")
    words = parse_plan(text, "plan").agent.wire_arguments()
    assert words == {**WORDS, "count": "1000", "priority": "80"}
    for was, wrong in (('"20 us"', '"2 ms"'), ("resolution = 0.01", "resolution = 0.5")):
        assert was in text
        with pytest.raises(InputError, match=r"period_stop|resolution"):
            parse_plan(text.replace(was, wrong), "plan")


@pytest.mark.parametrize("text", ["", "x", "0", "-5", "9" * 40])
def test_words_of_a_foreign_file_may_be_anything(text: str) -> None:
    run = searched(lambda _at: 7_300_000)
    for key in WORDS:
        odd = replace(run.settings, agent={**WORDS, key: text})
        evaluate(run.raw, odd, run.account)
