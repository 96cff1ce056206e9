# SPDX-License-Identifier: GPL-3.0-or-later
"""The bounds of a handler's entry hold for any clock that the stated rate error allows."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.log.responses import ResponseLog
from rig.analysis.pairing.handler_entries import RATE_PPM, HandlerEntries
from rig.instruments import LOG_ENTRY, LOG_LEAD, LOG_RECORD
from tests.analysis.raw_runs import MemoryRun

N = 2000
TICK_HZ, RATE_HZ = 1_000_000_000, 24_000_000
PER_SAMPLE = TICK_HZ / RATE_HZ
MARGIN, ACKNOWLEDGE, WIRES = 24, 48, 7


def allowed_of(width: np.ndarray, lead: np.ndarray) -> np.ndarray:
    """By which the ends may be apart, in samples, for what is not known of wires and rate."""
    return MARGIN + WIRES + width + 2e-6 * RATE_PPM * lead + 5


@pytest.mark.parametrize("off_ppm", [-0.99 * RATE_PPM, 0.0, 0.99 * RATE_PPM])
def test_the_true_entry_is_within_narrow_bounds(off_ppm: float) -> None:
    """Leads reach a second, where the rate's error is far more than the margins."""
    rng = np.random.default_rng(8)
    per_sample = PER_SAMPLE * (1 + off_ppm * 1e-6)
    edge = rng.integers(10**9, 10**10, N) + rng.random(N)  # in samples, as the next three
    entry = edge - 10 ** rng.uniform(1, np.log10(RATE_HZ), N)
    before, after = edge - rng.uniform(0, 20, N), edge + rng.uniform(0, 20, N)
    before = np.maximum(before, entry)
    ticks = [np.floor(at * per_sample).astype(np.int64) for at in (entry, before, after)]
    rows = np.zeros(N, LOG_RECORD)
    rows["flags"] = LOG_ENTRY
    rows["before_ticks"], rows["after_ticks"] = ticks[1], ticks[2]
    rows[LOG_LEAD] = ticks[1] - ticks[0]
    log = ResponseLog(MemoryRun([], 1, rows))
    found = HandlerEntries(log, PER_SAMPLE, MARGIN, ACKNOWLEDGE, WIRES).entered(
        0, np.ceil(edge).astype(int)
    )
    assert (found.earliest + ACKNOWLEDGE <= entry).all()
    assert (entry <= found.latest).all()
    assert found.surely_after is not None
    assert (found.surely_after + WIRES <= entry).all()
    assert (found.latest - found.surely_after <= allowed_of(after - before, edge - entry)).all()
    allowed = allowed_of(after - before, edge - entry) + MARGIN + ACKNOWLEDGE
    assert (found.latest - found.earliest <= allowed).all()
    assert (found.latest <= np.ceil(edge)).all()


def test_a_record_without_an_entry_says_nothing() -> None:
    rows = np.zeros(1, LOG_RECORD)
    rows[LOG_LEAD] = 1000
    log = ResponseLog(MemoryRun([], 1, rows))
    found = HandlerEntries(log, PER_SAMPLE, MARGIN, ACKNOWLEDGE, WIRES).entered(0, np.array([5000]))
    assert (found.earliest.tolist(), found.latest.tolist()) == ([-1], [5000])
    assert found.surely_after is not None
    assert found.surely_after.tolist() == [5000]
