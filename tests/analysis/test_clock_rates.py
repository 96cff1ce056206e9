# SPDX-License-Identifier: GPL-3.0-or-later
"""Which clock is false, by the rates that all of them show against the analyzer's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.crosscheck.clock_rates import (
    ClockComparison,
    ClockRate,
    compare_clocks,
    compare_with_timer,
    with_room,
)
from rig.analysis.uncertainty.clock_limits import (
    ANALYZER,
    COUNTER,
    STIMULUS,
    TIMER,
    CalibratedRate,
    ClockLimit,
    ClockLimits,
)
from rig.analysis.uncertainty.error_model import BenchErrorModel

RATE_HZ = 24_000_000
LIMITS = ClockLimits(
    analyzer=ClockLimit.within(200, "a"),
    stimulus=ClockLimit.within(5000, "s"),
    counter=ClockLimit.within(500, "c"),
    timer=ClockLimit.within(1000, "t"),
)
OTHERS = (STIMULUS, COUNTER, TIMER)
HALF_PPM = {ANALYZER: 200.0, STIMULUS: 5000.0, COUNTER: 500.0, TIMER: 1000.0}


def seen(errors_ppm: dict[str, float], within_ppm: float = 0.01) -> ClockComparison:
    """All clocks of a bench whose true errors are these."""
    analyzer = errors_ppm[ANALYZER]
    rates = [
        ClockRate(name, ((1 + ppm * 1e-6) / (1 + analyzer * 1e-6) - 1) * 1e6, within_ppm, 10**9)
        for name, ppm in errors_ppm.items()
        if name != ANALYZER
    ]
    found = compare_clocks(rates, LIMITS, RATE_HZ)
    assert found is not None
    return found


errors = st.fixed_dictionaries({name: st.floats(-half, half) for name, half in HALF_PPM.items()})
present = st.sets(st.sampled_from(OTHERS), min_size=1)


@given(errors, present, st.floats(0, 100))
def test_clocks_within_their_limits_are_never_suspected(
    errors: dict[str, float], present: set[str], within_ppm: float
) -> None:
    there = {name: ppm for name, ppm in errors.items() if name in {ANALYZER, *present}}
    found = seen(there, within_ppm)
    assert found.agrees
    assert found.witness.agrees
    assert all(pair.agrees for pair in found.pairs)
    low, high = found.analyzer_low_ppm, found.analyzer_high_ppm
    assert low is not None
    assert high is not None
    assert low - 1e-6 <= errors[ANALYZER] <= high + 1e-6


@given(errors, st.sampled_from((ANALYZER, STIMULUS, COUNTER)), st.sampled_from((-1, 1)))
def test_of_three_devices_the_false_clock_is_named(
    errors: dict[str, float], false: str, sign: int
) -> None:
    """Off by more than all limits together can hide."""
    there = {name: errors[name] for name in (ANALYZER, STIMULUS, COUNTER)}
    there[false] += sign * 12_500
    found = seen(there)
    assert found.suspects == ((false,),)
    assert not found.witness.agrees
    assert f"the {false} is contradicted by" in found.text


@pytest.mark.parametrize("factor", [0.5, 2.0, 10.0, 21 / 24, 27 / 24, 1e-3, 1e3])
def test_far_rates_are_named_with_what_they_seem_to_be(factor: float) -> None:
    found = seen({ANALYZER: (factor - 1) * 1e6, STIMULUS: 30.0, COUNTER: -12.0})
    assert found.suspects == ((ANALYZER,),)
    assert "it declares 24 MHz and runs at about" in found.text
    told = found.text.split("runs at about ")[1].split(":")[0]
    number, unit = told.split()
    true_hz = float(number) * {"kHz": 1e3, "MHz": 1e6, "GHz": 1e9}[unit]
    assert true_hz == pytest.approx(RATE_HZ * factor, rel=1e-3)


def test_a_counter_of_twice_its_rate_is_named() -> None:
    found = seen({ANALYZER: 0.0, STIMULUS: 38.0, COUNTER: -500_000.0})
    assert found.suspects == ((COUNTER,),)
    assert "it declares 1 GHz and runs at about 0.5" in found.text or "500" in found.text


def test_two_clocks_are_both_named_and_what_would_tell() -> None:
    found = seen({ANALYZER: 0.0, STIMULUS: 20_000.0})
    assert found.suspects == ((ANALYZER,), (STIMULUS,))
    assert "a target's log with the rate of its counter would tell which" in found.text


def test_two_explanations_are_both_named() -> None:
    """The resonator agrees with either, so it does not tell which of the crystals is false."""
    found = seen({ANALYZER: 0.0, STIMULUS: 0.0, COUNTER: 2000.0})
    assert found.suspects == ((ANALYZER,), (COUNTER,))
    assert "more likely the target's counter" in found.text


def test_of_two_explanations_that_differ_little_neither_is_likelier() -> None:
    """Without the counter the rest is 1,000 ppm apart, without the analyzer 3,000."""
    found = seen({ANALYZER: 0.0, STIMULUS: -1000.0, COUNTER: 2000.0})
    assert found.suspects == ((ANALYZER,), (COUNTER,))
    assert "more likely" not in found.text


def test_counter_and_timer_of_one_target_do_not_outvote_the_analyzer() -> None:
    found = seen({ANALYZER: 0.0, COUNTER: 50_000.0, TIMER: 50_000.0})
    assert found.suspects == ((ANALYZER,), (COUNTER, TIMER))
    assert "more likely" not in found.text
    found = seen({ANALYZER: 0.0, COUNTER: 50_000.0, TIMER: 0.0})
    assert found.suspects == ((COUNTER,),)


def test_limits_are_sharp() -> None:
    """What is caught begins where the limits of the pair end."""
    edge = HALF_PPM[ANALYZER] + HALF_PPM[COUNTER]
    assert seen({ANALYZER: 0.0, COUNTER: edge - 1}).agrees
    assert not seen({ANALYZER: 0.0, COUNTER: edge + 1}).agrees


def test_nothing_but_the_analyzer_is_no_comparison() -> None:
    assert compare_clocks([], LIMITS, RATE_HZ) is None


@given(errors, present)
def test_room_covers_what_may_be_wrong_with_the_analyzer(
    errors: dict[str, float], present: set[str]
) -> None:
    """An analyzer of which nothing is stated, off by anything that the others do not show."""
    there = {name: ppm for name, ppm in errors.items() if name in present}
    there[ANALYZER] = errors[ANALYZER] * 20
    found = seen(there)
    bench = with_room(BenchErrorModel(41.7, clocks=LIMITS), found)
    if not found.agrees:
        return
    base = bench.time_base_ppm
    assert base is not None
    assert base.estimate == 0
    assert abs(there[ANALYZER]) <= base.standard_uncertainty * 3**0.5 + 1e-6


def test_what_is_stated_of_the_analyzer_is_taken_at_its_word() -> None:
    stated = ClockLimits(analyzer=ClockLimit.within(20, "fixture", is_stated=True))
    bench = BenchErrorModel(41.7, clocks=stated)
    found = seen({ANALYZER: 0.0, STIMULUS: 0.0})
    assert with_room(bench, found) is bench


def test_a_timer_is_heard_where_no_other_clock_of_the_target_tells() -> None:
    """Late events make it look slow: beside a counter that agrees it proves nothing."""
    slow = [ClockRate(TIMER, -200_000.0, 10.0)]
    counter = [ClockRate(COUNTER, 100.0, 1.0, 10**9)]
    beside = compare_with_timer(counter, slow, LIMITS, RATE_HZ)
    assert beside is not None
    assert beside.agrees
    alone = compare_with_timer([], slow, LIMITS, RATE_HZ)
    assert alone is not None
    assert alone.suspects == ((ANALYZER,), (TIMER,))
    doubled = [ClockRate(COUNTER, 1e6, 1.0, 10**9)]
    named = compare_with_timer(doubled, [ClockRate(TIMER, 0.0, 10.0)], LIMITS, RATE_HZ)
    assert named is not None
    assert named.suspects == ((COUNTER,),)


# --- clocks that were calibrated -----------------------------------------------------------------

CALIBRATED = replace(
    LIMITS,
    calibrated=(
        CalibratedRate(STIMULUS, 1800.0, 0.5, "calibration time-base"),
        CalibratedRate(COUNTER, -40.0, 0.5, "calibration counter"),
    ),
)
"""A resonator that was 1800 ppm too fast, and a crystal that was 40 ppm too slow."""


def since(analyzer_ppm: float, stimulus_ppm: float, counter_ppm: float) -> ClockComparison:
    """With these changes since then."""
    course = 1 + analyzer_ppm * 1e-6
    rates = [
        ClockRate(name, ((1 + was * 1e-6) * (1 + change * 1e-6) / course - 1) * 1e6, 0.01, 10**9)
        for name, was, change in ((STIMULUS, 1800.0, stimulus_ppm), (COUNTER, -40.0, counter_ppm))
    ]
    found = compare_clocks(rates, CALIBRATED, RATE_HZ)
    assert found is not None
    return found


@given(st.floats(-99, 99), st.floats(-2990, 2990), st.floats(-99, 99))
def test_clocks_may_change_as_clocks_do(analyzer: float, stimulus: float, counter: float) -> None:
    found = since(analyzer, stimulus, counter)
    assert found.agrees
    assert all(pair.agrees for pair in found.pairs)


@pytest.mark.parametrize("counter_ppm", [-203.0, 203.0])
def test_a_counter_that_left_its_calibrated_rate_is_told(counter_ppm: float) -> None:
    found = since(0.0, 0.0, counter_ppm)
    assert not found.agrees
    assert found.suspects == ((ANALYZER,), (COUNTER,))
    assert "since calibration time-base and calibration counter" in found.text
    without = compare_clocks([ClockRate(COUNTER, counter_ppm - 40, 0.01, 10**9)], LIMITS, RATE_HZ)
    assert without is not None
    assert without.agrees


def test_limits_of_a_pair_are_those_of_its_calibration() -> None:
    pair = next(each for each in since(0, 0, 0).pairs if each.clock == COUNTER)
    assert (pair.low_ppm, pair.high_ppm) == pytest.approx((-240.5, 160.5), abs=0.2)
    assert "change since calibration of a crystal" in pair.source


def test_a_stimulus_that_is_a_crystal_changes_like_one() -> None:
    crystal = replace(CALIBRATED, stimulus=ClockLimit.within(100, "fixture"))
    assert crystal.of_changes().stimulus.high_ppm == 100
    assert CALIBRATED.of_changes().stimulus.high_ppm == 3000


@pytest.mark.parametrize(("within_ppm", "told"), [(5000, True), (50, False)])
def test_a_resonator_that_alone_contradicts_is_named_with_its_cause(within_ppm, told) -> None:
    limits = replace(LIMITS, stimulus=ClockLimit.within(within_ppm, "stated"))
    rates = [ClockRate(STIMULUS, 9000, 0.1, 16_000_000), ClockRate(COUNTER, -12, 0.1, 10**9)]
    found = compare_clocks(rates, limits, RATE_HZ)
    assert found is not None
    assert found.suspects == ((STIMULUS,),)
    assert found.text.startswith("a ceramic resonator drifts while it warms up") is told
    assert "the stimulus is contradicted by analyzer" in found.text
