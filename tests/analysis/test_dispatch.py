# SPDX-License-Identifier: GPL-3.0-or-later
"""Dispatch latency from logs and pins whose every step is known; answers among other records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st

from rig.analysis.crosscheck.constants import DelayRange, logged_delay, task_path
from rig.analysis.crosscheck.edge_intervals import PinPairs
from rig.analysis.log.responses import ResponseLog
from rig.analysis.measurements.dispatch import TickLatencies
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.uncertainty.contribution import calibrated
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.instruments import LOG_OF_TASK, LOG_SPAN, LOG_TASK, LOG_TRIGGER
from rig.measurements.evaluate import evaluate
from tests.analysis.raw_runs import (
    RATE_HZ,
    STIMULUS,
    TASK,
    MemoryRun,
    log_of,
    settings_of,
    toggles,
)

OWN = LOG_SPAN | LOG_OF_TASK
SAMPLE_TICKS = 125 / 3
SPACING = 24_000
NONE = calibrated(0.0, 0.0, "ns", "no delay")


def dispatched(
    kinds: list[str],
    pin_samples: list[int],
    block: int = 1 << 40,
    keep: list[MemoryRun] | None = None,
):
    """A run with one interrupt a letter: t falls upon the task, o is overtaken, e is elsewhere.

    `pin_samples` are the samples from the handler's pin to the task's; by ticks it is that less 30
    samples. An interrupt elsewhere has a record of the task too, as the agent sees its count move.
    The run's raw data are appended to `keep`.
    """
    stimulus, response, task, rows, level = [], [], [], [], 0
    for number, (kind, latency) in enumerate(zip(kinds, pin_samples, strict=True), 1):
        at = number * SPACING
        stimulus += [(at - 100, STIMULUS, 1), (at - 80, STIMULUS, 0)]
        response.append(at)
        exit_ticks = int((at + 10) * SAMPLE_TICKS)
        rows.append((number, exit_ticks - 800, exit_ticks, LOG_SPAN if kind == "e" else OWN))
        if kind == "o":
            continue
        continued = exit_ticks + round((latency - 30) * SAMPLE_TICKS)
        # Its pin changes between: 40 samples after it went on.
        rows.append((number, continued, continued + int(41 * SAMPLE_TICKS), LOG_TASK))
        if level != number & 1:
            level = number & 1
            task.append((at + latency, TASK, level))
    edges = [*stimulus, *toggles(response), *task]
    run = MemoryRun(edges, (len(kinds) + 1) * SPACING, log_of(rows), block)
    if keep is not None:
        keep.append(run)
    account = InstrumentCounts(sent=len(kinds), handled=len(kinds))
    return evaluate(run, settings_of("interrupt_dispatch", task=True), account)


def witness_of(found, name: str):
    (one,) = [w for w in found.witnesses if w.name == name]
    return one


@pytest.mark.parametrize("block", [1 << 40, SPACING * 3 + 17, SPACING // 2])
def test_each_interrupt_counts_as_what_it_was(block: int) -> None:
    kinds = list("tttettotteeotott" * 5)
    latency = [100 + 3 * (number % 11) for number in range(len(kinds))]
    found = dispatched(kinds, latency, block)
    dispatch = found.details
    mine = [n for kind, n in zip(kinds, latency, strict=True) if kind == "t"]
    assert (dispatch.interrupts, dispatch.of_task) == (80, 65)
    assert (dispatch.overtaken, dispatch.ticks.n) == (15, 50)
    assert dispatch.ticks.max_ns == pytest.approx((max(mine) - 30) * SAMPLE_TICKS, abs=1)
    assert dispatch.ticks.average_ns == pytest.approx((np.mean(mine) - 30) * SAMPLE_TICKS, abs=1)
    # By pins those are told that changed the task's pin: the one behind an overtaken did not.
    pins = dispatch.pins
    assert pins is not None
    assert witness_of(found, "task's pin").agrees
    assert 0 < pins.n < 50
    assert pins.max_ns == pytest.approx(max(mine) * 1e9 / RATE_HZ)
    assert found.figures == pins
    assert dispatch.interrupt.n == 80
    assert dispatch.interrupt.min_ns == dispatch.interrupt.max_ns == 100 * 1e9 / RATE_HZ
    assert witness_of(found, "answers").agrees
    assert witness_of(found, "target log's sequence").agrees


@few(max_examples=30)
@given(st.text("toe", min_size=1, max_size=40), st.integers(SPACING // 4, 5 * SPACING), st.data())
def test_blocks_of_any_length_give_the_same(kinds: str, block: int, data: st.DataObject) -> None:
    latency = data.draw(st.lists(st.integers(40, 2000), min_size=len(kinds), max_size=len(kinds)))
    whole, cut = (dispatched(list(kinds), latency, n).details for n in (1 << 40, block))
    assert whole == cut
    # Without an overtaken one before it, each of the task's interrupts is told by pins, too.
    before = zip("?" + kinds, kinds, strict=False)
    certain = [n for n, (a, b) in zip(latency, before, strict=True) if b == "t" and a in "te"]
    if "o" not in kinds:
        expected = len(certain) + (kinds[0] == "t")
        assert whole.pins.n == whole.ticks.n == expected


@given(st.lists(st.integers(1, 500), min_size=1, max_size=12), st.integers(1, 7))
def test_the_logs_own_latencies_are_counted_once_each(latencies: list[int], piece: int) -> None:
    """Handlers that interrupt the task, each followed by it, and one that does not."""
    rows = []
    for n, latency in enumerate(latencies):
        at = 1000 * n
        rows += [
            (n + 1, at, at + 100, LOG_SPAN | LOG_OF_TASK),
            (n + 1, at + 100 + latency, at + 700, LOG_TASK),
        ]
    rows.append((len(latencies) + 1, 10**6, 10**6 + 100, LOG_SPAN))
    log = log_of(rows)
    found = TickLatencies()
    for first in range(0, len(log), piece):
        found.feed(log[first : first + piece])
    values, counts = np.unique(latencies, return_counts=True)
    assert found.series.histogram.values.tolist() == values.tolist()
    assert found.series.histogram.counts.tolist() == counts.tolist()
    n = len(latencies)
    assert (found.interrupts, found.of_task, found.continued) == (n + 1, n, n)


def test_an_edge_that_the_log_does_not_know_is_not_paired_with_the_next() -> None:
    assert dispatched(["t"] * 20, [100] * 20).verdict is not Verdict.INCONSISTENT
    settings = settings_of("interrupt_dispatch", task=True)
    response = [n * SPACING for n in range(1, 21)]
    rows = []
    for number, at in enumerate(response, 1):
        ticks = int(at * SAMPLE_TICKS)
        rows += [(number, ticks, ticks + 10, OWN), (number, ticks + 90, ticks + 99, LOG_TASK)]
    task = [(at + 100, TASK, n % 2) for n, at in enumerate(response[:10] + response[11:], 1)]
    run = MemoryRun([*toggles(response), *task], 30 * SPACING, log_of(rows))
    found = evaluate(run, settings, InstrumentCounts(sent=0, handled=20))
    assert (found.details.pins, found.details.ticks.n) == (None, 20)
    assert witness_of(found, "task's pin").text == "analyzer 19, target log 20"
    assert found.verdict is Verdict.INCONSISTENT


@pytest.mark.parametrize(("early", "agrees"), [((1,), True), ((1, 0, 1), False)])
@pytest.mark.parametrize("block", [1 << 40, SPACING // 2])
def test_arming_lowers_a_pin_that_was_high(
    early: tuple[int, ...], agrees: bool, block: int
) -> None:
    keep: list[MemoryRun] = []
    as_usual = dispatched(["t"] * 20, [100] * 20, keep=keep)
    stray = [(1_000 * (at + 1), TASK, 1 - level) for at, level in enumerate(early)]
    edges = [*stray, *keep[0].edges]
    run = MemoryRun(edges, keep[0].end, keep[0].records, block, levels=1 << TASK)
    settings = settings_of("interrupt_dispatch", task=True)
    found = evaluate(run, settings, InstrumentCounts(sent=20, handled=20))
    assert witness_of(found, "task's pin").agrees == agrees
    assert (found.details.pins == as_usual.details.pins) == agrees


@pytest.mark.parametrize(
    ("skew", "samples", "fits"),
    [
        (None, 240, True),  # 10.0 us: the records allow 9.9 us to 10.4 us
        (None, 288, False),  # 2 us later
        (calibrated(2000.0, 10.0, "ns", "channel skew"), 288, True),
        (calibrated(2000.0, 10.0, "ns", "channel skew"), 301, False),
        (calibrated(2000.0, 100.0, "ns", "channel skew"), 301, True),
        (calibrated(2000.0, 10.0, "ns", "channel skew"), 240, False),
    ],
)
def test_a_channel_known_to_be_late_is_no_false_record(skew, samples: int, fits: bool) -> None:
    path = task_path(BenchErrorModel(125 / 3, task_skew_ns=skew, skew_ns=NONE, line_ns=NONE))
    pairs = PinPairs(sample_ns=125 / 3, tick_ns=1.0, rate_ppm=0.0)
    earlier = log_of([(1, 0, 100, OWN)])
    later = log_of([(1, 10_000, 10_400, LOG_TASK)])
    found, unfit = pairs.narrow(DelayRange(), np.array([samples]), earlier, later)
    assert not unfit.any()
    delay = logged_delay("between", found, path, ("task late", "response late"))
    assert delay is not None
    assert delay.agrees is fits


def test_a_threaded_handler_proves_nothing() -> None:
    found = dispatched(["e"] * 30, [100] * 30)
    assert (found.figures.n, found.verdict) == (0, Verdict.INCONCLUSIVE)
    assert found.reasons[0].startswith("none of 30 interrupts was seen to fall upon the agent's")


# --- answers among other records -----------------------------------------------------------------


@given(
    st.lists(st.sampled_from([0, 2, OWN, LOG_TASK, LOG_TRIGGER]), max_size=60),
    st.integers(0, 60),
    st.integers(0, 60),
)
def test_answers_by_their_own_numbers(flags: list[int], first: int, count: int) -> None:
    run = MemoryRun([], 1, log_of([(n + 1, n, n, flag) for n, flag in enumerate(flags)]))
    log = ResponseLog(run)
    answers = [n + 1 for n, flag in enumerate(flags) if flag not in (LOG_TASK, LOG_TRIGGER)]
    assert log.count == len(answers)
    assert log.read(first, count)["handled"].tolist() == answers[first : first + count]


def test_answers_behind_many_records() -> None:
    """Over the borders of the chunks that the log is read in."""
    n = 200_000
    rows = np.zeros(n, log_of([]).dtype)
    rows["handled"] = np.arange(n)
    rows["flags"][::3] = LOG_TASK
    log = ResponseLog(MemoryRun([], 1, rows))
    kept = rows["handled"][rows["flags"] == 0]
    assert log.count == len(kept)
    for first in (0, 1, 43_690, 43_691, 87_381, 100_000, len(kept) - 3, len(kept)):
        assert (log.read(first, 70_000)["handled"] == kept[first : first + 70_000]).all()


def test_triggers_may_overlap_answers_in_time_but_not_go_back() -> None:
    rows = [(1, 100, 160, LOG_TRIGGER), (1, 150, 200, 0), (2, 300, 400, LOG_TRIGGER)]
    settings = settings_of("interrupt")
    run = MemoryRun(toggles([1000]), 5000, log_of(rows))
    found = evaluate(run, settings, InstrumentCounts(sent=0, handled=1))
    assert witness_of(found, "target log's sequence").agrees
    assert witness_of(found, "answers").agrees
    run.records["before_ticks"][2] = 140
    found = evaluate(run, settings, InstrumentCounts(sent=0, handled=1))
    assert not witness_of(found, "target log's sequence").agrees
