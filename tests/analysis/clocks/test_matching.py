# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges and records of which some are missing: each is named, and all others stay together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.analysis.clocks.bracket_test import bracket_test
from rig.analysis.clocks.brackets import Rates
from rig.analysis.clocks.matching import match
from tests.analysis.clocks.simulated import simulate

N = 3000
TRUTH = simulate(21, N, drift_ppm_per_s=0.1)


def matched(lost_edges=(), lost_records=(), truth=TRUTH):
    whole = truth.brackets
    sample = np.delete(whole.sample, lost_edges)
    before = np.delete(whole.before_ticks, lost_records)
    after = np.delete(whole.after_ticks, lost_records)
    got = match(sample, before, after, truth.rates)
    edges = np.delete(np.arange(len(whole)), lost_edges)[got.edge]
    records = np.delete(np.arange(len(whole)), lost_records)[got.record]
    return got, edges, records, got.brackets(sample, before, after)


def test_nothing_missing():
    got, edges, records, _ = matched()
    assert (got.findings, got.complete) == ((), True)
    assert edges.tolist() == records.tolist() == list(range(N))


@pytest.mark.parametrize("number", [0, 1, 5, 1500, N - 2, N - 1])
def test_one_record_missing_is_one_finding_and_no_violation(number):
    got, edges, records, brackets = matched(lost_records=[number])
    assert got.findings == (f"record {number:,} is missing: edge {number:,} has none",)
    assert edges.tolist() == records.tolist() == [i for i in range(N) if i != number]
    assert bracket_test(brackets, TRUTH.rates).holds


@pytest.mark.parametrize("number", [0, 1, 5, 1500, N - 2, N - 1])
def test_one_edge_missing(number):
    got, edges, records, brackets = matched(lost_edges=[number])
    assert got.findings == (f"edge {number:,} is missing: record {number:,} has none",)
    assert edges.tolist() == records.tolist()
    assert bracket_test(brackets, TRUTH.rates).holds


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(3, 40), min_size=1, max_size=20), st.data())
def test_many_missing_on_either_side(places, data):
    """Up to three in a row, apart from each other by more than a look ahead."""
    edges, records = [], []
    for place in np.unique(places).tolist():
        run = list(range(place * 70, place * 70 + data.draw(st.integers(1, 3))))
        (edges if data.draw(st.booleans()) else records).extend(run)
    got, kept_edges, kept_records, _ = matched(edges, records)
    lost = sorted(edges + records)
    assert kept_edges.tolist() == kept_records.tolist() == [i for i in range(N) if i not in lost]
    assert sum(p.missing_edges for p in got.partings) == len(edges)
    assert sum(p.missing_records for p in got.partings) == len(records)


def test_a_false_record_and_a_jump_stay_matched():
    whole = TRUTH.brackets
    before, after = whole.before_ticks.copy(), whole.after_ticks.copy()
    for ticks in (before, after):
        ticks[700] += 400_000
        ticks[2000:] += 300_000
    got = match(whole.sample, before, after, TRUTH.rates)
    assert got.findings == ()
    assert len(got.edge) == N


@pytest.mark.parametrize("behind", [3, 9, 15])
def test_samples_missing_among_the_first_of_even_periods_shift_nothing(behind):
    """Where levels differ on both sides of the hole there is an edge that is none, too."""
    ticks = np.arange(200) * 10_000_000 + np.random.default_rng(1).integers(0, 3000, 200)
    sample = ticks * 24 // 1000
    sample[behind:] -= 150_000
    sample[behind] -= 40_000
    got = match(sample, ticks, ticks + 50, Rates(24_000_000, 1_000_000_000))
    assert got.findings == ()
    assert got.edge.tolist() == got.record.tolist() == list(range(200))


def test_periodic_events_with_jitter():
    truth = simulate(22, N)
    rng = np.random.default_rng(1)
    edge_ps = np.arange(1, N + 1) * 10**9 + rng.integers(0, 2_000_000, N)
    sample = np.ceil(edge_ps * 24e-6).astype(np.int64)
    before = edge_ps // 1000 - 30
    lost = np.delete(before, 1234)
    got = match(sample, lost, lost + 60, truth.rates)
    assert got.findings == ("record 1,234 is missing: edge 1,234 has none",)


def test_a_log_of_another_run_is_not_matched_by_force():
    other = simulate(23, N).brackets
    got = match(TRUTH.brackets.sample, other.before_ticks, other.after_ticks, TRUTH.rates)
    assert not got.complete
    assert "nothing in common" in got.findings[-1]
    assert len(got.edge) < N / 10


@pytest.mark.parametrize(("edges", "records"), [(0, 0), (0, 3), (3, 0), (1, 1), (2, 1)])
def test_next_to_nothing(edges, records):
    whole = TRUTH.brackets
    ticks = whole.before_ticks[:records]
    got = match(whole.sample[:edges], ticks, whole.after_ticks[:records], TRUTH.rates)
    assert len(got.edge) == min(edges, records)
    assert bool(got.findings) == (edges != records)
