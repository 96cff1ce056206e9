# SPDX-License-Identifier: GPL-3.0-or-later
"""However long a run: no maximum and no count leaves its timeline, and its size is bounded."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gui.engine.timeline import STRETCHES, LiveTimeline


@given(st.integers(1, 5 * STRETCHES), st.integers(0, 2**32 - 1))
def test_nothing_is_dropped(pieces, seed):
    random = np.random.default_rng(seed)
    ends = np.cumsum(random.integers(1, 1000, pieces))
    longest = random.integers(-1, 10**6, pieces)
    sums = random.integers(0, 3, (pieces, 4))
    timeline = LiveTimeline()
    for end, latency, more in zip(ends.tolist(), longest.tolist(), sums.tolist(), strict=True):
        timeline.add(end, latency, tuple(more))
    drawn = timeline.arrays()
    end = drawn["end_sample"]
    assert 0 < len(end) <= STRETCHES
    assert end[-1] == ends[-1]
    # What each stretch must say, computed from all pieces at once.
    owner = np.searchsorted(end, ends)
    for at in range(len(end)):
        mine = owner == at
        assert drawn["max_samples"][at] == longest[mine].max()
        for column, name in enumerate(("missed", "late", "merged", "lost")):
            assert drawn[name][at] == sums[mine, column].sum()
