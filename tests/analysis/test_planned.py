# SPDX-License-Identifier: GPL-3.0-or-later
"""Planned edges, read in stretches of any size, are the running sum of the train's intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.train.planned import PlannedEdges
from rig.stimulus.train import Pattern, Train
from tests.analysis.stimulus_line import train_of

COUNT = 20_000


class CountingTrain:
    """A train that counts how often it is asked for intervals."""

    def __init__(self, train: Train) -> None:
        self.count, self.delay_ticks = train.count, train.delay_ticks
        self.asked = 0
        self._train = train

    def intervals(self, first: int, stop: int) -> np.ndarray:
        self.asked += 1
        return self._train.intervals(first, stop)


@given(st.lists(st.tuples(st.integers(0, 6_000), st.integers(0, 9_000)), max_size=8))
def test_any_windows_going_forward(windows: list[tuple[int, int]]) -> None:
    train = train_of(Pattern.UNIFORM, COUNT, 1)
    steps = train.intervals(0, COUNT - 1)
    want = train.delay_ticks + np.concatenate([[0], np.cumsum(steps)])
    plan, first = PlannedEdges(train), 0
    for ahead, length in windows:
        first += ahead
        np.testing.assert_array_equal(plan.ticks(first, first + length), want[first:][:length])
        plan.forget(first)


def test_edges_asked_for_one_by_one_are_computed_by_the_stretch() -> None:
    train = CountingTrain(train_of(Pattern.UNIFORM, COUNT, 2))
    plan = PlannedEdges(train)  # type: ignore[arg-type]
    for number in range(COUNT):
        assert len(plan.ticks(number, number + 1)) == 1
    assert train.asked <= COUNT // 4_000


def test_what_was_forgotten_is_refused_and_its_memory_is_free() -> None:
    plan = PlannedEdges(train_of(Pattern.UNIFORM, COUNT, 3), count=10_000)
    assert len(plan.ticks(0, COUNT)) == 10_000
    plan.forget(8_000)
    assert len(plan.ticks(8_000, COUNT)) == 2_000
    with pytest.raises(ValueError, match="edge 7999 was forgotten, the window begins at 8000"):
        plan.ticks(7_999, 8_001)
