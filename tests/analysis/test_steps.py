# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps in a distribution: known ones are found with their distance, and no others."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.statistics.steps import FEWEST_VALUES, Steps, steps
from rig.arrays import FloatArray

SEEDS = st.integers(0, 2**32 - 1)


def found(values: FloatArray, grid: int = 1) -> Steps:
    histogram = ExactHistogram()
    histogram.add(np.rint(values / grid).astype(np.int64) * grid)
    return steps(histogram)


@settings(max_examples=60)
@given(SEEDS, st.floats(60, 500), st.integers(6, 12), st.floats(0.01, 0.1), st.sampled_from([1, 4]))
def test_a_known_step_is_found_and_lies_in_its_interval(seed, step, modes, width, grid):
    random = np.random.default_rng(seed)
    number = random.choice(modes, 20_000, p=random.dirichlet(np.full(modes, 5.0)))
    first = random.integers(0, 5000)
    seen = found(first + step * number + random.normal(0, width * step, len(number)), grid)
    assert seen.step is not None, seen
    # A little more than 95 of 100 intervals hold the true one: this is twice as wide.
    half = seen.interval.high - seen.step
    assert abs(seen.step - step) <= 2 * half + 0.01 * grid
    assert half < 0.02 * step
    assert abs(seen.first - first) < 0.1 * step + grid
    assert (seen.modes, seen.span) == (modes, modes - 1)


@settings(max_examples=60)
@given(SEEDS, st.sampled_from(["normal", "gamma", "exponential", "uniform", "pareto"]))
def test_one_broad_mode_has_no_steps(seed, shape):
    random = np.random.default_rng(seed)
    drawn = {
        "normal": lambda n: random.normal(5000, 300, n),
        "gamma": lambda n: 1000 + random.gamma(2, 500, n),
        "exponential": lambda n: random.exponential(3000, n),
        "uniform": lambda n: random.uniform(0, 9999, n),
        "pareto": lambda n: 1000 * (1 + random.pareto(2, n)),
    }
    seen = found(drawn[shape](20_000))
    assert seen.step is None
    assert seen.refused == ""
    assert seen.modes <= 1


@settings(max_examples=60)
@given(SEEDS, st.integers(4, 12))
def test_modes_at_random_places_have_no_steps(seed, modes):
    random = np.random.default_rng(seed)
    places = random.uniform(0, 20_000, modes)
    seen = found(random.choice(places, 20_000) + random.normal(0, 20, 20_000))
    assert seen.step is None, seen


def test_a_coarse_clock_is_no_step():
    random = np.random.default_rng(3)
    assert found(random.normal(5000, 40, 20_000), grid=10).step is None


def test_of_few_values_nothing_is_said():
    assert "needs" in found(np.arange(FEWEST_VALUES - 1.0)).refused
    assert "needs" in found(np.repeat([1.0, 2.0, 3.0], 100)).refused
    assert found(np.repeat([7.0], 1000)).refused


def test_steps_are_told_in_another_unit():
    random = np.random.default_rng(4)
    number = random.integers(0, 6, 20_000)
    seen = found(100 + 50 * number + random.normal(0, 2, len(number))).scaled(20.0)
    assert abs(seen.step - 1000) < 5
    assert seen.interval.low < 1000 < seen.interval.high
    assert abs(seen.first - 2000) < 10
