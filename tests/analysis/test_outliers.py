# SPDX-License-Identifier: GPL-3.0-or-later
"""Outliers are the same however the events come in pieces, and as they are defined."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.model.events import EventClass
from rig.analysis.statistics.outliers import FIRST_MAX, Outlier, Outliers, stand_out

events = st.lists(
    st.tuples(st.integers(-1, 30), st.sampled_from([int(kind) for kind in EventClass])),
    max_size=40,
)


def columns(rows):
    """Samples of stimuli and responses, and classes; a latency of -1 is no answer."""
    stimulus = np.arange(len(rows), dtype=np.int64) * 100
    latency = np.array([row[0] for row in rows], np.int64)
    kind = np.array([row[1] for row in rows], np.int64)
    return stimulus, np.where(latency < 0, -1, stimulus + latency), kind


@given(events, st.one_of(st.none(), st.integers(0, 30)), st.integers(1, 7))
def test_outliers_are_those_defined_in_any_pieces(rows, limit, piece):
    stimulus, response, kind = columns(rows)
    found = Outliers(limit)
    for first in range(0, len(rows), piece):
        part = slice(first, first + piece)
        found.add(stimulus[part], response[part], kind[part])
    wanted = [
        Outlier(event, int(stimulus[event]), int(response[event]), row[1])
        for event, row in enumerate(rows)
        if row[1] != EventClass.ANSWERED or (limit is not None and row[0] > limit)
    ]
    assert found.first == wanted
    assert found.count == len(wanted) == np.count_nonzero(stand_out(*columns(rows), limit))
    longest = max((row[0] for row in rows), default=-1)
    if longest < 0:
        assert found.worst is None
    else:
        assert found.worst.event == [row[0] for row in rows].index(longest)


def test_of_very_many_only_the_number_is_kept():
    found = Outliers(None)
    count = FIRST_MAX + 5
    found.add(np.arange(count), np.full(count, -1), np.full(count, EventClass.MISSED))
    assert (found.count, len(found.first), found.worst) == (count, FIRST_MAX, None)
