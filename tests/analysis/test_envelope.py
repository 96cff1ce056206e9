# SPDX-License-Identifier: GPL-3.0-or-later
"""The line below all points: against a solver of linear programs, and what must always hold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from rig.analysis.clocks.lower_envelope import EarliestLine, LowerEnvelope

Points = list[tuple[int, int]]


def points(steps: st.SearchStrategy[int], least: int = 1, most: int = 300):
    rows = st.lists(st.tuples(steps, st.integers(-1000, 1000)), min_size=least, max_size=most)
    return rows.map(
        lambda r: list(zip(np.cumsum([s for s, _ in r]).tolist(), [y for _, y in r], strict=True))
    )


def filled(envelope, rows: Points, cuts: list[int] | None = None):
    x, y = np.array(rows, np.int64).T
    borders = [0, *sorted(c % (len(rows) + 1) for c in cuts or ()), len(rows)]
    for first, stop in pairwise(borders):
        envelope.add(x[first:stop], y[first:stop])
    return envelope


@given(points(st.integers(1, 9), least=2))
def test_it_is_the_best_line_that_no_point_is_below(rows: Points) -> None:
    """The solver maximizes the mean height of a line that stays below the points."""
    x, y = np.array(rows, float).T
    constraints = np.column_stack([np.ones(len(x)), x])
    best = linprog([-1.0, -x.mean()], A_ub=constraints, b_ub=y, bounds=(None, None))
    line = filled(LowerEnvelope(), rows).line()
    assert line is not None
    height = line.y + (x.mean() - line.x) * line.slope
    assert height == pytest.approx(-best.fun, abs=1e-6)
    assert all((b - line.y) * line.run >= line.rise * (a - line.x) for a, b in rows)


@given(st.integers(0, 2**32), st.integers(65, 300))
def test_products_of_more_than_64_bits_are_exact(seed: int, n: int) -> None:
    """Also where the first points are close together."""
    chance = np.random.default_rng(seed)
    x = np.concatenate([[0, 1], np.cumsum(chance.integers(2**30, 2**40, n))])
    y = chance.integers(-(2**40), 2**40, n + 2)
    rows = list(zip(x.tolist(), y.tolist(), strict=True))
    envelope = filled(LowerEnvelope(), rows)
    for (ax, ay), (bx, by) in pairwise(envelope.vertices):
        assert all((cy - ay) * (bx - ax) >= (by - ay) * (cx - ax) for cx, cy in rows)
    assert (envelope.vertices[0][0], envelope.vertices[-1][0]) == (0, rows[-1][0])


@given(points(st.integers(1, 9)), st.lists(st.integers(0, 1000), max_size=4))
def test_how_the_stream_is_cut_does_not_matter(rows: Points, cuts: list[int]) -> None:
    for kind in (LowerEnvelope, EarliestLine):
        assert filled(kind(), rows, cuts).line() == filled(kind(), rows).line()


@given(st.integers(0, 2**32), st.integers(144, 400), st.integers(1, 10**6))
def test_the_earliest_line_touches_from_below(seed: int, n: int, scale: int) -> None:
    y = np.random.default_rng(seed).integers(-scale, scale, n)
    rows = list(enumerate(y.tolist()))
    line = filled(EarliestLine(), rows).line()
    assert line is not None
    above = [(b - line.y) * line.run - line.rise * (a - line.x) for a, b in rows]
    assert min(above) == 0


def test_few_early_points_do_not_tilt_it() -> None:
    """A thousandth of the points lie far below the others: the hull follows them."""
    rng = np.random.default_rng(1)
    x = np.arange(3000)
    y = rng.integers(0, 20, 3000) - 3 * x
    y[[100, 1700, 2900]] -= (200, 5000, 700)
    rows = list(zip(x.tolist(), y.tolist(), strict=True))
    assert abs(filled(LowerEnvelope(), rows).line().slope + 3) > 1
    robust = filled(EarliestLine(), rows).line()
    assert robust.slope == pytest.approx(-3, abs=0.01)
    assert robust.y == y[1700]


def test_its_uncertainty_is_that_of_its_slope() -> None:
    """Over 300 streams of one-sided noise the error is what the uncertainty says, in the mean."""
    errors, told = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        x = np.arange(450)
        y = np.rint(rng.gamma(3, 1000, len(x))).astype(np.int64) + 7 * x
        envelope = EarliestLine()
        envelope.add(x, y)
        line = envelope.line()
        errors.append(line.slope - 7)
        told.append(line.slope_uncertainty)
    ratio = np.std(errors) / np.sqrt(np.mean(np.square(told)))
    assert 0.75 < ratio < 1.25


def test_numbers_too_large_for_products_are_exact() -> None:
    rows = [(i << 40, (i - 50) ** 2 << 40) for i in range(101)]
    assert filled(LowerEnvelope(), rows).vertices == rows


def test_nothing_and_one_point() -> None:
    assert LowerEnvelope().line() is None
    assert EarliestLine().line() is None
    line = filled(EarliestLine(), [(5, 8)]).line()
    assert (line.x, line.y, line.slope, line.slope_uncertainty) == (5, 8, 0.0, None)
