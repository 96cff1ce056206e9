# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in a spinning task's train: all that were made are found, and who lies is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.analysis.measurements.toggle_gap_list import IntervalBounds, Intervals, match_gaps
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.settings import Limits
from rig.analysis.model.sources import SelfMeasured
from rig.measurements.evaluate import Evaluation, evaluate
from rig.measurements.registry import MEASUREMENTS
from tests.analysis.raw_runs import RATE_HZ
from tests.measure.spin_runs import (
    AFTER_EDGE,
    BEFORE_EDGE,
    LIES,
    PAUSE,
    THRESHOLD_NS,
    Spun,
    skipped_gap,
    spun,
)

SAMPLE_NS = 1e9 / RATE_HZ
HOLD_UPS = {
    100: (PAUSE, 50_000), 333: (BEFORE_EDGE, 30_000), 500: (AFTER_EDGE, 70_000),
    601: (PAUSE, 25_000), 900: (PAUSE, 10_000), 999: (BEFORE_EDGE, 190_000),
}  # fmt: skip
"""One of 10 us makes no gap of 20 us."""


def evaluated(run: Spun) -> Evaluation:
    return evaluate(run.raw, run.settings, run.account)


def witness(found: Evaluation, name: str) -> tuple[bool, str]:
    (seen,) = [each for each in found.witnesses if each.name == name]
    return seen.agrees, seen.text


@pytest.fixture(scope="module")
def run() -> Spun:
    return spun(1000, HOLD_UPS)


def test_each_gap_is_found_by_both_with_its_length(run):
    found = evaluated(run)
    assert found.verdict is Verdict.PASS, found.reasons
    spin = found.details
    true = np.flatnonzero(run.intervals_ns > THRESHOLD_NS) + 2
    assert (spin.gaps, spin.gaps_by_log, spin.gaps_by_both) == (5, 5, 5)
    # 500 was held up behind its edge: that shows before edge 501.
    assert [gap.number for gap in spin.listed] == true.tolist() == [100, 333, 501, 601, 999]
    for gap in spin.listed:
        length_ns = run.intervals_ns[gap.number - 2]
        assert gap.pins_ns == pytest.approx(length_ns, abs=SAMPLE_NS + 1e-4 * length_ns)
        assert gap.lowest_ns - 10 <= length_ns <= gap.highest_ns + 10
    assert witness(found, "gaps") == (True, "pins 5, target log 5, 5 of them the same")


def test_figures_are_those_of_all_intervals(run):
    found = evaluated(run)
    duration_s = (run.edge_ticks[-1] - run.edge_ticks[0]) / 1e9
    gaps_ns = run.intervals_ns[run.intervals_ns > THRESHOLD_NS]
    assert found.figures.n == 999
    assert found.figures.max_ns == pytest.approx(run.intervals_ns.max(), abs=SAMPLE_NS + 5)
    assert found.duration_s == pytest.approx(duration_s, rel=1e-4)
    assert found.details.per_hour == pytest.approx(5 / duration_s * 3600, rel=1e-4)
    assert found.details.share == pytest.approx(gaps_ns.sum() / 1e9 / duration_s, rel=1e-3)
    assert found.details.toggles == 1000


def test_gaps_and_what_is_between_them_have_figures_of_their_own(run):
    found = {each.name: each for each in evaluated(run).measurands}
    above = run.intervals_ns > THRESHOLD_NS
    ends_ns = run.edge_ticks[1:][above]
    for name, true_ns in (
        ("gap_length", run.intervals_ns[above]),
        ("gap_interval", np.diff(ends_ns)),
    ):
        figures = found[name].statistics
        assert figures.n == len(true_ns)
        for value, true in (
            (figures.average_ns, true_ns.mean()),
            (figures.min_ns, true_ns.min()),
            (figures.max_ns, true_ns.max()),
            (figures.deviation_ns, true_ns.std()),
        ):
            assert value == pytest.approx(true, abs=SAMPLE_NS + 1e-4 * true), name
        assert found[name].histogram.n == len(true_ns)


@pytest.mark.parametrize(
    ("words", "ended_by"),
    [
        ({"gaps": "5"}, "gaps"),
        ({"gaps": "6"}, ""),
        ({"duration_ns": "1000000"}, "duration"),
        ({"duration_ns": "3600000000000"}, ""),
        ({}, ""),
    ],
)
def test_a_train_that_ends_before_its_count_says_why(run, words, ended_by):
    settings = replace(
        run.settings, source=SelfMeasured(2000), agent={**run.settings.agent, **words}
    )
    found = evaluate(run.raw, settings, run.account)
    assert found.details.ended_by == ended_by
    assert found.counts.missed == (0 if ended_by else 1000)
    assert (found.verdict is Verdict.PASS) == bool(ended_by)


def test_a_train_without_gaps_passes():
    found = evaluated(spun(300, {}))
    assert found.verdict is Verdict.PASS, found.reasons
    assert (found.details.gaps, found.details.gaps_by_log, found.details.per_hour) == (0, 0, 0.0)
    assert found.figures.n == 299
    assert [each.statistics.n for each in found.measurands[1:]] == [0, 0]
    assert found.details.ended_by == "count"


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_wrong_agent_is_caught(run, lie):
    found = evaluated(lie(run))
    assert found.verdict is Verdict.INCONSISTENT, found.reasons
    assert any(not each.agrees for each in found.witnesses)


def test_a_gap_without_records_is_named(run):
    found = evaluated(skipped_gap(run))
    agrees, text = witness(found, "gaps")
    assert not agrees
    assert "that only the pins show" in text


@pytest.mark.parametrize(
    ("pins_ns", "low_ns", "high_ns", "found"),
    [
        (50_000, 49_000, 51_000, ((), (), ())),
        (50_000, 30_000, 40_000, ((), (), (5,))),
        (50_000, 60_000, 70_000, ((), (), (5,))),
        (10_000, 30_000, 40_000, ((), (5,), (5,))),
        (10_000, 9_000, 40_000, ((), (), ())),
        (50_000, None, None, ((5,), (), ())),
        (20_010, None, None, ((), (), ())),  # at the threshold, within what is known
    ],
)
def test_what_excludes_each_other_is_named(pins_ns, low_ns, high_ns, found):
    pins = Intervals(np.array([5]), np.array([float(pins_ns)]), np.array([1.0]))
    number = np.array([5] if low_ns else [], np.int64)
    log = IntervalBounds(number, np.array([low_ns or 0.0])[: len(number)],
                 np.array([high_ns or 0.0])[: len(number)])  # fmt: skip
    matched = match_gaps(pins, log, THRESHOLD_NS, play_ns=40.0, scale=1e-4)
    assert (matched.without_record, matched.without_edges, matched.differing) == found


@settings(max_examples=40, deadline=None)
@given(
    st.dictionaries(
        st.integers(2, 199),
        st.tuples(st.sampled_from((PAUSE, BEFORE_EDGE, AFTER_EDGE)), st.integers(0, 90_000)),
        max_size=20,
    )
)
def test_wherever_a_hold_up_falls_both_agree(hold_ups):
    """Also in the middle of a write, and as long as the threshold to the nanosecond."""
    run = spun(200, hold_ups)
    found = evaluated(run)
    assert all(each.agrees for each in found.witnesses), found.witnesses
    away = np.abs(run.intervals_ns - THRESHOLD_NS) > 2 * SAMPLE_NS
    sure = int((run.intervals_ns[away] > THRESHOLD_NS).sum())
    assert sure <= found.details.gaps <= sure + int((~away).sum())


def test_a_full_log_leaves_later_gaps_with_one_witness(run):
    cut = spun(1000, HOLD_UPS, capacity=len(run.raw.records) - 4)
    found = evaluated(cut)
    assert found.verdict is Verdict.INCONCLUSIVE, found.reasons
    assert any("log got full, 4 records are missing" in reason for reason in found.reasons)
    assert found.details.gaps == 5
    assert found.details.gaps_by_log < 5


def test_an_interval_above_its_limit_fails(run):
    limited = replace(run, settings=replace(run.settings, limits=Limits(max_ns=150_000.0)))
    assert evaluated(limited).verdict is Verdict.FAIL


def test_an_account_that_never_came_has_no_witness(run):
    killed = replace(run, account=replace(run.account, handled=None))
    found = evaluated(killed)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.details.gaps == 5


@pytest.mark.parametrize("words", [{}, {"threshold_ns": "x", "pause_ns": "-1"}])
def test_a_foreign_file_that_tells_no_threshold_is_no_crash(run, words):
    """Each interval is a gap then, of which few have records."""
    found = evaluated(replace(run, settings=replace(run.settings, agent=words)))
    assert found.verdict is Verdict.INCONSISTENT
    assert found.details.gaps == 999


def test_it_is_told_in_words(run):
    (section,) = MEASUREMENTS["smi"].sections(evaluated(run))
    facts = {fact.name: fact.text for fact in section.blocks[1].rows}
    assert facts["gaps"] == "5 above 20 us by the pin, 5 by the log, 5 the same"
    assert "us by the pin" in facts["999"]
