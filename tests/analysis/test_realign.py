# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the first edges of a capture belong on the plan."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.train.planned import PlannedEdges
from rig.analysis.train.relative_rate import RelativeRate
from rig.analysis.train.resync import TrainMatch, first_fit
from rig.stimulus.train import Pattern
from tests.analysis.stimulus_line import train_of

RATE_HZ, CLOCK_HZ = 24_000_000, 16_000_000


def found_of(edges: np.ndarray, pattern: str = Pattern.UNIFORM) -> TrainMatch | None:
    plan = PlannedEdges(train_of(pattern, 100, 3))
    return first_fit(edges, plan, RelativeRate(RATE_HZ, CLOCK_HZ))


def samples(first: int, stop: int, ppm: float = 0.0) -> np.ndarray:
    """Of these planned edges, by a clock that is off."""
    ticks = PlannedEdges(train_of(Pattern.UNIFORM, 100, 3)).ticks(first, stop)
    return np.rint(1000 + ticks * (RATE_HZ / CLOCK_HZ * (1 + ppm * 1e-6))).astype(np.int64)


@pytest.mark.parametrize("ppm", [-100_000.0, -5000.0, 0.0, 5000.0, 100_000.0])
@pytest.mark.parametrize(("first", "count"), [(0, 2), (0, 3), (0, 4), (0, 60), (7, 60)])
def test_edges_are_found_at_any_rate_of_a_resonator(first: int, count: int, ppm: float) -> None:
    fit = found_of(samples(first, first + count, ppm))
    assert fit is not None
    assert (fit.skipped, fit.planned) == (0, first)


def test_edges_before_the_train_are_skipped() -> None:
    edges = np.concatenate([[100, 500], samples(0, 40)])
    fit = found_of(edges)
    assert fit is not None
    assert (fit.skipped, fit.planned) == (2, 0)


def test_three_edges_of_other_distances_are_none_of_the_plan() -> None:
    """Each of the two intervals alone would fit it at some rate."""
    planned = np.diff(samples(0, 3))
    edges = np.cumsum([1000, planned[0], planned[1] * 115 // 100])
    assert found_of(edges) is None
