# SPDX-License-Identifier: GPL-3.0-or-later
"""Interrupts of the target's own, from edges and logs whose every step is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.sources import SelfTriggers
from rig.analysis.uncertainty.contribution import calibrated
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.instruments import LOG_COALESCED, LOG_TRIGGER, LogArray
from rig.measurements.evaluate import Evaluation, evaluate
from tests.analysis.raw_runs import (
    RATE_HZ,
    STIMULUS,
    MemoryRun,
    log_of,
    settings_of,
    toggles,
)

PERIOD_NS = 1_000_013
SAMPLE_NS = 1e9 / RATE_HZ
ORIGIN_TICKS = 7_000_000_123
WIDTH_NS = 2_000
NONE = calibrated(0.0, 0.0, "ns", "no delay")
KNOWN = BenchErrorModel(SAMPLE_NS, skew_ns=NONE, edge_shape_ns=NONE, line_ns=NONE)


def sample_of(time_ns: int) -> int:
    """The first sample that shows an edge of this time."""
    return -(-time_ns * RATE_HZ // 10**9)


class Target:
    """Triggers itself each PERIOD_NS and answers each trigger after a latency; None: never.

    An answer is written `lead_ns` after its first reading, a trigger 20 ns; the second comes
    `width_ns` after the first.
    """

    def __init__(self, latency_ns: list[int | None], width_ns: int = 50, lead_ns: int = 30) -> None:
        self.width_ns, self.lead_ns = width_ns, lead_ns
        self.trigger_ns = [(n + 1) * PERIOD_NS for n in range(len(latency_ns))]
        self.answer_ns = [
            None if late is None else at + late
            for at, late in zip(self.trigger_ns, latency_ns, strict=True)
        ]
        self.unseen_triggers: set[int] = set()
        """Numbers of those that the analyzer misses."""

    @property
    def rows(self) -> list[tuple[int, int, int, int]]:
        answered = [(n, at) for n, at in enumerate(self.answer_ns, 1) if at is not None]
        times = [(at - 20, n, LOG_TRIGGER) for n, at in enumerate(self.trigger_ns)]
        times += [(at - self.lead_ns, n, 0) for n, at in answered]
        return [
            (n, ORIGIN_TICKS + ns, ORIGIN_TICKS + ns + self.width_ns, flags)
            for ns, n, flags in sorted(times)
        ]

    def run(self, records: LogArray | None = None, block: int = 1 << 40) -> MemoryRun:
        stimulus = [
            (sample_of(at + later), STIMULUS, level)
            for n, at in enumerate(self.trigger_ns)
            if n not in self.unseen_triggers
            for later, level in ((0, 1), (WIDTH_NS, 0))
        ]
        answers = sorted(at for at in self.answer_ns if at is not None)
        end = sample_of(max([*self.trigger_ns, *answers]) + PERIOD_NS)
        edges = [*stimulus, *toggles([sample_of(at) for at in answers])]
        return MemoryRun(edges, end, log_of(self.rows) if records is None else records, block)

    def evaluation(
        self, records: LogArray | None = None, block: int = 1 << 40, **account: int
    ) -> Evaluation:
        n = len(self.trigger_ns)
        handled = sum(at is not None for at in self.answer_ns)
        told = {"handled": handled, "triggers": n, **account}
        settings = replace(settings_of("interrupt"), source=SelfTriggers(PERIOD_NS, n))
        return evaluate(self.run(records, block), settings, InstrumentCounts(**told), bench=KNOWN)


def witness_of(found: Evaluation, name: str):
    (one,) = [w for w in found.witnesses if w.name == name]
    return one


@pytest.mark.parametrize("block", [1 << 40, 50_000, 7_001])
def test_one_event_from_outside_and_from_inside(block: int) -> None:
    latency_ns = [4_000 + 37 * (n % 23) for n in range(100)]
    found = Target(latency_ns).evaluation(block=block)
    assert (found.verdict, found.reasons) == (Verdict.PASS, ())
    both = found.details
    assert both is not None
    assert both.external == found.figures
    inside_ns = np.array(latency_ns) - 10  # from reading to reading
    assert (both.internal.n, both.triggers) == (100, 100)
    assert both.internal.average_ns == pytest.approx(inside_ns.mean())
    assert both.internal.deviation_ns == pytest.approx(inside_ns.std())
    assert (both.internal.min_ns, both.internal.max_ns) == (inside_ns.min(), inside_ns.max())
    assert both.external.average_ns == pytest.approx(np.mean(latency_ns), abs=SAMPLE_NS)
    brackets = both.brackets
    assert (brackets.compared, brackets.outside, brackets.first_outside) == (100, 0, None)
    assert 10 - SAMPLE_NS <= brackets.least_ns <= brackets.most_ns <= 10 + SAMPLE_NS
    assert witness_of(found, "stimulus edges").text == "analyzer 100, target log 100 triggers"
    assert not [w for w in found.witnesses if "firmware" in w.text or "capture" in w.name]


@few(max_examples=30)
@given(
    st.lists(st.integers(100, PERIOD_NS - 10_000), min_size=2, max_size=40),
    st.integers(5_000, 100_000),
)
def test_any_latencies_in_blocks_of_any_length(latency_ns: list[int], block: int) -> None:
    found = Target(list(latency_ns)).evaluation(block=block)
    assert found.verdict is Verdict.PASS, found.reasons
    both = found.details
    assert (both.internal.min_ns, both.internal.max_ns) == (
        min(latency_ns) - 10,
        max(latency_ns) - 10,
    )
    assert both.brackets.compared == len(latency_ns)


def test_late_and_missed_ones_keep_their_own_trigger() -> None:
    """The answer that comes behind the next trigger is that of its own, by edges and by records."""
    latency_ns: list[int | None] = [5_000] * 20
    latency_ns[4] = None
    latency_ns[9] = PERIOD_NS + 2_000
    target = Target(latency_ns)
    # The target counts the interrupt that it does not answer.
    found = target.evaluation(handled=20)
    counts = found.counts
    assert (counts.answered, counts.late, counts.missed) == (18, 1, 1)
    assert (counts.duplicate, counts.spurious) == (0, 0)
    both = found.details
    assert (both.internal.n, both.external.n) == (19, 19)
    assert both.internal.max_ns == PERIOD_NS + 2_000 - 10
    assert both.internal.median_ns == 5_000 - 10
    assert (both.brackets.compared, both.brackets.outside) == (19, 0)
    assert found.verdict is Verdict.FAIL


def test_coalesced_ones_wait_for_the_shared_answer_inside_too() -> None:
    latency_ns: list[int | None] = [5_000] * 10
    latency_ns[6] = None
    target = Target(latency_ns)
    target.answer_ns[7] = target.trigger_ns[7] + 1_000
    records = log_of(target.rows)
    (shared,) = np.flatnonzero((records["handled"] == 8) & (records["flags"] == 0))
    records["flags"][shared] = LOG_COALESCED
    found = target.evaluation(records, handled=10)
    assert (found.counts.merged, found.counts.missed) == (1, 0)
    both = found.details
    assert (both.internal.n, both.internal.max_ns) == (10, PERIOD_NS + 1_000 - 10)
    assert (both.brackets.compared, both.brackets.outside) == (10, 0)


def test_a_latency_that_the_log_denies_is_named() -> None:
    target = Target([5_000] * 30)
    records = log_of(target.rows)
    for past_ns, agrees in ((20, True), (200, False), (-200, False)):
        target.answer_ns[12] = target.trigger_ns[12] + 5_000 + past_ns
        found = target.evaluation(records)
        witness = witness_of(found, "latency by target log")
        assert witness.agrees is agrees
        assert (found.verdict is Verdict.INCONSISTENT) is not agrees
    assert witness.text == (
        "30 compared, 1 outside of their records' ticks, the first that of stimulus 12"
    )


def test_what_a_sample_and_a_tick_explain_is_no_contradiction() -> None:
    """Pin writes of no length, read at the same moment: only the samples make a difference."""
    found = Target([5_000 + n for n in range(200)], width_ns=0, lead_ns=20).evaluation()
    brackets = found.details.brackets
    assert (brackets.compared, brackets.outside) == (200, 0)
    assert brackets.least_ns < -30
    assert brackets.most_ns > 30


def test_an_edge_that_was_not_seen() -> None:
    """Then no record is taken for another's, and what the log says is still told."""
    target = Target([5_000] * 30)
    target.unseen_triggers = {11}
    found = target.evaluation()
    assert witness_of(found, "stimulus edges").text == "analyzer 29, target log 30 triggers"
    assert found.verdict is Verdict.INCONSISTENT
    both = found.details
    assert (both.internal.n, both.internal.max_ns) == (30, 4_990)
    assert (both.brackets.compared, both.brackets.least_ns) == (0, None)


@pytest.mark.parametrize(
    ("account", "agrees"),
    [
        ({"triggers": 20}, True),
        ({"triggers": 21}, False),
        ({"triggers": 20, "log_dropped": 10}, True),
    ],
)
def test_triggers_by_the_log_and_by_the_agents_count(account: dict[str, int], agrees: bool) -> None:
    found = Target([5_000] * 20).evaluation(**account)
    assert witness_of(found, "stimulus edges").agrees is agrees


def test_triggers_that_found_the_log_full() -> None:
    target = Target([5_000] * 20)
    records = log_of(target.rows)[:34]
    found = target.evaluation(records, log_dropped=6)
    edges, answers = witness_of(found, "stimulus edges"), witness_of(found, "answers")
    assert (edges.agrees, answers.agrees) == (True, True)
    assert edges.text == (
        "analyzer 20, target log 17 triggers, 6 records found it full, 20 by the agent's count"
    )
    assert found.details.brackets.compared == 0


def test_more_triggers_seen_than_found_the_log_full() -> None:
    target = Target([5_000] * 20)
    found = target.evaluation(log_of(target.rows)[:34], log_dropped=2)
    assert not witness_of(found, "stimulus edges").agrees


def test_a_run_without_an_end_or_cut_short_is_not_passed() -> None:
    target = Target([5_000] * 20)
    settings = replace(settings_of("interrupt"), source=SelfTriggers(PERIOD_NS, 20))
    cut = evaluate(target.run(log_of([])), settings, InstrumentCounts())
    assert (cut.verdict, cut.witnesses) == (Verdict.INCONCLUSIVE, ())
    assert cut.reasons[0].startswith("the run has no end")
    asked = replace(settings, source=SelfTriggers(PERIOD_NS, 25))
    short = evaluate(target.run(), asked, InstrumentCounts(handled=20, triggers=20))
    assert short.reasons == ("20 of 25 planned stimuli seen",)


@few(max_examples=50)
@given(st.data())
def test_a_damaged_log_gives_figures_or_none(data: st.DataObject) -> None:
    target = Target([5_000] * 12)
    records = log_of(target.rows)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(records) - 1))
        name = data.draw(st.sampled_from(["handled", "before_ticks", "after_ticks", "flags"]))
        most = 2**32 - 1 if name == "flags" else 2**64 - 1
        records[name][at] = data.draw(st.integers(0, most))
    with pytest.MonkeyPatch.context() as patch:
        for module in ("log.responses", "measurements.self_trigger"):
            patch.setattr(f"rig.analysis.{module}.CHUNK", data.draw(st.sampled_from([3, 1000])))
        found = target.evaluation(records)
    assert found.counts.n == 12
    assert found.details.external.n <= 12
    shortest_ns = found.details.internal.min_ns
    assert shortest_ns is None or shortest_ns >= 0


def test_a_log_in_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks of few records give the same."""
    target = Target([4_000 + 11 * (n % 7) for n in range(60)])
    whole = target.evaluation().details
    for module in ("log.responses", "measurements.self_trigger"):
        monkeypatch.setattr(f"rig.analysis.{module}.CHUNK", 7)
    assert target.evaluation(block=9_000).details == whole


def test_a_channel_that_is_late_is_named() -> None:
    """All latencies are longer alike: each fits its records with one and the same delay."""
    target = Target([5_000] * 30)
    records = log_of(target.rows)
    target.answer_ns = [at + 2_500 for at in target.answer_ns if at is not None]
    found = target.evaluation(records)
    assert witness_of(found, "latency by target log").agrees
    late = witness_of(found, "delay between the trigger's and the answer's channel")
    assert not late.agrees
    assert "edges of the answer reach the analyzer late (wire or input D1)" in late.text
    assert found.verdict is Verdict.INCONSISTENT
