# SPDX-License-Identifier: GPL-3.0-or-later
"""All figures in one call: consistent with each other, and there for every number of values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.statistics.average import average_interval
from rig.analysis.statistics.exceedance import unseen_probability
from rig.analysis.statistics.summary import summarize
from tests.analysis.figures.drawn import (
    RATE_HZ,
    autoregressive,
    histogram_of,
    sequence_of,
    whole,
)


def summary(values, **sizes):
    return summarize(histogram_of(values), sequence_of(values, **sizes), RATE_HZ, 1e-4)


@given(st.lists(st.integers(-5, 10**6), min_size=1, max_size=60))
def test_any_few_values(values):
    figures = summary(np.array(values))
    assert figures.maximum.value == max(values)
    assert figures.median.low is None or figures.median.low <= np.median(values)
    assert figures.tail.refused.startswith("events: ")
    if figures.average is not None:
        assert float(np.mean(values)) in figures.average.interval


def test_independent_values():
    values = whole(np.random.default_rng(1).exponential(size=5000))
    figures = summary(values)
    assert figures.exact
    known = values.std(ddof=1) / np.sqrt(5000)
    half = (figures.average.interval.high - figures.average.interval.low) / 2
    assert half == pytest.approx(1.96 * known, rel=0.05)
    assert figures.autocorrelation.p_value > 0.01
    assert figures.changes == ()
    assert [row.percent for row in figures.percentiles] == ["90", "95", "99", "99.9"]
    # 5 values lie above the highest percentile: two of them near each other look like dependence.
    bound = figures.maximum.exceedance_probability_bound
    assert bound == pytest.approx(unseen_probability(5000), rel=0.2)
    assert "regular" in figures.tick.refused


def test_dependence_widens_every_interval():
    rng = np.random.default_rng(2)
    alone, together = (summary(whole(autoregressive(rng, 20_000, c))) for c in (0.0, 0.8))
    assert together.autocorrelation.time_events == pytest.approx(9, rel=0.25)

    def widening(get):
        one, other = get(alone), get(together)
        return (other.high - other.low) / (one.high - one.low)

    assert widening(lambda f: f.average.interval) == pytest.approx(3, rel=0.2)
    assert widening(lambda f: f.median) > 2
    assert widening(lambda f: f.percentiles[0].interval) > 1.5
    bounds = [each.maximum.exceedance_probability_bound for each in (alone, together)]
    assert bounds[1] > 1.5 * bounds[0]


def test_blocks_say_what_all_values_say():
    """Blocks of 64 or 128 events, dependent over more than that."""
    values = whole(autoregressive(np.random.default_rng(3), 100_000, 0.99))
    known = values.mean(), values.std(ddof=1)
    whole_run = average_interval(sequence_of(values), *known)
    blocks = average_interval(sequence_of(values, full_events=1 << 14, blocks=1 << 10), *known)
    assert blocks.effective_n == pytest.approx(whole_run.effective_n, rel=0.25)
    figures = summary(values, full_events=1 << 14, blocks=1 << 10)
    assert not figures.exact


def test_nothing_measured():
    assert summary(np.empty(0, np.int64)) is None


def test_halves_of_different_runs_are_refused():
    with pytest.raises(ValueError, match="5 values in the histogram, 6 in the sequence"):
        summarize(histogram_of(np.arange(5)), sequence_of(np.arange(6)), RATE_HZ)
