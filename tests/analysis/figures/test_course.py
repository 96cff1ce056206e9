# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of values over time: no value is lost from it, however many there are."""

from __future__ import annotations

import contextlib
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.statistics.course import COLUMNS, ROWS, STRETCHES, TimeCourse, scatter
from rig.analysis.statistics.sequence import STRETCH_EVENTS, EventSequence
from rig.plots.course import course_svg

VALUES = st.lists(
    st.tuples(st.integers(-(2**40), 2**40), st.integers(0, 2**30)), min_size=1, max_size=300
)


@given(VALUES, st.integers(1, 100), st.integers(-(2**40), 2**40))
def test_each_stretch_has_its_extremes_and_its_sum(pairs, size, origin):
    values = np.array([value for value, _ in pairs])
    times = origin + np.cumsum([step for _, step in pairs])
    course = TimeCourse()
    for first in range(0, len(pairs), size):
        course.add(values[first : first + size], times[first : first + size])
    place = (times - times[0]) >> course.doublings
    assert place[-1] < STRETCHES
    assert course.used == place[-1] + 1
    assert course.doublings == 0 or (times[-1] - times[0]) >> course.doublings - 1 >= STRETCHES
    for at in range(STRETCHES):
        mine = values[place == at]
        assert course.count[at] == len(mine)
        assert course.total[at] == pytest.approx(mine.sum())
        if len(mine):
            assert (course.least[at], course.largest[at]) == (mine.min(), mine.max())


def test_times_of_a_damaged_log_do_no_harm():
    course = TimeCourse()
    course.add(np.array([1, 2, 3, 4]), np.array([100, -(2**63), 2**63 - 1, 50]))
    assert course.count.sum() == 4
    assert course.doublings <= 62


@given(VALUES)
def test_every_value_is_in_its_cell(pairs):
    values = np.array([value for value, _ in pairs])
    times = np.cumsum([step for _, step in pairs])
    found = scatter(values, times)
    assert found.cells.shape == (ROWS, COLUMNS)
    assert found.cells.sum() == found.n == len(pairs)
    rows, _ = np.nonzero(found.cells)
    assert (found.low, found.high) == (values.min(), values.max())
    if found.high > found.low:
        assert {0, ROWS - 1} <= set(rows.tolist())
    assert (found.first, found.last) == (times[0], times[-1])


@given(VALUES)
def test_what_is_stored_comes_back_and_draws_the_same(pairs):
    values = np.array([value for value, _ in pairs])
    sequence = EventSequence()
    sequence.add(values, np.cumsum([step for _, step in pairs]))
    course = sequence.drawn(24_000_000)
    back = TimeCourse.of(course.stored)
    assert back.stored.tolist() == course.stored.tolist()
    assert course_svg("c", back, 1.0, quantity="x") == course_svg("c", course, 1.0, quantity="x")


@given(st.data())
def test_other_numbers_are_refused_or_drawn(data):
    """Numbers of a foreign file may be any."""
    sequence = EventSequence()
    sequence.add(np.array([5, 9, 7]), np.array([0, 40, 3000]))
    numbers = sequence.drawn(1000).stored
    place = data.draw(st.integers(0, len(numbers) - 1))
    numbers[place] = data.draw(st.sampled_from([-(2**63), -1, 0, 1, 511, 512, 2**62, 2**63 - 1]))
    numbers = numbers[: data.draw(st.integers(0, len(numbers)))]
    with contextlib.suppress(ValueError):
        svg = course_svg("c", TimeCourse.of(numbers), 1.0, quantity="x")
        assert "nan" not in svg


def drawn(n, worst_at):
    """A sequence of n values every 2 ms with one that is far off."""
    values = np.random.default_rng(1).integers(2000, 3000, n)
    values[worst_at] = 25_000
    sequence = EventSequence(full_events=2 * STRETCH_EVENTS)
    sequence.add(values, np.arange(n) * 2_000_000)
    return course_svg("course", sequence.drawn(10**9), 1.0, quantity="wait")


@pytest.mark.parametrize("n", [1, 300, 5000, 200_000])
def test_the_largest_value_is_drawn_where_it_was_and_the_plot_stays_small(n):
    worst_at = n * 3 // 4
    svg = drawn(n, worst_at)
    assert "25.000 µs" in svg
    assert len(svg) < 80_000
    assert "nan" not in svg
    assert "inf" not in svg
    (x,) = re.findall(r'<circle cx="([\d.]+)"', svg)
    share = (float(x) - 80) / (1000 - 80 - 12)
    if n > 1:
        assert share == pytest.approx(worst_at / (n - 1), abs=0.01)


def test_nothing_is_drawn_of_nothing():
    sequence = EventSequence()
    assert course_svg("course", sequence.drawn(10**9), 1.0, quantity="wait") == ""
