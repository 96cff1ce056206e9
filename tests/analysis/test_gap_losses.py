# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a gap, and of whose latency."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.pairing.gap_losses import TOLD_MAX, EventsAcrossGaps, gap_losses
from rig.analysis.pairing.pairing import Events
from rig.analysis.train.continuity import Gap

RATE_HZ = 24_000_000


def events(first: int, pairs: list[tuple[int, int]]) -> Events:
    stimulus, response = np.array(pairs, np.int64).reshape(-1, 2).T
    none, kind = np.empty(0, np.int64), np.zeros(len(pairs), np.uint8)
    return Events(first, stimulus, response, response, kind, none, none.astype(np.uint8))


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (
            Gap(1_000_000, 1_050_000, 24_013, 3, 0),
            "about 24,013 samples (1.0005 ms), +-3, are missing between samples 1,000,000 "
            "and 1,050,000",
        ),
        (
            Gap(10, 90, 2_400, 4, 1),
            "about 2,400 samples (0.1000 ms), +-4, are missing between samples 10 and 90, "
            "and 1 stimulus sent cannot be seen",
        ),
        (
            Gap(10, 90, -24, 4, 0),
            "about 24 samples (0.0010 ms) too many between samples 10 and 90: repeated, or the "
            "stimulus stood still",
        ),
        (
            Gap(10, 90, None, 0, 2),
            "2 stimuli sent cannot be seen between samples 10 and 90: samples are missing, or the "
            "wire was off",
        ),
        (
            Gap(10, 90, None, 0, 0),
            "the stimulus edges between samples 10 and 90 do not follow the planned train",
        ),
        (
            Gap(0, 90, 48_000, 0, 2, placed=False),
            "2 stimuli sent cannot be seen: about 48,000 samples (2.0000 ms), whole periods of the "
            "train, are missing somewhere between samples 0 and 90, or the wire was off",
        ),
    ],
)
def test_texts(gap, text):
    assert gap_losses([gap], EventsAcrossGaps([gap]), RATE_HZ) == [
        ("sequence gap", gap.first_sample, text)
    ]


def test_straddlers_are_those_that_overlap_a_gap():
    gaps = [Gap(1_000, 2_000, 50, 3, 0), Gap(0, 9_999, 9, 0, 1, placed=False)]
    gaps.append(Gap(5_000, 6_000, 50, 3, 0))
    straddlers = EventsAcrossGaps(gaps)
    first = events(0, [(900, 950), (950, 1_000), (990, 1_001), (1_000, -1), (1_000, 1_100)])
    assert straddlers.find(first).tolist() == [False, False, True, False, True]
    second = events(5, [(2_000, 2_010), (1_999, 5_001), (4_000, 7_000), (6_000, 6_001)])
    assert straddlers.find(second).tolist() == [False, True, True, False]
    assert [straddlers.text(gap) for gap in gaps] == [
        "; the latency of events 2, 4, 6 may be too short by as much",
        "",
        "; the latency of events 6, 7 may be too short by as much",
    ]


def test_many_are_counted():
    gap = Gap(0, 10_000, 5, 1, 0)
    straddlers = EventsAcrossGaps([gap])
    straddlers.find(events(0, [(100, 200)] * 9))
    assert straddlers.text(gap).startswith("; the latency of events 0, 1, 2, 3, 4 and 4 more may")
    gaps = [Gap(n, n + 1, 5, 1, 0) for n in range(TOLD_MAX + 7)]
    told = gap_losses(gaps, EventsAcrossGaps(gaps), RATE_HZ)
    assert len(told) == TOLD_MAX + 1
    assert told[-1] == ("sequence gap", TOLD_MAX, "7 more gaps from here on")
