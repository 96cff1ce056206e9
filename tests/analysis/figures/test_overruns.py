# SPDX-License-Identifier: GPL-3.0-or-later
"""Overruns against a count by hand, however the events are cut in pieces."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from rig.analysis.statistics.overruns import OverrunCounter, Overruns


@given(st.lists(st.booleans(), max_size=80), st.lists(st.integers(0, 80), max_size=6))
@example([True] * 10, [3, 3, 7])
def test_against_a_count_by_hand(events, cuts):
    counter = OverrunCounter()
    for piece in np.split(np.array(events, bool), sorted(min(c, len(events)) for c in cuts)):
        counter.add(piece)
    runs, place = [(0, None)], 0
    for over, group in groupby(events):
        length = len(list(group))
        if over:
            runs.append((length, place))
        place += length
    longest, first = max(runs, key=lambda run: run[0])
    assert counter.result() == Overruns(len(events), sum(events), longest, first)
