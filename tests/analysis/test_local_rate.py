# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate of two drifting clocks at any place, against the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.train.local_rate import LocalRate, RateKnots

RATE_HZ, CLOCK_HZ = 24_000_000, 16_000_000
PPM_PER_S = 5.0
"""Fast, as of a resonator that warms up; still within the bound."""


def edges_of(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Ticks of edges, and the samples that show them: the analyzer speeds up all the time."""
    ticks = np.cumsum(np.random.default_rng(seed).integers(1_600, 64_000, n))
    time_s = ticks / CLOCK_HZ
    exact = RATE_HZ * (time_s * (1 + 80e-6) + PPM_PER_S * 1e-6 * time_s**2 / 2)
    return ticks, np.ceil(exact).astype(np.int64)


def rate_at(samples: np.ndarray) -> np.ndarray:
    """True samples per tick."""
    return RATE_HZ / CLOCK_HZ * (1 + 80e-6 + PPM_PER_S * 1e-6 * samples / RATE_HZ)


def rate_of(ticks: np.ndarray, samples: np.ndarray, holes: list[int]) -> LocalRate:
    knots = RateKnots(RATE_HZ, CLOCK_HZ)
    for part in np.array_split(samples, 7):
        knots.add(part)
    where = np.array(holes, np.int64)
    return LocalRate(knots, lambda numbers: ticks[numbers], where, RATE_HZ, CLOCK_HZ)


@pytest.mark.parametrize("length_s", [0, 0.001, 1.0])
def test_the_rate_is_right_within_its_error(length_s: float) -> None:
    ticks, samples = edges_of(1, 10_000)
    length = np.full(len(samples), int(length_s * RATE_HZ))
    found = rate_of(ticks, samples, []).at(samples, length)
    assert found is not None
    slope, error = found
    off = np.abs(slope / rate_at(samples + length / 2) - 1)
    assert (off <= error).all()
    assert error.max() < (1e-5 if length_s < 1 else 5e-5)
    # One mean rate for all would be wrong by many times that.
    assert np.abs(np.mean(slope) / rate_at(samples) - 1).max() > 10 * np.median(off)


def test_the_rate_of_a_stretch_is_that_at_its_middle() -> None:
    ticks, samples = edges_of(4, 10_000)
    rate, none = rate_of(ticks, samples, []), np.zeros(10_000, np.int64)
    stretch, middle = rate.at(samples, none + 2 * RATE_HZ), rate.at(samples + RATE_HZ, none)
    assert stretch is not None
    assert middle is not None
    np.testing.assert_array_equal(stretch[0], middle[0])
    assert (stretch[1] > middle[1]).all()


def test_far_from_the_last_edges_the_error_grows_with_the_distance() -> None:
    """The clocks go on drifting where no edge shows it."""
    ticks, samples = edges_of(5, 1_000)
    later = samples[-1] + np.arange(1, 30) * RATE_HZ
    found = rate_of(ticks, samples, []).at(later, np.zeros(29, np.int64))
    assert found is not None
    off = np.abs(found[0] / rate_at(later) - 1)
    assert off[-1] > 25 * PPM_PER_S * 1e-6
    assert (off <= found[1]).all()


def test_a_hole_in_the_samples_is_no_change_of_the_rate() -> None:
    ticks, samples = edges_of(2, 10_000)
    samples[5_000:] -= 40_000
    found = rate_of(ticks, samples, [int(samples[4_999])]).at(samples, np.zeros(10_000, np.int64))
    assert found is not None
    assert np.abs(found[0] / rate_at(samples) - 1).max() < 1e-5


def test_without_two_knots_there_is_no_rate() -> None:
    ticks, samples = edges_of(3, 3)
    assert rate_of(ticks, samples, []).at(samples, samples) is None


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=60), st.lists(st.integers(0, 60)))
def test_knots_do_not_depend_on_how_edges_come(steps: list[int], cuts: list[int]) -> None:
    samples = np.cumsum(steps)
    whole, pieces = RateKnots(RATE_HZ, CLOCK_HZ), RateKnots(RATE_HZ, CLOCK_HZ)
    whole.add(samples)
    for piece in np.split(samples, sorted(min(cut, len(samples)) for cut in cuts)):
        pieces.add(piece)
    assert (pieces.number, pieces.sample) == (whole.number, whole.sample)
    assert [int(samples[n]) for n in whole.number] == whole.sample
