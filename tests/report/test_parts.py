# SPDX-License-Identifier: GPL-3.0-or-later
"""Each part of a measurement has its values over time, as histogram and as share above x."""

from __future__ import annotations

import re

import pytest

from rig.report.page import page
from rig.session.results import read
from tests.golden.runs import unpacked

A_PART_BYTES = 120_000


@pytest.mark.parametrize("name", ["preemption", "start-finish", "smi", "period", "interrupt-self"])
def test_every_part_is_drawn(name, tmp_path):
    result = read(unpacked(name, tmp_path))
    text = page(result)
    primary, *others = result.evaluation.measurands
    titles = re.findall(r"<title>(.*?)</title>", text)
    inside = not any("over the run, outliers marked" in title for title in titles)
    drawn = others if not inside else [primary, *others]
    assert sum(bool(re.match("Every .* over the run$", each)) for each in titles) == len(drawn)
    for each in (primary, *others):
        n, worst_us = each.histogram.n, each.statistics.max_ns / 1e3
        assert f"Histogram of {n:,} values, observed maximum {worst_us:.3f} µs" in titles
    assert sum("values above each" in each for each in titles) == 1 + len(others)
    assert len(text) < (2 + len(others)) * A_PART_BYTES + 250_000
    ids = re.findall(r' id="(.*?)"', text)
    assert len(ids) == len(set(ids))
