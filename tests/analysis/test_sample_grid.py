# SPDX-License-Identifier: GPL-3.0-or-later
"""An analyzer that repeats its samples is told from one whose edges are at even distances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.crosscheck.clock_rates import ClockComparison, ClockRate, compare_clocks
from rig.analysis.crosscheck.sample_grid import repeated_samples
from rig.analysis.uncertainty.clock_limits import STIMULUS, ClockLimits
from rig.analysis.uncertainty.phase import scatter_samples
from tests.analysis.raw_runs import RATE_HZ, MemoryRun, toggles

BLOCK = 100_000


def clocks(ppm: float) -> ClockComparison | None:
    return compare_clocks([ClockRate(STIMULUS, ppm, 0.5, 16_000_000)], ClockLimits(), RATE_HZ)


def edges(seed: int, count: int = 200, first: int = 1000) -> np.ndarray:
    """Edges at random intervals of about a millisecond."""
    return first + np.cumsum(np.random.default_rng(seed).integers(12_000, 36_000, count))


def run_of(samples: np.ndarray) -> MemoryRun:
    return MemoryRun(toggles(samples.tolist()), int(samples[-1]) + 100, block_samples=BLOCK)


@given(st.integers(0, 10**6), st.integers(2, 60), st.integers(0, 59))
def test_repeated_samples_are_named_with_the_true_interval(seed: int, n: int, first: int) -> None:
    samples = -(-edges(seed) // n) * n + first % n
    (witness,) = repeated_samples(run_of(samples), RATE_HZ, clocks(40.0))
    assert not witness.agrees
    assert f"multiple of {n} samples apart" in witness.text
    assert f"every {n * 1e9 / RATE_HZ:,.4g} ns" in witness.text


@given(st.integers(0, 10**6))
def test_samples_that_are_taken_are_believed(seed: int) -> None:
    assert repeated_samples(run_of(edges(seed)), RATE_HZ, clocks(40.0)) == ()


@given(st.integers(0, 10**6), st.integers(2, 60))
def test_edges_by_the_analyzers_own_clock_may_be_at_any_distance(seed: int, n: int) -> None:
    samples = edges(seed) // n * n
    assert repeated_samples(run_of(samples), RATE_HZ, clocks(0.2)) == ()
    assert repeated_samples(run_of(samples), RATE_HZ, None) == ()


@pytest.mark.parametrize(("different", "told"), [(2, False), (31, False), (32, True), (60, True)])
def test_a_pattern_of_few_intervals_may_be_even_by_chance(different: int, told: bool) -> None:
    """Two to the power of 30 is the first above 10^9."""
    interval = 24_000 + 2 * (np.arange(2000) % different)
    samples = 1000 + np.cumsum(interval)
    assert bool(repeated_samples(run_of(samples), RATE_HZ, clocks(40.0))) == told


@given(st.integers(0, 10**6), st.integers(2, 60))
def test_few_intervals_tell_where_edges_lie_beside_their_train(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    ticks = np.arange(160) * int(rng.integers(1_600, 16_000))
    rate = RATE_HZ / 16e6 * (1 + rng.uniform(-5e-3, 5e-3))
    samples = 1000 + ticks * rate + rng.random()
    taken = np.ceil(samples).astype(np.int64)
    assert repeated_samples(run_of(taken), RATE_HZ, None, scatter_samples(taken, ticks)) == ()
    repeated = taken // n * n
    step = (samples[1] - samples[0]) % n / n
    if any(abs(step * k - round(step * k)) < 0.1 for k in range(1, 9)):
        return  # neighbors fall on few places only
    scatter = scatter_samples(repeated, ticks)
    (witness,) = repeated_samples(run_of(repeated), RATE_HZ, None, scatter)
    assert not witness.agrees


@pytest.mark.parametrize("scatter", [0.0, 1.14])
def test_a_train_that_explains_the_places_is_no_repetition(scatter: float) -> None:
    samples = 1000 + 24_000 * np.arange(100)
    assert repeated_samples(run_of(samples), RATE_HZ, None, scatter) == ()


def test_edges_that_came_late_scatter_alone() -> None:
    ticks = np.arange(160) * 3200
    samples = 1000 + ticks * 3 // 2
    samples[140:] += 500 * (np.arange(20) % 4 == 0)
    assert scatter_samples(samples, ticks) < 1e-6
    assert scatter_samples(samples[:15], ticks[:15]) == 0


def test_one_edge_or_none_tells_nothing() -> None:
    assert repeated_samples(MemoryRun([], 100), RATE_HZ, clocks(40.0)) == ()
    assert repeated_samples(run_of(np.array([48])), RATE_HZ, clocks(40.0)) == ()


def test_no_more_is_read_than_needed() -> None:
    run, read = run_of(edges(1)), []
    true_blocks = run.edge_blocks

    def blocks():
        for block in true_blocks():
            read.append(block)
            yield block

    run.edge_blocks = blocks  # type: ignore[method-assign]
    assert repeated_samples(run, RATE_HZ, clocks(40.0)) == ()
    assert len(read) < 10
