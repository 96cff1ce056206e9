# SPDX-License-Identifier: GPL-3.0-or-later
"""The bracket test on clocks whose truth is known: nothing false is said, each lie is found."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.brackets import Brackets, Rates
from rig.analysis.clocks.false_witness import blame
from rig.analysis.clocks.pyramid import CELL_EVENTS, Pyramid
from rig.analysis.clocks.violations import Break, locate_violations
from rig.analysis.clocks.windows import Windows
from tests.analysis.clocks.simulated import simulate

PPM = 0.01
"""How near the rate must come to the truth."""


def moved(brackets, events, ticks):
    """The records of these events later by so much."""
    before, after = brackets.before_ticks.copy(), brackets.after_ticks.copy()
    before[events] += ticks
    after[events] += ticks
    return Brackets(brackets.sample, before, after)


def check_truth(seed, n):
    truth = simulate(seed, n)
    test = bracket_test(truth.brackets, truth.rates)
    assert (test.holds, test.findings, test.n) == (True, (), n)
    sample = truth.brackets.sample
    ends = truth.ticks(truth.edge_ps[[0, -1]])
    fast = truth.rates.sample_rate_hz * (1 + truth.sample_skew_ppm * 1e-6)
    ticks_per_sample = (ends[1] - ends[0]) / (np.ptp(truth.edge_ps) / 1e12 * fast)
    assert test.rate_ppm == pytest.approx(truth.rates.ppm(float(ticks_per_sample)), abs=PPM)
    for piece in test.pieces:
        inside = truth.rate_ppm(np.linspace(piece.first_sample, piece.last_sample, 3))
        low, high = (truth.rates.ppm(slope) for slope in (piece.lowest, piece.highest))
        assert low - 0.06 <= inside[1] <= high + 0.06  # what it drifts in half a piece
        assert truth.rates.ppm(piece.ticks_per_sample) == pytest.approx(inside[1], abs=0.015)
    covered = np.zeros(n, bool)
    for piece in test.pieces:
        covered[piece.first_event : piece.stop_event] = True
    assert covered.all()
    assert len(test.pieces) == 1 or sample[-1] > truth.rates.sample_rate_hz


@pytest.mark.parametrize("tens", range(10))
def test_a_hundred_seeds_no_false_violation(tens):
    for seed in range(10 * tens, 10 * tens + 10):
        check_truth(seed, 10_000)


@pytest.mark.truth
@pytest.mark.parametrize("seed", range(100))
def test_a_hundred_seeds_of_a_million_events(seed):
    check_truth(seed, 1_000_000)


@pytest.mark.parametrize("seed", range(20))
def test_one_record_moved_by_more_than_its_bracket_is_named(seed):
    truth = simulate(seed, 5000, preempted=0)
    rng = np.random.default_rng(seed)
    event = int(rng.integers(5000))
    sample_ticks = truth.rates.nominal_ticks_per_sample
    width = truth.brackets.after_ticks[event] - truth.brackets.before_ticks[event]
    for sign in (1, -1):
        by = sign * int(1.5 * (width + 1 + sample_ticks))
        test = bracket_test(moved(truth.brackets, event, by), truth.rates)
        assert [violation.event for violation in test.violations] == [event]
        violation = test.violations[0]
        assert 0 < violation.off_ticks * sign < abs(by)
        assert not violation.instead
        assert ("too late" if sign > 0 else "too early") in violation.text


@pytest.mark.parametrize("event", [0, 1, 63, 255, 256, 2500, 4999])
def test_one_edge_moved_is_named(event):
    truth = simulate(1, 5000)
    sample = truth.brackets.sample.copy()
    sample[event] += 24
    lied = Brackets(sample, truth.brackets.before_ticks, truth.brackets.after_ticks)
    test = bracket_test(lied, truth.rates)
    assert [violation.event for violation in test.violations] == [event]
    assert test.violations[0].off_ns == pytest.approx(-1000, abs=100)
    assert f"event {event:,} (sample {sample[event]:,})" in test.findings[0]


def test_times_of_a_violation_are_ticks_by_the_clock():
    truth = simulate(3, 2000, tick_hz=250_000_000)
    test = bracket_test(moved(truth.brackets, 1000, 10_000), truth.rates)
    (violation,) = test.violations
    assert violation.off_ns == pytest.approx(violation.off_ticks * 4)
    assert violation.off_ticks == pytest.approx(10_000, rel=0.1)


def test_several_lies_each_by_its_name():
    truth = simulate(2, 20_000)
    events = [5, 300, 301, 7000, 12_345, 19_999]
    test = bracket_test(moved(truth.brackets, events, 10_000), truth.rates)
    assert [violation.event for violation in test.violations] == events
    assert not test.breaks
    assert "19,994 of 20,000 events" in test.text
    for piece in test.pieces:  # the clock is the truth's, without them
        middle = truth.rate_ppm(piece.middle_sample)
        assert truth.rates.ppm(piece.ticks_per_sample) == pytest.approx(middle, abs=2 * PPM)


def test_too_many_to_name_are_not_passed_over():
    truth = simulate(2, 12_000, drift_ppm_per_s=0)
    test = bracket_test(moved(truth.brackets, slice(None, None, 80), 10_000), truth.rates)
    assert not test.holds
    assert not test.complete
    assert len(test.violations) >= 100
    assert test.findings[-1] == "and more, not named one by one"


@pytest.mark.parametrize("event", [40, 2500, 4970])
def test_a_step_of_the_clock_is_no_violation_of_records(event):
    truth = simulate(3, 5000)
    test = bracket_test(moved(truth.brackets, slice(event, None), 5000), truth.rates)
    assert not test.violations
    (step,) = test.breaks
    assert (step.first_event, step.last_event) == (event - 1, event)
    assert step.step_ns == pytest.approx(5000, abs=300)
    assert "no clock fits 5,000 events" in test.text


def test_drift_beyond_the_stated_bound_is_told():
    truth = simulate(4, 4000, drift_ppm_per_s=5.0, bound_ppm_per_s=0.5)
    test = bracket_test(truth.brackets, truth.rates)
    assert not test.holds
    stated = simulate(4, 4000, drift_ppm_per_s=5.0, bound_ppm_per_s=5.0)
    assert bracket_test(stated.brackets, stated.rates).holds


def test_a_record_whose_ticks_run_backward_is_named():
    truth = simulate(5, 1000)
    after = truth.brackets.after_ticks.copy()
    after[123] = truth.brackets.before_ticks[123] - 200
    lied = Brackets(truth.brackets.sample, truth.brackets.before_ticks, after)
    test = bracket_test(lied, truth.rates)
    assert [violation.event for violation in test.violations] == [123]


def test_without_drift_one_line_is_all():
    truth = simulate(6, 50_000, drift_ppm_per_s=0)
    test = bracket_test(truth.brackets, truth.rates)
    assert test.straight
    (piece,) = test.pieces
    true = truth.rate_ppm(0)
    assert truth.rates.ppm(piece.lowest) < true < truth.rates.ppm(piece.highest)
    assert truth.rates.ppm(piece.highest) - truth.rates.ppm(piece.lowest) < 0.01
    assert 0 < test.slack_ns < 60
    assert "50,000 of 50,000 events inside their brackets" in test.text


@pytest.mark.parametrize(("after", "holds"), [(-42, True), (-43, False)])
def test_a_third_of_a_tick_decides(after, holds):
    """Every other record begins on the line, the others end a sample earlier, a hair off it.

    A sample is 41 2/3 ticks: the line is at -41 2/3 where it must be at most `after` + 1.
    """
    i = np.arange(2000)
    before = 1000 * i - 100 * (i % 2)
    ends = np.where(i % 2, 1000 * i + after, 1000 * i + 100)
    test = bracket_test(Brackets(24 * i, before, ends), Rates(24_000_000, 10**9, 0))
    assert test.holds is holds
    slack = min((float(piece.slack_ticks) for piece in test.pieces), default=0)
    assert not holds or slack == pytest.approx(1 / 3, abs=0.01)


@pytest.mark.parametrize("n", [1, 2, 3, CELL_EVENTS, CELL_EVENTS + 1, 2 * CELL_EVENTS + 1])
def test_few_events(n):
    truth = simulate(7, n)
    assert bracket_test(truth.brackets, truth.rates).holds


def test_no_events_are_refused():
    none = np.empty(0, np.int64)
    with pytest.raises(ValueError, match="no events"):
        bracket_test(Brackets(none, none, none), Rates(1, 1))


class InPieces:
    """A source that never hands out more than it was asked for, and counts the most it did."""

    def __init__(self, whole):
        self.whole, self.most = whole, 0

    def __len__(self):
        return len(self.whole)

    def read(self, first, count):
        part = self.whole.read(first, count)
        self.most = max(self.most, len(part))
        return part


def test_read_in_pieces_never_all_at_once():
    truth = simulate(8, 200_000)
    source = InPieces(moved(truth.brackets, 150_000, 3000))
    test = bracket_test(source, truth.rates)
    assert [violation.event for violation in test.violations] == [150_000]
    assert source.most <= 1 << 16


def test_samples_that_fall_between_two_pieces_are_refused():
    n = 1 << 16
    sample = np.concatenate([np.arange(n), np.arange(n)])

    class Broken(InPieces):
        def __len__(self):
            return 2 * n

        def read(self, first, count):
            at = sample[first : first + count]
            return Brackets(at, at, at)

    with pytest.raises(ValueError, match="edge 65536 does not follow"):
        bracket_test(Broken(None), Rates(1, 1))


@pytest.mark.parametrize(
    ("liar", "word"), [("log", "log's record"), ("edge", "analyzer's edge"), ("capture", "capture")]
)
def test_of_three_witnesses_the_false_one_is_named(liar, word):
    truth = simulate(9, 2000, drift_ppm_per_s=0)
    sample, log = truth.brackets.sample.copy(), truth.brackets
    capture = truth.edge_ps // 62_500  # 16 MHz
    if liar == "log":
        log = moved(log, 700, 5000)
    elif liar == "edge":
        sample[700] += 120
    else:
        capture[700] += 80
    fs, hz, mcu = 24_000_000, truth.rates.tick_hz, 16_000_000
    analyzer_log = Brackets(sample, log.before_ticks, log.after_ticks)
    analyzer_capture = Brackets(sample, capture, capture)
    capture_log = Brackets(capture + 1, log.before_ticks, log.after_ticks)
    lines = blame(
        bracket_test(analyzer_log, Rates(fs, hz)),
        bracket_test(analyzer_capture, Rates(fs, mcu)),
        bracket_test(capture_log, Rates(mcu, hz)),
    )
    (line,) = lines
    assert line.startswith("event 700: ")
    assert word in line


def test_a_clock_a_third_faster_than_its_drift_bound_breaks():
    """Each few events fit a clock within the bound; the break is told of the longer stretch."""
    truth = simulate(3, 200, drift_ppm_per_s=6.5, bound_ppm_per_s=5.0, interval_us=1e5, preempted=0)
    found = bracket_test(truth.brackets, truth.rates)
    assert not found.holds
    assert found.breaks


def test_a_break_behind_the_first_event_is_placed_there():
    """The clock jumps behind event 0 and behind event 7: two lines would not do."""
    sample = np.arange(16, dtype=np.int64) * 1000
    before = 3 * sample
    before[1:] += 500
    before[8:] -= 300
    pyramid, rates = Pyramid(Brackets(sample, before, before + 2)), Rates(1000, 3000, 0.0)
    windows = Windows(pyramid, rates)
    found = locate_violations(windows.fit(windows.whole), pyramid, rates)
    assert isinstance(found, Break)
    # A line goes through any two events: the first that does not fit is event 2.
    assert (found.first_event, found.last_event, found.step_ns) == (1, 8, None)
