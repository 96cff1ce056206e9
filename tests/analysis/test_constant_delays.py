# SPDX-License-Identifier: GPL-3.0-or-later
"""Constants that are fitted to a run: what they may be, what is caught, and what U makes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.crosscheck.constants import (
    ConstantDelay,
    DelayRange,
    capture_delay,
    logged_delay,
    response_path,
    task_path,
    with_capture_room,
)
from rig.analysis.crosscheck.edge_intervals import PinPairs
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.uncertainty.chips import CAPTURE_TIMINGS, CaptureTiming, emulated_capture
from rig.analysis.uncertainty.contribution import UncertainQuantity, calibrated, limits
from rig.analysis.uncertainty.error_model import BenchErrorModel, latency_budget
from rig.instruments import LOG_TASK
from tests.analysis.raw_runs import log_of

SAMPLE_NS, TICK_NS = 1e9 / 24e6, 62.5
RATE_HZ, CLOCK_HZ = 24_000_000, 16_000_000
CHANNELS = (0, 1)
EMULATED = emulated_capture("ATmega328P")
ALLOWED_NS = 200.0
NONE = calibrated(0.0, 0.0, "ns", "no delay")
KNOWN = BenchErrorModel(
    SAMPLE_NS, skew_ns=NONE, edge_shape_ns=NONE, line_ns=NONE, capture_line_ns=NONE,
    capture_timing=EMULATED,
)  # fmt: skip
UNSTATED = BenchErrorModel(SAMPLE_NS, capture_timing=EMULATED)
CHIP = CAPTURE_TIMINGS["atmega328p"]


def compared(
    stimulus_ns: float,
    response_ns: float,
    capture_ns: float,
    timing: CaptureTiming = EMULATED,
    n: int = 400,
    seed: int = 1,
) -> CaptureComparison:
    """Latencies by analyzer and input capture, with these delays on the way to each."""
    rng = np.random.default_rng(seed)
    sent_ticks = np.cumsum(rng.integers(3000, 9000, n))
    sent_ns = (sent_ticks + timing.output_cycles) * TICK_NS
    answer_ns = sent_ns + rng.uniform(3000, 9000, n)
    phase_ns = rng.uniform(0, SAMPLE_NS)
    stimulus = np.ceil((sent_ns + stimulus_ns + phase_ns) / SAMPLE_NS).astype(np.int64)
    response = np.ceil((answer_ns + response_ns + phase_ns) / SAMPLE_NS).astype(np.int64)
    # The stamp lies in its range behind the edge, by the edge's place in a cycle.
    at_pin = (answer_ns + capture_ns) / TICK_NS
    stamp = np.floor(at_pin + timing.most_cycles).astype(np.int64)
    found = CaptureComparison.begin(RATE_HZ, CLOCK_HZ, samples=0, ticks=0)
    return found.add(response - stimulus, stamp - sent_ticks)


def judged(
    bench: BenchErrorModel, stimulus_ns: float = 0, response_ns: float = 0, capture_ns: float = 0,
    **more: int,
) -> ConstantDelay:  # fmt: skip
    found = compared(stimulus_ns, response_ns, capture_ns, **more)
    delay = capture_delay(found, bench, CHANNELS, some_late=False)
    assert delay is not None
    return delay


small = st.floats(0, ALLOWED_NS)


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 30, 400]))
def test_a_bench_without_delays_is_never_blamed(seed: int, n: int) -> None:
    assert judged(KNOWN, seed=seed, n=n).agrees


@given(small, small, small, st.integers(0, 10**6))
def test_what_is_allowed_of_unknown_wires_is_not_blamed(
    stimulus_ns: float, response_ns: float, capture_ns: float, seed: int
) -> None:
    assert judged(UNSTATED, stimulus_ns, response_ns, capture_ns, seed=seed, n=40).agrees


@given(st.floats(0, 3000), st.floats(0, 3000), small, st.integers(0, 10**6))
def test_u_covers_what_is_not_blamed(
    stimulus_ns: float, response_ns: float, capture_ns: float, seed: int
) -> None:
    """Whatever the wires delay: caught, or within the uncertainty of each latency."""
    delay = judged(UNSTATED, stimulus_ns, response_ns, capture_ns, seed=seed, n=40)
    bench = with_capture_room(UNSTATED, delay)
    budget = latency_budget("latency", 0.0, bench)
    assert budget.expanded >= abs(response_ns - stimulus_ns)
    missing = {each.name for each in budget.unknown}
    assert not missing & {"channel skew", "threshold and edge shape", "line delay"}


@pytest.mark.parametrize("bench", [KNOWN, UNSTATED])
def test_late_wires_are_told_apart_by_their_sign(bench: BenchErrorModel) -> None:
    late = judged(bench, stimulus_ns=2500)
    assert not late.witness.agrees
    assert "wire or input D0" in late.text
    assert "capture pin late" in late.text
    assert late.value_ns == pytest.approx(343.75 + 2500, abs=late.within_ns + 0.1)
    late = judged(bench, response_ns=2500)
    assert not late.agrees
    assert "wire or input D1" in late.text
    late = judged(bench, capture_ns=2500)
    assert not late.agrees
    assert "capture pin late" in late.text


@pytest.mark.parametrize(("bench", "allowed_ns"), [(KNOWN, 0.0), (UNSTATED, 2 * ALLOWED_NS)])
@pytest.mark.parametrize("which", ["stimulus_ns", "response_ns", "capture_ns"])
def test_the_smallest_lie_caught_is_the_one_that_the_bound_says(
    bench: BenchErrorModel, allowed_ns: float, which: str
) -> None:
    """By bisection; the run itself leaves open a few nanoseconds with 400 events."""
    low, high = 0.0, 3000.0
    while high - low > 0.5:
        middle = (low + high) / 2
        if judged(bench, **{which: middle}).agrees:  # type: ignore[arg-type]
            low = middle
        else:
            high = middle
    resolution = SAMPLE_NS + TICK_NS / 2
    assert allowed_ns - 1 <= high <= allowed_ns + resolution


def test_the_chip_has_a_synchronizer_that_the_emulator_has_not() -> None:
    chip = replace(KNOWN, capture_timing=CHIP)
    found = compared(0, 0, 0, CaptureTiming(1.0, 6.5, 7.5, "data sheet"))
    delay = capture_delay(found, chip, CHANNELS, some_late=False)
    assert delay is not None
    assert delay.agrees
    assert not capture_delay(compared(0, 0, 0), chip, CHANNELS, some_late=False).agrees  # type: ignore[union-attr]


def test_an_opto_coupler_that_is_stated_is_no_fault() -> None:
    stated = replace(KNOWN, line_ns=limits(100.0, "ns", "fixture", estimate=2500.0))
    delay = judged(stated, response_ns=2450, capture_ns=0)
    assert delay.agrees
    assert not judged(stated).agrees
    wide = replace(UNSTATED, delay_allowance_ns=3000.0)
    assert judged(wide, response_ns=2500).agrees


def test_pulses_that_left_late_do_not_blame_the_wires() -> None:
    found = compared(0, 0, 0)
    found = replace(found, every=replace(found.every, highest_ns=5000.0))
    assert capture_delay(found, KNOWN, CHANNELS, some_late=False) is None
    delay = capture_delay(found, KNOWN, CHANNELS, some_late=True)
    assert delay is not None
    assert delay.agrees
    shifted = compared(2500, 0, 0)
    delay = capture_delay(shifted, KNOWN, CHANNELS, some_late=True)
    assert delay is not None
    assert not delay.agrees


def test_a_calibrated_path_is_not_widened() -> None:
    calibration: UncertainQuantity = calibrated(40.0, 2.0, "ns", "loopback")
    bench = replace(UNSTATED, is_calibrated=True, calibration_ns=calibration, capture_line_ns=NONE)
    delay = judged(bench, response_ns=40)
    assert delay.agrees
    assert with_capture_room(bench, delay) is bench
    assert not judged(bench, response_ns=140).agrees


# --- delays between two channels, by the log ------------------------------------------------------


PAIRS = PinPairs(SAMPLE_NS, 1.0, 0.0)


def logged(between_ns: np.ndarray, delay_ns: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times between edges in samples, and records with pin writes of 100 ns around both."""
    n = len(between_ns)
    start = (1 + np.arange(n)) * 1_000_000
    second = start + np.round(between_ns).astype(np.int64)
    earlier = log_of([(1, int(at) - 50, int(at) + 50, 0) for at in start])
    later = log_of([(1, int(at) - 50, int(at) + 50, LOG_TASK) for at in second])
    phase = np.random.default_rng(3).uniform(0, SAMPLE_NS, n)
    first = np.ceil((start + phase) / SAMPLE_NS)
    samples = np.ceil((second + phase + delay_ns) / SAMPLE_NS) - first
    return samples.astype(np.int64), earlier, later


@given(st.floats(-1000, 1000))
def test_a_delay_between_channels_lies_in_the_range_that_the_log_leaves(delay_ns: float) -> None:
    rng = np.random.default_rng(5)
    found, unfit = PAIRS.narrow(DelayRange(), *logged(rng.uniform(5000, 9000, 50), delay_ns))
    assert not unfit.any()
    assert found.low_ns - 1 <= delay_ns <= found.high_ns + 1
    assert abs(delay_ns) <= found.largest_ns + 1
    assert found.largest_ns < abs(delay_ns) + 200 + 2 * SAMPLE_NS + 2
    delay = logged_delay("between", found, task_path(UNSTATED), ("late task", "late response"))
    assert delay is not None
    if abs(delay_ns) <= ALLOWED_NS:
        assert delay.agrees
    if abs(delay_ns) > ALLOWED_NS + 100 + 2 * SAMPLE_NS + 2:
        assert not delay.agrees
        assert ("late task" in delay.text) == (delay_ns > 0)


def test_a_counter_of_another_rate_is_not_called_a_late_wire() -> None:
    """Its rate is named by the clocks; the times between records are taken by the fitted one."""
    samples, earlier, later = logged(np.full(20, 8000.0), 0.0)
    for rows in (earlier, later):
        for name in ("before_ticks", "after_ticks"):
            rows[name] = rows[name] * 2
    off, _ = PAIRS.narrow(DelayRange(), samples, earlier, later)
    assert off.high_ns < -7000
    fitted, unfit = replace(PAIRS, counter_ppm=1e6).narrow(DelayRange(), samples, earlier, later)
    assert not unfit.any()
    assert fitted.low_ns < 0 < fitted.high_ns


@given(st.data())
def test_the_events_that_do_not_fit_the_common_delay_are_found(data: st.DataObject) -> None:
    """In any stretches: fewer than half are false, each by more than all leave open."""
    common = data.draw(st.floats(-500, 500))
    n = data.draw(st.integers(5, 40))
    false = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    first = data.draw(st.integers(5, n))
    false[: first // 2 + 1] = False
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    moved = common + np.where(false, rng.choice([-400.0, 400.0], n), 0.0)
    low, high = moved - rng.uniform(1, 150, n), moved + rng.uniform(1, 150, n)
    found, unfit = DelayRange().narrowed(low[:first], high[:first])
    found, more = found.narrowed(low[first:], high[first:])
    assert np.concatenate([unfit, more]).tolist() == false.tolist()
    assert found.low_ns <= common <= found.high_ns


def test_a_path_is_known_only_if_all_of_it_is() -> None:
    assert response_path(KNOWN).is_known
    assert response_path(KNOWN).reach_ns == 0
    part = response_path(replace(KNOWN, line_ns=None))
    assert (part.is_known, part.reach_ns) == (False, ALLOWED_NS)
    assert "line delay" in part.source
    assert not task_path(replace(KNOWN, skew_ns=None)).is_known
