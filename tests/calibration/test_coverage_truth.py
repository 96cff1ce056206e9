# SPDX-License-Identifier: GPL-3.0-or-later
"""Each step's values lie within their uncertainty in 95 of 100 whole virtual benches."""

from __future__ import annotations

import pytest
import scipy.stats

from tests.calibration.coverage import GROUPS, Count, count

SEEDS = 100


def contradicts_95_of_100(found: Count) -> bool:
    """Tell whether so many misses come by chance in less than 1 % of cases, were 95 % covered.

    k = 2 is meant to cover 95.4 %: of 200 values 5 % or more are then outside in a third of all
    series, so that a bound at 95 % itself would fail a right uncertainty that often.
    """
    return len(found.misses) > scipy.stats.binom.ppf(0.99, found.values, 0.05)


@pytest.mark.truth
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("group", list(GROUPS))
def test_values_are_within_their_uncertainty(group):
    counts = count(group, range(SEEDS))
    assert all(each.values >= SEEDS for each in counts.values())
    short = {name: each.misses for name, each in counts.items() if contradicts_95_of_100(each)}
    assert short == {}


@pytest.mark.parametrize("group", ["fan-out", "loopback", "line"])
def test_one_bench_of_each_kind(group):
    counts = count(group, [3])
    assert [name for name, each in counts.items() if each.misses] == []
