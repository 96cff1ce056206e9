# SPDX-License-Identifier: GPL-3.0-or-later
"""The log-linear histogram against plain arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.capture.native import flow as native
from rig.streaming.histogram import (
    BINS,
    Extreme,
    LogHistogram,
    bin_of,
    bin_starts,
    empty_histogram,
)

values = st.one_of(
    st.integers(0, 600),
    st.integers(0, 2**63 - 1),
    st.tuples(st.integers(0, 62), st.integers(-2, 2)).map(lambda p: max(0, (1 << p[0]) + p[1])),
)


def plain(value: int) -> int:
    """The bin of a value, by the words of the module."""
    if value < 256:
        return value
    octave = value.bit_length() - 1
    return 256 + 128 * (octave - 8) + (value - 2**octave) * 128 // 2**octave


def histogram_of(latencies: list[int]) -> LogHistogram:
    counts = np.bincount(bin_of(np.array(latencies, np.int64)), minlength=BINS).astype(np.uint64)
    if not latencies:
        return empty_histogram()
    extremes = [Extreme(latency, i, 1000 * i) for i, latency in enumerate(latencies)]
    return LogHistogram(
        counts,
        sum(latencies),
        max(extremes, key=lambda e: e.latency_samples),
        min(extremes, key=lambda e: e.latency_samples),
    )


@given(st.lists(values, max_size=50))
def test_bins_are_those_that_the_words_say(latencies: list[int]) -> None:
    assert bin_of(np.array(latencies, np.int64)).tolist() == [plain(value) for value in latencies]


def test_bins_follow_each_other_and_are_narrow() -> None:
    starts = bin_starts().tolist()
    assert len(starts) == BINS == native.BINS
    assert BINS * 8 <= 64 * 1024
    assert starts[:257] == list(range(257))
    ends = [*starts[1:], 1 << 63]
    assert all(end > start for start, end in zip(starts, ends, strict=True))
    assert all(
        128 * (end - start) <= max(start, 128) for start, end in zip(starts, ends, strict=True)
    )
    last = [end - 1 for end in ends]
    assert bin_of(np.array(starts)).tolist() == list(range(BINS))
    assert bin_of(np.array(last)).tolist() == list(range(BINS))


@given(st.lists(st.lists(values, max_size=20), max_size=5))
def test_runs_add_up(runs: list[list[int]]) -> None:
    together = sum(map(histogram_of, runs), empty_histogram())
    everything = [latency for run in runs for latency in run]
    whole = histogram_of(everything)
    assert together.counts.tolist() == whole.counts.tolist()
    assert (together.n, together.total) == (len(everything), sum(everything))
    if everything:
        assert together.maximum is not None
        assert together.minimum is not None
        assert together.maximum.latency_samples == max(everything)
        assert together.minimum.latency_samples == min(everything)
        first = next(i for i, run in enumerate(runs) if max(everything) in run)
        assert together.maximum.event == runs[first].index(max(everything))


@given(st.lists(values, min_size=1, max_size=50))
def test_ranks_lie_within_their_bounds(latencies: list[int]) -> None:
    histogram = histogram_of(latencies)
    for rank, value in enumerate(sorted(latencies)):
        low, high = histogram.bounds(rank)
        assert low <= value <= high
        assert (high - low) * 128 <= max(low, 128)
    assert histogram.bounds(0)[0] == min(latencies)
    assert histogram.bounds(len(latencies) - 1)[1] == max(latencies)


def test_no_rank_beyond_the_last() -> None:
    with pytest.raises(IndexError, match="rank 0 of 0"):
        empty_histogram().bounds(0)
    with pytest.raises(IndexError, match="rank 2 of 2"):
        histogram_of([1, 2]).bounds(2)
