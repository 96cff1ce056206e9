# SPDX-License-Identifier: GPL-3.0-or-later
"""Each step's values lie within their uncertainty in 95 of 100 whole virtual benches."""

from __future__ import annotations

import pytest

from tests.calibration.coverage import GROUPS, count

SEEDS = 100


@pytest.mark.truth
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("group", list(GROUPS))
def test_values_are_within_their_uncertainty(group):
    counts = count(group, range(SEEDS))
    assert all(each.values >= SEEDS for each in counts.values())
    short = {name: each.misses for name, each in counts.items() if each.of_100 < 95}
    assert short == {}


@pytest.mark.parametrize("group", ["fan-out", "loopback", "line"])
def test_one_bench_of_each_kind(group):
    counts = count(group, [3])
    assert [name for name, each in counts.items() if each.misses] == []
