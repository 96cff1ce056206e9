# SPDX-License-Identifier: GPL-3.0-or-later
"""Pulse trains: their generator, their distributions, their limits."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rig.stimulus.random_words import minus_log2_q24, random_words
from rig.stimulus.train import Pattern, Polarity, Train
from tests.chip import CHIP
from tests.stimulus.train_strategies import trains

COMMON: dict[str, Any] = {
    "seed": 1,
    "delay_ticks": 16_000,
    "width_ticks": 160,
    "polarity": Polarity.POSITIVE,
}


def periodic(**changes: Any) -> Train:
    return Train(
        **{**COMMON, "pattern": Pattern.PERIODIC, "count": 10, "period_ticks": 16_000} | changes
    )


def test_generator_gives_the_documented_words() -> None:
    assert list(random_words(1, 0, 4)) == [0x5E2D1772, 0x14E498F0, 0xD20EA1FD, 0xB382F339]
    assert list(random_words(2**32 - 1, 0, 4)) == [0xEB721C8A, 0xFFE8BD34, 0x4DA2A8CE, 0xA4A5CC85]


def test_generator_goes_round_its_counter() -> None:
    assert list(random_words(7, 2**32, 2**32 + 5)) == list(random_words(7, 0, 5))


def test_logarithm_is_close_and_never_below() -> None:
    words = random_words(3, 0, 1_000_000)
    error = minus_log2_q24(words) / 2**24 + np.log2((words | 1) / 2**32)
    assert error.min() > -2e-5  # half a step of the table
    assert error.max() < 7e-5
    assert minus_log2_q24(np.array([0], dtype=np.uint32))[0] == 32 << 24


@given(trains(), st.data())
@settings(max_examples=60)
def test_any_stretch_is_that_of_the_whole(train: Train, data: st.DataObject) -> None:
    whole = train.edges(0, train.count)
    assert whole[0] == train.delay_ticks
    assert np.array_equal(np.diff(whole), train.intervals(0, train.count - 1))
    first = data.draw(st.integers(0, train.count))
    stop = data.draw(st.integers(first, train.count))
    assert np.array_equal(train.edges(first, stop), whole[first:stop])
    chunks = list(train.edge_chunks(data.draw(st.integers(1, 4000))))
    assert np.array_equal(np.concatenate(chunks), whole)
    assert train.duration_ticks == whole[-1] + train.width_ticks


@given(trains())
@settings(max_examples=60)
def test_no_interval_is_below_the_shortest(train: Train) -> None:
    intervals = train.intervals(0, train.count - 1)
    assert (intervals >= train.shortest_interval_ticks).all()


def test_uniform_intervals_are_uniform() -> None:
    train = Train(
        Pattern.UNIFORM, 200_001, **COMMON, interval_min_ticks=3_200, interval_max_ticks=28_800
    )
    intervals = train.intervals(0, 200_000)
    assert intervals.min() == 3_200
    assert intervals.max() == 28_800
    test = stats.kstest(intervals + 0.5, stats.uniform(3_200, 25_601).cdf)
    assert test.pvalue > 0.01
    assert abs(intervals.mean() - train.mean_interval_ticks) < 4 * 7_390 / 200_000**0.5


@pytest.mark.parametrize("mean_ticks", [4_800, 16_000, 160_000_000])
def test_poisson_intervals_are_exponential(mean_ticks: int) -> None:
    train = Train(
        Pattern.POISSON, 200_001, **COMMON, interval_min_ticks=1_600, interval_mean_ticks=mean_ticks
    )
    excess = train.intervals(0, 200_000) - 1_600
    scale = mean_ticks - 1_600
    # Whole ticks: the steps of the distribution function are not to count as a difference.
    test = stats.kstest(
        excess + stats.uniform.rvs(-0.5, 1, 200_000, random_state=1), stats.expon(scale=scale).cdf
    )
    assert test.pvalue > 0.01
    assert abs(excess.mean() - scale) < 4 * scale / 200_000**0.5


def test_successive_intervals_are_independent() -> None:
    train = Train(
        Pattern.UNIFORM, 100_002, **COMMON, interval_min_ticks=3_200, interval_max_ticks=28_800
    )
    intervals = train.intervals(0, 100_001).astype(np.float64)
    assert abs(np.corrcoef(intervals[:-1], intervals[1:])[0, 1]) < 4 / 100_000**0.5


def test_seeds_give_different_trains() -> None:
    words = np.stack([random_words(seed, 0, 1000) for seed in range(50)])
    assert len(np.unique(words)) > 49_990  # 50,000 draws of 2**32


def test_bursts_keep_their_period() -> None:
    train = Train(
        Pattern.BURST, 12, **COMMON, period_ticks=10_000, burst_count=3, burst_spacing_ticks=400
    )
    edges = train.edges(0, 12) - train.delay_ticks
    assert list(edges[::3]) == [0, 10_000, 20_000, 30_000]
    assert list(edges[:3]) == [0, 400, 800]
    assert train.shortest_interval_ticks == 400


@pytest.mark.parametrize(("start", "stop"), [(160_000, 1_600), (1_600, 160_000), (5_000, 5_000)])
def test_ramp_rate_is_linear_in_the_edge(start: int, stop: int) -> None:
    train = Train(Pattern.RAMP, 1001, **COMMON, ramp_start_ticks=start, ramp_stop_ticks=stop)
    wanted_hz = np.linspace(16e6 / start, 16e6 / stop, 1000)
    intervals = train.intervals(0, 1000)
    # The documented resolution: interval squared / 2**32, and the rounding to a tick.
    assert (np.abs(16e6 / wanted_hz - intervals) <= 2 + 2 * intervals**2.0 / 2**32).all()


def test_memory_is_flat() -> None:
    train = periodic(count=5_000_000)
    tracemalloc.start()
    last = 0
    for chunk in train.edge_chunks():
        last = int(chunk[-1])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert last == 16_000 + 4_999_999 * 16_000
    assert peak < 20_000_000  # the train itself is 40 MB


def test_expected_duration_is_near_the_true_one() -> None:
    train = Train(Pattern.RAMP, 10_001, **COMMON, ramp_start_ticks=160_000, ramp_stop_ticks=1_600)
    assert train.expected_duration_ticks == pytest.approx(train.duration_ticks, rel=2e-3)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"count": 0}, "count is 0; valid: 1 to 4294967295"),
        ({"seed": 2**32}, "seed is 4294967296; valid: 0 to 4294967295"),
        ({"period_ticks": 319}, "period_ticks is 319; valid: 320 to 160000000"),
        ({"period_ticks": 0}, "period_ticks is 0; valid: 320 to 160000000"),
        ({"delay_ticks": 1_599}, "delay_ticks is 1599; valid: 1600 to 160000000"),
        ({"width_ticks": 32_768}, "width_ticks is 32768; valid: 160 to 32767"),
        ({"burst_count": 3}, "burst_count does not belong to pattern periodic"),
        (
            {"period_ticks": 400, "width_ticks": 241},
            "width_ticks 241 leaves less than 160 ticks of rest in the shortest interval, 400; "
            "valid: at most 240",
        ),
        ({"count": 1.0}, "count must be an integer, not 1.0"),
        (
            {
                "pattern": Pattern.UNIFORM,
                "period_ticks": 0,
                "interval_min_ticks": 5_000,
                "interval_max_ticks": 4_000,
            },
            "interval_min_ticks 5000 is above interval_max_ticks 4000",
        ),
        (
            {"pattern": Pattern.BURST, "burst_count": 11, "burst_spacing_ticks": 1_600},
            "period_ticks 16000 is too short for 11 pulses 1600 ticks apart; valid: at least 16320",
        ),
        (
            {
                "pattern": Pattern.RAMP,
                "period_ticks": 0,
                "ramp_start_ticks": 16_000_001,
                "ramp_stop_ticks": 1_600,
            },
            "ramp_start_ticks is 16000001; valid: 1600 to 16000000",
        ),
    ],
)
def test_impossible_trains_are_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match="^" + text.replace("**", r"\*\*") + "$"):
        periodic(**changes, limits=CHIP.limits)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"pattern": "SINE"}, "pattern is 'SINE'; valid: PER, UNIF, POIS, BURS, RAMP"),
        ({"period_ticks": 0}, "period_ticks is 0; valid: 8 to 4294967295"),
        ({"width_ticks": 16_000}, "width_ticks 16000 leaves less than 1 ticks of rest"),
        ({"count": 2**32 - 1, "period_ticks": 2**31}, "longer than any can be"),
    ],
)
def test_a_train_of_a_file_is_one_that_some_chip_could_make(
    changes: dict[str, Any], text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        periodic(**changes)


def test_a_chip_makes_only_the_patterns_that_it_names() -> None:
    limits = replace(CHIP.limits, interval_ticks={Pattern.UNIFORM: (8, 100)})
    with pytest.raises(ValueError, match="pattern PER is none that the firmware makes"):
        periodic(limits=limits)


def test_edges_outside_the_train_are_refused() -> None:
    with pytest.raises(ValueError, match="edges 0 to 11 asked of a train of 10"):
        periodic().edges(0, 11)
