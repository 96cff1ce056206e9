# SPDX-License-Identifier: GPL-3.0-or-later
"""What pairing decides is so, and what it leaves open lies between its two readings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.analysis.model.events import EventClass
from tests.analysis.latch import US, Habits, faults, pair, simulate

SEEDS = st.integers(0, 2**32 - 1)


def stimuli(rng: np.random.Generator, count: int) -> list[int]:
    """One of six patterns: even, uniform, Poisson, bursts, a ramp, close to the service time."""
    intervals = (
        np.full(count, 500 * US),
        rng.integers(200 * US, 1800 * US, count),
        100 * US + rng.exponential(600 * US, count),
        np.where(np.arange(count) % 5 == 4, 2500 * US, 120 * US),
        np.linspace(1000 * US, 110 * US, count),
        rng.integers(20 * US, 200 * US, count),
    )[int(rng.integers(6))]
    return (1000 * US + np.cumsum(intervals.astype(np.int64))).tolist()


def habits(rng: np.random.Generator, *, clean: bool = False) -> Habits:
    """All faults mixed, or none."""

    def often(*chances: float) -> float:
        return 0.0 if clean else float(rng.choice(chances))

    def us(*times: int) -> int:
        return int(rng.choice(times)) * US

    return Habits(
        latency=int(rng.integers(1, 20)) * US,
        scatter=int(rng.integers(0, 40)) * US,
        service=us(1, 5, 50, 100),
        acknowledged=int(rng.integers(0, 2 * US)),
        late=often(0, 0.05, 0.1),
        late_by=us(50, 200, 600, 1500),
        merge=often(0, 0.05, 0.1),
        mask=us(100, 300, 600, 1500),
        miss=often(0, 0, 0.05),
        duplicate=often(0, 0, 0.05),
        quiet=int(rng.choice([0, 3])),
        queue=bool(rng.random() < 0.5),
    )


def cuts(rng: np.random.Generator, last: int) -> list[int]:
    """Where a capture's blocks may end."""
    return rng.integers(0, last + 1, int(rng.integers(0, 5))).tolist()


@settings(max_examples=150, deadline=None)
@given(SEEDS)
def test_with_entries_all_that_is_decided_is_so(seed: int) -> None:
    rng = np.random.default_rng(seed)
    run = simulate(rng, stimuli(rng, 60), habits(rng))
    assert faults(run, pair(run, entries=True, cuts=cuts(rng, run.stimulus[-1])))[0] == []


def test_with_entries_hardly_anything_stays_ambiguous() -> None:
    ambiguous = events = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        run = simulate(rng, stimuli(rng, 60), habits(rng))
        events += len(run.stimulus)
        ambiguous += faults(run, pair(run, entries=True))[1]
    assert ambiguous < events / 50


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_blocks_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    run = simulate(rng, stimuli(rng, 60), habits(rng))
    for entries in (True, False):
        whole = pair(run, entries=entries)
        parts = pair(run, entries=entries, cuts=cuts(rng, run.stimulus[-1]))
        for name in ("stimulus", "response", "answer", "kind"):
            joined = [np.concatenate([getattr(e, name) for e in each]) for each in (whole, parts)]
            assert joined[0].tolist() == joined[1].tolist(), name


@settings(max_examples=100, deadline=None)
@given(SEEDS, st.booleans(), st.booleans())
def test_a_run_without_faults_has_nothing_ambiguous(seed: int, entries: bool, total: bool) -> None:
    rng = np.random.default_rng(seed)
    even = (1000 * US + np.cumsum(rng.integers(200 * US, 900 * US, 60))).tolist()
    run = simulate(rng, even, habits(rng, clean=True))
    assert faults(run, pair(run, entries=entries, total=total)) == ([], 0)


@pytest.mark.parametrize("mask", [300, 600])
@settings(max_examples=50, deadline=None)
@given(SEEDS)
def test_without_entries_late_and_merged_are_left_open(mask: int, seed: int) -> None:
    """Prompt answers between the faults, as most runs have them: then what is decided is so."""
    rng = np.random.default_rng(seed)
    usual = Habits(late=0.05, merge=0.1, mask=mask * US, quiet=3, miss=0.02, queue=True)
    run = simulate(rng, stimuli(rng, 60)[: int(rng.integers(20, 60))], usual)
    found, ambiguous = faults(run, pair(run, entries=False, cuts=cuts(rng, run.stimulus[-1])))
    assert found == []
    assert not ambiguous or EventClass.MERGED in run.kind
