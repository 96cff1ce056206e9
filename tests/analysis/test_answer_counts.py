# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers counted against stimuli, in pieces of any size."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.pairing.deficits import AnswerCounter


@pytest.mark.parametrize("counted", [True, False])
@given(
    steps=st.lists(st.tuples(st.integers(1, 50), st.sampled_from("SSRR")), max_size=60),
    moves=st.lists(st.integers(0, 2), min_size=60, max_size=60),
    cuts=st.lists(st.integers(0, 3000), max_size=5),
)
def test_how_the_stream_is_cut_does_not_matter(
    counted: bool, steps: list[tuple[int, str]], moves: list[int], cuts: list[int]
) -> None:
    at = np.cumsum([step for step, _ in steps]).astype(np.int64)
    kind = np.array([kind for _, kind in steps], dtype="<U1")
    stimulus, response = at[kind == "S"], at[kind == "R"]
    handled = np.cumsum(moves[: len(response)]).astype(np.int64) if counted else None
    whole = AnswerCounter()
    expected = whole.feed(stimulus, response, handled)
    pieces, got = AnswerCounter(), []
    for low, high in pairwise([-1, *sorted(cuts), 1 << 40]):
        mine = (low <= response) & (response < high)
        part = None if handled is None else handled[mine]
        got.append(
            pieces.feed(stimulus[(low <= stimulus) & (stimulus < high)], response[mine], part)
        )
    for name in ("before", "count", "repeated", "surplus"):
        joined = np.concatenate([getattr(part, name) for part in got])
        assert joined.tolist() == getattr(expected, name).tolist()
    assert (pieces.last, pieces.unhandled(7)) == (whole.last, whole.unhandled(7))


def test_without_counts_each_answer_is_one_interrupt() -> None:
    counter = AnswerCounter()
    first = counter.feed(np.array([10, 20]), np.array([12, 22]), None)
    more = counter.feed(np.array([30]), np.array([32, 33]), None)
    assert first.count.tolist() + more.count.tolist() == [1, 2, 3, 3]
    assert more.before.tolist() == [3, 3]
    assert more.surplus.tolist() == [False, True]  # two answers to one stimulus
    assert counter.last == 4
