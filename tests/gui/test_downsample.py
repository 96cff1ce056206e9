# SPDX-License-Identifier: GPL-3.0-or-later
"""Curves of a few hundred points that still tell of every latency."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.plots.downsample import (
    bars,
    beyond,
    bulk,
    coarser,
    complementary,
    decimate,
    nice_above,
    one_two_five_around,
)
from rig.streaming.histogram import BINS, bin_of, bin_starts

latencies = st.lists(st.integers(1, 10**7), min_size=1, max_size=200).map(
    lambda values: np.array(sorted(values), np.int64)
)


def binned(values):
    return np.unique(bin_of(values), return_counts=True)


@given(latencies, st.integers(50, 700))
def test_every_latency_is_in_a_bar(values, bars_max):
    bins, counts = binned(values)
    edges, heights = bars(bins, counts, 0, float(values[-1]) + 1, bars_max)
    assert heights.sum() == len(values)
    assert len(heights) <= bars_max
    assert len(edges) == len(heights) + 1
    assert len(set(np.diff(edges).tolist())) == 1
    for value in values:
        bar = np.searchsorted(edges, bin_starts()[bin_of(np.array([value]))[0]], "right") - 1
        assert heights[min(bar, len(heights) - 1)] > 0


@given(latencies, st.integers(1, 10**7))
def test_what_a_zoom_hides_at_the_right_is_counted(values, high):
    bins, counts = binned(values)
    _, heights = bars(bins, counts, 0, float(high), 300)
    assert heights.sum() + beyond(bins, counts, float(high)) == len(values)


@given(latencies)
def test_share_above_is_exact_at_each_point(values):
    bins, counts = binned(values)
    x, share = complementary(bins, counts, int(values[-1]))
    assert x[-1] == values[-1]
    for at, told in zip(x[:-1].tolist(), share[:-1].tolist(), strict=True):
        assert told == pytest.approx((values > at).mean())
    assert share[-1] == pytest.approx(0.5 / len(values))


@given(latencies, st.floats(0.5, 0.9999))
def test_the_bulk_holds_its_share(values, share):
    bins, counts = binned(values)
    assert (values < bulk(bins, counts, share)).mean() >= share - 1e-12


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=300), st.integers(1, 100))
def test_fewer_bars_cover_the_same_stretch_up_to_the_same_heights(tops, bars_max):
    tops = np.array(tops)
    edges = np.arange(len(tops) + 1.0)
    few_edges, few = coarser(edges, tops, bars_max)
    assert len(few) <= bars_max
    assert (few_edges[0], few_edges[-1]) == (edges[0], edges[-1])
    for low, high, top in zip(few_edges[:-1], few_edges[1:], few, strict=True):
        assert top == tops[int(low) : int(high)].max()


def test_thinning_keeps_the_end_of_the_tail():
    x, y = np.arange(10_000.0), np.linspace(1, 0, 10_000)
    few_x, few_y = decimate(x, y, 300)
    assert len(few_x) <= 302
    assert (few_x[-1], few_y[-1]) == (x[-1], y[-1])


@given(st.floats(1e-3, 1e9))
def test_axes_end_at_round_numbers_beyond_what_they_show(value):
    top = nice_above(value)
    assert value * 0.9999 <= top <= value * 1.6
    low, high = one_two_five_around(value, value * 3)
    assert low <= value * 1.0001
    assert high >= value * 3 * 0.9999


def test_wide_bins_leave_no_gaps_between_bars():
    """Above 256 samples a bin is wider than a sample: bars of a sample's width would be a comb."""
    values = np.arange(600, 1000)
    _, heights = bars(*binned(values), 600, 1000, 700)
    assert heights.min() > 0
    assert len(heights) >= 90


def test_all_bins_at_once():
    bins = np.arange(1, BINS - 200)
    end = float(bin_starts()[BINS - 200])
    edges, heights = bars(bins, np.ones(len(bins), np.int64), 0, end, 400)
    assert heights.sum() == len(bins)
    assert len(edges) <= 401
