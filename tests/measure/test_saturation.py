# SPDX-License-Identifier: GPL-3.0-or-later
"""The highest rate that a target keeps up with: the search, what is made of it, and lies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.measurements.evaluation import Evaluation
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.rate_search import RateSearch, RateSearchState, falls_behind, keeps_up
from rig.document import Section
from rig.measurements.registry import MEASUREMENTS
from rig.measurements.stored_settings import settings_from_json, settings_to_json
from rig.stimulus.train import Polarity
from tests.chip import CLOCK_HZ
from tests.measure.queued import LIES, SEARCH, Queued, queued_run


def noisy(mean: float, deviation: float, seed: int = 1):
    """Drawn times, the same for the same number."""
    drawn = np.maximum(np.random.default_rng(seed).normal(mean, deviation, 100_000), mean / 2)
    return lambda number: float(drawn[number])


def constant(time_us: float):
    return lambda _number: time_us


def told(found: Evaluation) -> Section:
    (section,) = MEASUREMENTS["saturation"].sections(found)
    return section


# --- the search ----------------------------------------------------------------------------------


@st.composite
def searches(draw) -> RateSearch:
    least = draw(st.integers(320, 20_000))
    first = draw(st.integers(least, 1_000_000))
    resolution = draw(st.integers(1_000, 200_000))
    return RateSearch(first, least, 100, resolution, 160, 1_600, Polarity.POSITIVE)


@given(searches(), st.integers(1, 1_100_000))
def test_a_sharp_limit_is_enclosed_to_the_resolution(search: RateSearch, limit_ticks: int) -> None:
    hunt = RateSearchState(search)
    kept, lost = [], []
    while (ticks := hunt.next_ticks()) is not None:
        assert search.least_ticks <= ticks <= search.first_ticks
        (kept if ticks >= limit_ticks else lost).append(ticks)
        hunt.learn(ticks, kept=ticks >= limit_ticks)
    assert len(kept) + len(lost) <= search.holds_max
    if limit_ticks <= search.least_ticks:
        assert (kept[-1], lost) == (search.least_ticks, [])
    elif limit_ticks > search.first_ticks:
        assert (kept, lost) == ([], [search.first_ticks])
    else:
        assert max(lost) < limit_ticks <= min(kept)
        width = min(kept) - max(lost)
        assert width <= max(1, max(lost) * search.resolution_ppm / 10**6)


@given(st.lists(st.booleans(), min_size=60, max_size=60))
def test_it_ends_whatever_it_is_told(answers: list[bool]) -> None:
    hunt = RateSearchState(SEARCH)
    for kept in answers:
        ticks = hunt.next_ticks()
        if ticks is None:
            break
        hunt.learn(ticks, kept=kept)
    assert hunt.next_ticks() is None
    assert hunt.holds <= SEARCH.holds_max


@pytest.mark.parametrize(
    "wrong",
    [
        {"first_ticks": 300},
        {"least_ticks": 7},
        {"count": 1},
        {"resolution_ppm": 0},
        {"width_ticks": 320},
        {"count": True},
        {"answered_by": "nobody"},
    ],
)
def test_what_no_plan_asks_is_refused(wrong) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        replace(SEARCH, **wrong)


def test_settings_survive_the_run_file(tmp_path) -> None:
    settings = queued_run(constant(40), constant(5)).settings
    assert settings_from_json(tmp_path, settings_to_json(settings)) == settings


# --- one hold ------------------------------------------------------------------------------------


@given(
    st.integers(20, 400), st.integers(320, 50_000), st.floats(0.9, 1.1), st.integers(0, 2**31)
)  # fmt: skip
def test_a_queue_that_grows_is_seen_and_one_that_does_not_is_not(n, interval, load, seed) -> None:
    """Answers of a target that queues without bound: latency grows by the excess of its load."""
    jitter = np.random.default_rng(seed).integers(0, interval // 4, n)
    growth = np.maximum(0, np.arange(n) * (load - 1) * interval).astype(np.int64)
    quarter = n // 4
    excess = (growth[-quarter] - growth[quarter - 1]) / interval
    if excess > 1.3 or load <= 1:
        assert falls_behind(growth + jitter, interval) == (load > 1)


def test_a_hold_is_kept_by_its_own_answers_only() -> None:
    stimulus = np.arange(100) * 1000
    assert keeps_up(stimulus, stimulus + 400)
    assert keeps_up(stimulus, stimulus + 4400)  # late, but never later
    assert not keeps_up(stimulus, stimulus[:-1] + 400)
    assert not keeps_up(stimulus, np.append(stimulus, 100_000))
    assert not keeps_up(stimulus, stimulus - 1)
    assert not keeps_up(stimulus, stimulus + np.arange(100) * 30)


# --- the result ----------------------------------------------------------------------------------

SERVICES = (22.0, 34.7, 47.3, 99.0, 310.0, 930.0)


@pytest.mark.parametrize("log", [True, False], ids=["with log", "external only"])
@pytest.mark.parametrize("service_us", SERVICES)
def test_the_limit_found_is_the_service_time(service_us: float, log: bool) -> None:
    run = queued_run(constant(service_us), noisy(5, 0.6), log=log)
    found = run.evaluated()
    assert found.verdict is Verdict.PASS, found.reasons
    figures = found.details
    assert figures.sustained_ns == pytest.approx(service_us * 1e3, rel=0.02)
    assert abs(figures.limit_ns - service_us * 1e3) <= figures.expanded_ns
    assert figures.failed_ns < service_us * 1e3 <= figures.sustained_ns * (1 + 1 / SEARCH.count)
    assert figures.failed_ns < figures.limit_ns < figures.sustained_ns
    assert figures.answer_interval_ns == pytest.approx(service_us * 1e3, rel=1e-3)
    assert (
        0 < figures.answer_interval_ns - figures.least_answer_interval_ns < 5_000
    )  # the latency's
    for hold, (ticks, lost) in zip(figures.holds, run.holds, strict=True):
        assert hold.spacing_ns == pytest.approx(ticks * 1e9 / CLOCK_HZ, rel=1e-4)
        assert (hold.sent, hold.merged + hold.missed) == (SEARCH.count, lost)
        assert hold.sent == hold.answered + hold.late + hold.merged + hold.missed
    # Which of them were merged, nothing here tells; how many each hold has lost is the same.
    sure, lost = found.counts.merged + found.counts.missed, sum(lost for _, lost in run.holds)
    assert sure <= lost <= sure + found.counts.ambiguous


@pytest.mark.parametrize("seed", range(6))
def test_a_service_time_that_scatters_has_its_mean_as_limit(seed: int) -> None:
    search = replace(SEARCH, count=1000)
    run = queued_run(noisy(60, 1.2, seed), noisy(5, 0.6, seed), search)
    figures = run.evaluated().details
    assert figures.limit_ns == pytest.approx(60e3, rel=0.02)


def test_a_target_that_queues_without_bound_does_not_keep_up() -> None:
    """Each stimulus has an answer of its own at every rate, only later and later."""
    run = queued_run(constant(0.1), constant(5))
    stimuli = sorted(at for at, channel, level in run.raw.edges if (channel, level) == (0, 1))
    free, answers = 0, []
    for at in stimuli:
        free = max(at + 240, free + 48 * 40)  # 40 us from one answer to the next
        answers.append(free)
    edges = [edge for edge in run.raw.edges if edge[1] == 0]
    edges += [(at, 1, (n + 1) % 2) for n, at in enumerate(answers)]
    raw = replace(run.raw, edges=edges, records=run.raw.records[:0])
    found = replace(run, raw=raw, account=replace(run.account, handled=None)).evaluated()
    assert found.counts.merged == found.counts.missed == 0
    by_rate = {round(hold.spacing_ns / 1e3): hold for hold in found.details.holds}
    assert all(hold.backlog_growing == (spacing < 40) for spacing, hold in by_rate.items())
    assert not by_rate[20].is_sustained
    assert by_rate[40].is_sustained


def test_nothing_is_lost_and_nothing_is_kept() -> None:
    fast = queued_run(constant(5), constant(3)).evaluated()
    assert (fast.details.failed_ns, fast.details.limit_ns) == (None, None)
    assert fast.details.sustained_ns == pytest.approx(20e3, rel=1e-4)
    assert "up to 50,000/s" in told(fast).title
    assert fast.verdict is Verdict.PASS
    slow = queued_run(constant(3000), constant(3)).evaluated()
    assert slow.details.rate_hz is None
    assert slow.verdict is Verdict.INCONCLUSIVE
    assert "no rate was kept up with; begin at a lower rate_start" in slow.reasons


def test_a_slower_hold_that_is_lost_is_told() -> None:
    """One interrupt takes a millisecond, in a hold that is far from the limit."""
    stall = 3 * SEARCH.count + 50
    run = queued_run(lambda n: 1500.0 if n == stall else 25.0, constant(5))
    # The search closes in on that; a faster hold that is kept is put behind it.
    found = run.evaluated()
    assert found.details.failed_ns > 300e3
    assert told(found).title.startswith("Saturation: highest rate kept up with")
    kept_later = replace(run, raw=_with_hold(run), account=_one_more(run.account))
    found = kept_later.evaluated()
    assert found.details.conflicts == 1
    assert any("not sharp" in reason for reason in found.reasons)


def _with_hold(run: Queued) -> object:
    """Behind the run, a hold of 50 us in which each stimulus is answered after 5 us."""
    spacing, n = 50 * 48, SEARCH.count
    edges, records = list(run.raw.edges), run.raw.records
    level = sum(channel == 1 for _, channel, _ in edges) % 2
    at = run.raw.end + np.arange(n) * spacing
    for number, sample in enumerate(at.tolist()):
        edges += [(sample, 0, 1), (sample + 480, 0, 0)]
        edges.append((sample + 240, 1, (number + 1 + level) % 2))
    more = np.zeros(n, records.dtype)
    more["sequence"] = more["handled"] = len(records) + np.arange(n)
    more["handled"] += np.uint64(1)
    ticks = 3_600_000_000_000 + (at + 240) * 1000 // 48
    more["before_ticks"], more["after_ticks"] = ticks - 60, ticks + 40
    end = int(at[-1]) + 10_000
    return replace(run.raw, edges=edges, records=np.concatenate([records, more]), end=end)


def _one_more(account: InstrumentCounts) -> InstrumentCounts:
    n = SEARCH.count
    return replace(
        account, sent=account.sent + n, holds=(*account.holds, n), handled=account.handled + n
    )


@pytest.mark.parametrize(
    ("limit_us", "verdict"), [(50, "pass"), (40, "fail"), (47.35, "inconclusive")]
)
def test_a_limit_on_the_spacing(limit_us: float, verdict: str) -> None:
    run = queued_run(constant(47.3), constant(5))
    limits = replace(run.settings.limits, others={"max_spacing": limit_us * 1e3})
    found = replace(run, settings=replace(run.settings, limits=limits)).evaluated()
    assert found.verdict == verdict
    assert found.limits[0].name == "max_spacing"


# --- cut short, damaged, lied to -----------------------------------------------------------------


def test_a_run_cut_short_keeps_its_whole_holds() -> None:
    run = queued_run(constant(47.3), constant(5))
    whole = run.evaluated().details
    cut = len(whole.holds) // 2
    stimuli = sorted(at for at, channel, level in run.raw.edges if (channel, level) == (0, 1))
    end = stimuli[cut * SEARCH.count + 30] + 1
    edges = [edge for edge in run.raw.edges if edge[0] < end]
    answers = sum(channel == 1 for _, channel, _ in edges)
    raw = replace(run.raw, edges=edges, end=end, records=run.raw.records[:answers])
    found = replace(run, raw=raw, account=InstrumentCounts()).evaluated()
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.details.holds[:cut] == whole.holds[:cut]
    (rest,) = found.details.holds[cut:]
    assert (rest.sent, rest.is_complete, rest.is_sustained) == (31, False, False)
    assert found.details.failed_ns in {None, *(h.spacing_ns for h in whole.holds[:cut])}


@pytest.mark.parametrize("number", [3, 700, 1500])
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_of_the_agent_is_caught(lie, number: int) -> None:
    run = queued_run(constant(47.3), noisy(6, 0.3))
    assert run.evaluated().verdict is Verdict.PASS
    assert lie(run, number).evaluated().verdict is not Verdict.PASS


def test_a_hole_in_the_samples_is_told() -> None:
    """Half an interval is missing from the fifth hold: its place is named."""
    run = queued_run(constant(47.3), constant(5))
    stimuli = sorted(at for at, channel, level in run.raw.edges if (channel, level) == (0, 1))
    at = stimuli[4 * SEARCH.count + 100] - 500
    edges = [(s if s < at else s - 400, c, level) for s, c, level in run.raw.edges]
    found = replace(run, raw=replace(run.raw, edges=edges)).evaluated()
    assert found.verdict is Verdict.INCONSISTENT
    (told,) = (w for w in found.witnesses if w.name == "holds")
    assert f"1 stimuli off their rate, at sample {at + 100}" in told.text


def test_stimuli_that_the_firmware_did_not_send_are_told() -> None:
    run = queued_run(constant(47.3), constant(5))
    holds = (*run.account.holds[:2], SEARCH.count - 1, *run.account.holds[3:])
    account = replace(run.account, holds=holds, sent=sum(holds))
    found = replace(run, account=account).evaluated()
    (told,) = (w for w in found.witnesses if w.name == "holds")
    assert not told.agrees
    assert "from hold 2" in told.text


def test_words_and_tables() -> None:
    found = queued_run(constant(47.3), constant(5)).evaluated()
    figures = found.details
    facts, table, share, intervals = told(found).blocks
    assert share.curve.y_range[1] == 100
    assert min(p.y for p in intervals.curve.points) == figures.answer_interval_ns / 1e3
    (limit,) = (fact for fact in facts.rows if fact.name == "limit")
    assert limit.text.endswith(f"(U = {figures.limit_u_hz:,.0f})")
    every, few = table.rows, [table.rows[at] for at in table.few]
    assert len(every) == len(figures.holds)
    assert len(few) == 6
    assert [row[-1] == "kept" for row in few] == [True] * 3 + [False] * 3
    assert all(row in every for row in few)
