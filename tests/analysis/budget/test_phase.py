# SPDX-License-Identifier: GPL-3.0-or-later
"""How far quantization averages out: against the mean error itself, simulated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.uncertainty.phase import PhaseTally, places


def coherence(place):
    tally = PhaseTally()
    tally.add(np.asarray(place, float))
    return tally.coherence()


def simulated(place, turns=4000):
    """Deviation of the mean rounding error over all constants, in that of one edge."""
    constant = (np.arange(turns) + 0.5) / turns
    error = np.ceil(place[:, None] + constant) - place[:, None] - constant - 0.5
    return error.mean(axis=0).std() * np.sqrt(12)


@pytest.mark.parametrize(
    "place",
    [
        np.zeros(50),
        np.tile([0.0, 0.5], 100),
        np.tile([0.0, 1 / 3, 2 / 3], 100),
        np.concatenate([np.zeros(900), np.linspace(0, 1, 100)]),
        np.random.default_rng(1).beta(5, 5, 3000),
    ],
    ids=["locked", "halves", "thirds", "mostly locked", "bunched"],
)
def test_against_the_mean_error_itself(place):
    assert coherence(place) == pytest.approx(simulated(place), abs=0.04)


def test_random_places_average_out():
    assert coherence(np.random.default_rng(2).random(100_000)) < 0.01


def test_too_few_edges_prove_nothing():
    assert PhaseTally().coherence() == 1.0
    assert coherence([0.3]) == 1.0


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50),
    st.floats(0, 1),
    st.integers(1, 49),
)
def test_a_constant_and_the_order_do_not_matter(values, constant, cut):
    tally = PhaseTally()
    tally.add(np.array(values[cut:]))
    tally.add(np.array(values[:cut]))
    assert tally.n == len(values)
    assert tally.coherence() == pytest.approx(coherence(values))
    assert 0 <= tally.coherence() <= 1


@pytest.mark.parametrize(("error", "expected"), [(0.0, 0.5), (40e-6, 0.0)])
def test_places_of_a_train(error, expected):
    """16 MHz ticks at 24 MHz: whole and half samples if the clocks are locked, else anywhere."""
    rng = np.random.default_rng(4)
    ticks = np.cumsum(rng.integers(3200, 28_800, 5000))
    sample = np.ceil(ticks * 1.5 * (1 + error) + 0.21).astype(np.int64)
    sample[17] += 30  # one that came late
    assert coherence(places(sample, ticks)) == pytest.approx(expected, abs=0.05)


def test_places_of_almost_nothing():
    assert places(np.array([5, 9]), np.array([1, 2])).tolist() == [0, 0]
    assert places(np.array([5, 9, 11]), np.array([1, 1, 1])).tolist() == [0, 0, 0]


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_edges_at_one_place_do_not_average_out_however_few(n: int) -> None:
    assert coherence(np.full(n, 17.3)) == pytest.approx(1.0)
