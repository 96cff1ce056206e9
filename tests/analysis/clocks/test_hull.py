# SPDX-License-Identifier: GPL-3.0-or-later
"""Hulls of many groups against the definition, chord by chord."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.clocks.hull import Chains, exact_hull, joined, paired, upper_hulls

small = st.tuples(st.integers(1, 5), st.integers(-20, 20))
huge = st.tuples(st.integers(1, 10**12), st.integers(-(10**13), 10**13))


def chain(steps):
    x = np.cumsum([dx for dx, _ in steps])
    y = np.array([y for _, y in steps])
    return Chains(x, y, np.arange(len(x)) + 100, np.array([0, len(x)]))


def by_definition(x, y):
    """Points strictly above every chord that passes over them."""
    n = len(x)
    x, y = x.tolist(), y.tolist()

    def over(i, a, b):
        return (y[i] - y[a]) * (x[b] - x[a]) <= (y[b] - y[a]) * (x[i] - x[a])

    return [
        i for i in range(n) if not any(over(i, a, b) for a in range(i) for b in range(i + 1, n))
    ]


@given(st.one_of(st.lists(small, min_size=1, max_size=25), st.lists(huge, min_size=1, max_size=12)))
def test_one_group(steps):
    whole = chain(steps)
    want = by_definition(whole.x, whole.y)
    for passes in (None, 2):
        reduced = upper_hulls(whole, passes)
        x, y, event = exact_hull(reduced)
        assert [number - 100 for number in event] == want
        assert (x, y) == (whole.x[want].tolist(), whole.y[want].tolist())


@given(st.lists(st.lists(small, min_size=1, max_size=20), min_size=1, max_size=7))
def test_groups_do_not_touch_each_other(groups):
    chains = [chain(steps) for steps in groups]
    together = upper_hulls(joined(chains))
    assert len(together) == len(groups)
    for number, alone in enumerate(chains):
        first, stop = together.starts[number : number + 2]
        assert together.x[first:stop].tolist() == upper_hulls(alone).x.tolist()


@pytest.mark.parametrize("groups", [1, 2, 5, 8])
def test_pairs_are_the_hulls_of_both(groups):
    rng = np.random.default_rng(groups)
    x = np.cumsum(rng.integers(1, 9, 40 * groups))
    y = rng.integers(-99, 99, len(x))
    starts = np.arange(0, len(x) + 1, 40)
    got = paired(upper_hulls(Chains(x, y, x, starts)))
    want = upper_hulls(Chains(x, y, x, np.append(starts[:-1:2], len(x))))
    assert got.x.tolist() == want.x.tolist()
    assert got.starts.tolist() == want.starts.tolist()


def test_points_on_one_line_leave_its_ends():
    x = np.arange(1000) * 10**9
    whole = Chains(x, 41 * x + 7, x, np.array([0, 1000]))
    assert exact_hull(upper_hulls(whole))[0] == [0, 999 * 10**9]
