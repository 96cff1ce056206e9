# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence of each class by either witness, against courses of events written by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.log.contingency import (
    PLACES_MAX,
    Accounts,
    ContingencyTally,
    CountMatcher,
    evidence,
)
from rig.analysis.model.events import Counts

NONE = np.empty(0, np.int64)


def tally(*handled):
    found = ContingencyTally()
    found.feed(np.array(handled, np.int64))
    return found


def rows(accounts, counts, log=None):
    return {row.name: row for row in evidence(accounts, counts, log)}


def test_a_clean_run_agrees_everywhere():
    accounts = Accounts(planned=4, sent=4, stimuli=4, responses=4, handled=4, captured=4)
    found = rows(accounts, Counts(4, 4, 0, 0, 0, 0, 0, 0), tally(1, 2, 3, 4))
    assert {row.agrees for row in found.values()} == {True, None}
    assert list(found) == [
        "planned", "sent", "seen", "answers", "answered", "late", "missed", "merged",
        "duplicate", "spurious", "glitch",
    ]  # fmt: skip
    assert "input capture 4" in found["answers"].text


def test_each_class_has_its_own_evidence():
    """10 stimuli: 3 missed (two in mid-run, one at the end), 1 merged, 1 answered twice."""
    log = tally(1, 2, 2, 4, 6, 7, 8)
    accounts = Accounts(planned=10, sent=10, stimuli=10, responses=7, handled=9)
    found = rows(accounts, Counts(10, 6, 0, 3, 1, 1, 0, 2), log)
    assert (found["missed"].external, found["missed"].internal) == (3, 3)
    assert "before record 3, 4" in found["missed"].text
    assert "1 counted behind the last record" in found["missed"].text
    assert (found["merged"].external, found["merged"].internal) == (1, 1)
    assert (found["duplicate"].external, found["duplicate"].internal) == (1, 1)
    assert "number 2" in found["duplicate"].text
    assert found["glitch"].external == 2
    assert all(row.agrees is not False for row in found.values())


def test_coalesced_interrupts_are_merged_not_missed():
    """6 stimuli; the handler saw all, but one answer serves three of them."""
    log = ContingencyTally()
    log.feed(np.array([1, 2, 5, 6]), np.array([False, False, True, False]))
    accounts = Accounts(planned=6, sent=6, stimuli=6, responses=4, handled=6)
    found = rows(accounts, Counts(6, 4, 0, 0, 2, 0, 0, 0), log)
    assert (found["seen"].external, found["seen"].internal) == (6, 6)
    assert (found["merged"].external, found["merged"].internal) == (2, 2)
    assert (found["missed"].internal, found["missed"].agrees) == (0, True)


def test_disagreement_shows():
    accounts = Accounts(planned=5, sent=5, stimuli=4, responses=4, handled=5)
    found = rows(accounts, Counts(4, 4, 0, 0, 0, 0, 0, 0), tally(1, 2, 3, 4, 5))
    assert [name for name, row in found.items() if row.agrees is False] == [
        "sent", "seen", "answers", "spurious",
    ]  # fmt: skip


def test_without_a_log_only_the_edges_speak():
    accounts = Accounts(None, None, 4, 4, None)
    found = rows(accounts, Counts(4, 4, 0, 0, 0, 0, 0, 0))
    assert {row.agrees for row in found.values()} == {None}


def test_records_that_found_the_log_full_are_counted():
    accounts = Accounts(4, 4, 4, 4, 4, log_dropped=2)
    row = rows(accounts, Counts(4, 4, 0, 0, 0, 0, 0, 0), tally(1, 2))["answers"]
    assert (row.internal, row.agrees) == (4, True)
    assert "2 of them found the log full" in row.text


@given(st.lists(st.integers(0, 40)), st.lists(st.integers(0, 300), max_size=5))
def test_a_log_in_pieces_is_the_same_log(steps, cuts):
    handled = np.cumsum(np.array(steps, np.int64))
    whole, pieces = tally(*handled), ContingencyTally()
    for piece in np.split(handled, sorted(min(c, len(handled)) for c in cuts)):
        pieces.feed(piece)
    assert (pieces.records, pieces.handled) == (whole.records, whole.handled)
    assert (pieces.skipped, pieces.repeated) == (whole.skipped, whole.repeated)
    # Each count up to the highest is a record's own or skipped.
    assert len({int(n) for n in handled} - {0}) + whole.skipped.count == max([0, *handled])


@given(
    st.lists(st.integers(1, 60), max_size=60),
    st.lists(st.integers(1, 60), max_size=60),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_matcher_against_multisets(edges, records, cuts):
    edges, records = np.sort(np.array(edges, np.int64)), np.sort(np.array(records, np.int64))
    matcher = CountMatcher()
    parts = [np.split(side, np.minimum(sorted(cuts), len(side))) for side in (edges, records)]
    for some_edges, some_records in zip(*parts, strict=True):
        matcher.feed(some_edges, some_records)
    matcher.finish()
    lonely_edges = Counter(edges.tolist()) - Counter(records.tolist())
    lonely_records = Counter(records.tolist()) - Counter(edges.tolist())
    assert matcher.edges_without_record.count == lonely_edges.total()
    assert matcher.records_without_edge.count == lonely_records.total()
    named = [int(edges[n]) for n in matcher.edges_without_record.first]
    assert not Counter(named) - lonely_edges


def test_matcher_names_what_has_no_partner():
    matcher = CountMatcher()
    matcher.feed(np.array([1, 2, 4]), np.array([1, 2]))
    matcher.feed(NONE, np.array([3, 3, 4]))
    matcher.finish()
    assert (matcher.records_without_edge.count, matcher.records_without_edge.first) == (2, [2, 3])
    assert matcher.edges_without_record.count == 0


def test_only_the_first_places_are_named():
    log = ContingencyTally()
    log.feed(np.arange(2, 100, 2))
    assert log.skipped.count == 49
    assert len(log.skipped.first) == PLACES_MAX
    assert log.skipped.text("x").endswith("4 ...")
