# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters that are no clocks: each fault is named at its place, and a good one has none."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.brackets import Brackets
from rig.analysis.clocks.counter import FaultKind, diagnose
from rig.analysis.clocks.wraps import unwrap_after
from tests.analysis.clocks.simulated import simulate

N = 10_000
TRUTH = simulate(31, N, preempted=0.01)
SAMPLE, TICKS = TRUTH.brackets.sample, TRUTH.brackets.before_ticks


def looked_at(ticks):
    return diagnose(SAMPLE, ticks, TRUTH.rates)


@pytest.mark.parametrize("seed", range(20))
def test_a_drifting_clock_with_late_stamps_has_no_fault(seed):
    truth = simulate(seed, 5000, preempted=0.01)
    for ticks in (truth.brackets.before_ticks, truth.brackets.after_ticks):
        got = diagnose(truth.brackets.sample, ticks, truth.rates)
        assert got.faults == ()
        assert got.is_clock


@pytest.mark.parametrize("modulus", [1 << 32, 1 << 31, 1 << 24, 10**9])
@pytest.mark.parametrize("start", [0.1, 0.9])
def test_wraps_are_named_and_undone(modulus, start):
    before = TICKS + int(start * modulus)
    after = TRUTH.brackets.after_ticks + int(start * modulus)
    got = looked_at(before % modulus)
    name = f"{modulus.bit_length() - 1}-bit counter"
    name = name if modulus != 10**9 else "counter to 1,000,000,000"
    places = np.flatnonzero(np.diff(before // modulus)) + 1
    assert [fault.event for fault in got.faults] == places[:100].tolist()
    assert {fault.kind for fault in got.faults} == {FaultKind.WRAPS}
    assert got.notes == (f"{name}: {len(places):,} wraps undone",)
    assert got.is_clock
    np.testing.assert_array_equal(got.ticks - got.ticks[0], before - before[0])
    later = unwrap_after(before % modulus, got.ticks, after % modulus, modulus)
    assert bracket_test(Brackets(SAMPLE, got.ticks, later), TRUTH.rates).holds


@pytest.mark.parametrize(("highest", "mentioned"), [(2**32 - 1, True), (2**32, False)])
def test_one_more_than_32_bits_is_enough_to_need_more(highest, mentioned):
    ticks = TICKS[:1000] - TICKS[999] + highest
    assert bool(diagnose(SAMPLE[:1000], ticks, TRUTH.rates).notes) == mentioned


def test_32_bits_that_never_wrap_are_mentioned():
    got = diagnose(SAMPLE[:1000], TICKS[:1000], TRUTH.rates)
    assert got.notes == ("no reading needs more than 32 bits; such a counter wraps every 4.29 s",)


def test_a_64_bit_counter_that_passes_its_end():
    got = looked_at(TICKS.astype(np.uint64) - np.uint64(TICKS[N // 2]))
    np.testing.assert_array_equal(got.ticks, TICKS - TICKS[0])
    assert got.faults == ()


@pytest.mark.parametrize("by", [5000, -5000, 10**8, -(10**8)])
@pytest.mark.parametrize("event", [30, N // 2, N - 30])
def test_a_jump_is_named_and_left_in(by, event):
    ticks = TICKS.copy()
    ticks[event:] += by
    got = looked_at(ticks)
    (jump,) = got.faults
    assert (jump.kind, jump.event) == (FaultKind.JUMPS, event)
    assert jump.size == pytest.approx(by, abs=200)
    assert ("forward" if by > 0 else "back") in jump.text
    assert not got.is_clock
    assert got.ticks is not ticks
    np.testing.assert_array_equal(got.ticks, ticks)


def test_one_false_reading_is_no_jump():
    ticks = TICKS.copy()
    ticks[5000] += 50_000
    assert looked_at(ticks).faults == ()


def test_frequency_scaling():
    factor = np.choose(np.arange(N) // 1500 % 3, [1.0, 0.5, 0.8])
    got = looked_at(np.cumsum(np.diff(TICKS, prepend=0) * factor).astype(np.int64))
    assert {fault.kind for fault in got.faults} == {FaultKind.SCALES}
    assert [fault.event for fault in got.faults] == pytest.approx(range(1500, N, 1500), abs=2)
    want = [0.5, 1.6, 1.25, 0.5, 1.6, 1.25]
    assert [fault.size for fault in got.faults] == pytest.approx(want, rel=1e-3)
    assert "(3 rates in all)" in got.faults[0].text
    assert not got.is_clock


def test_a_counter_that_stands_still():
    ticks = TICKS.copy()
    ticks[800:900] = ticks[800]
    (fault,) = looked_at(ticks).faults
    assert (fault.kind, fault.text) == (
        FaultKind.STANDS,
        "counter stands still from event 800 to 899",
    )
    (fault,) = looked_at(np.full(N, 7)).faults
    assert fault.text == "counter never goes forward"


def test_too_few_to_judge():
    got = diagnose(SAMPLE[:2], TICKS[:2], TRUTH.rates)
    assert got.findings == ("too few events to judge the counter by",)
    assert diagnose(SAMPLE[:3], TICKS[:3], TRUTH.rates).findings[0].startswith("no reading needs")


def test_of_many_jumps_a_hundred_are_named_and_the_rest_is_said():
    ticks = TICKS + 50_000 * np.cumsum(np.arange(N) % 66 == 33)
    got = looked_at(ticks)
    assert [fault.event for fault in got.faults] == list(range(33, N, 66))[:100]
    assert not got.complete
    assert got.findings[100] == "and more; of each kind 100 are told"
