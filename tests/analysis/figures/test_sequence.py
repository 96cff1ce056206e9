# SPDX-License-Identifier: GPL-3.0-or-later
"""Bounded memory: what is kept is true of all values, however they came."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.statistics.sequence import STRETCH_EVENTS, EventSequence, made_once

SMALL = {"full_events": 4 * STRETCH_EVENTS, "blocks": 64}


def fed(values, cuts=(), **sizes):
    sequence = EventSequence(**sizes)
    for piece in np.split(np.arange(len(values)), sorted(cuts)):
        sequence.add(values[piece], piece * 10)
    return sequence


@given(st.integers(0, 60_000), st.lists(st.integers(0, 60_000), max_size=5))
def test_pieces_do_not_matter(n, cuts):
    values = np.random.default_rng(n).integers(0, 10**6, n)
    whole, pieces = fed(values, **SMALL), fed(values, [min(c, n) for c in cuts], **SMALL)
    assert whole.n == pieces.n == n
    for one, other in zip(whole.events(), pieces.events(), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(whole.series()[0], pieces.series()[0])


@given(st.integers(1, 4 * STRETCH_EVENTS))
def test_a_short_run_is_kept_whole(n):
    values = np.random.default_rng(n).integers(0, 10**6, n)
    sequence = fed(values, **SMALL)
    assert sequence.exact
    kept, times = sequence.events()
    np.testing.assert_array_equal(kept, values)
    np.testing.assert_array_equal(times, np.arange(n) * 10)


@given(st.integers(4 * STRETCH_EVENTS + STRETCH_EVENTS, 40 * STRETCH_EVENTS))
def test_a_long_run_is_kept_in_true_parts(n):
    values = np.random.default_rng(n).integers(0, 10**6, n)
    sequence = fed(values, **SMALL)
    assert not sequence.exact
    blocks, length = sequence.series()
    assert 32 <= len(blocks) < 64
    assert n - len(blocks) * length < length
    truth = values[: len(blocks) * length].reshape(-1, length).mean(axis=1)
    np.testing.assert_allclose(blocks, truth)
    kept, times = sequence.events()
    np.testing.assert_array_equal(kept, values[times // 10])
    starts = [int(t) // 10 for t in times[::STRETCH_EVENTS]]
    assert 2 <= len(starts) <= 4
    assert len(set(np.diff(starts))) <= 1
    assert all(len(s) == STRETCH_EVENTS for s in sequence.stretches())


def test_a_figure_is_made_once_for_the_same_values_and_arguments():
    made = []

    @made_once
    def figure(sequence, factor, more=0):
        made.append(factor)
        return sequence.n * factor + more

    sequence, other = EventSequence(), EventSequence()
    sequence.add(np.arange(3), np.arange(3))
    assert [figure(sequence, 2), figure(sequence, 2), figure(sequence, 3)] == [6, 6, 9]
    assert figure(sequence, 3, more=1) == 10
    assert figure(other, 2) == 0
    assert made == [2, 3, 3, 2]
    sequence.add(np.arange(1), np.arange(1))
    assert figure(sequence, 2) == 8
