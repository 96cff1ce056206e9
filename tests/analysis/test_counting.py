# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges without a record and records without an edge are named by their numbers."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.log.responses import ResponseLog
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.pairing.handler_count import unmatched
from tests.analysis.raw_runs import MemoryRun, log_of, sequence_edges, settings_of, toggles

N = 40
AT = 1000 + 500 * np.arange(N)


@pytest.mark.parametrize(
    ("no_record", "no_edge", "dropped", "told"),
    [
        ([], [], 0, ""),
        ([17], [], 0, "1 edge without a record, number 17"),
        ([], [23], 0, "1 record without an edge, number 23"),
        ([5, 6], [], 0, "2 edges without a record, number 5, 6"),
        ([17], [], 1, ""),
    ],
)
@pytest.mark.parametrize("block", [1 << 40, 3000])
def test_what_has_no_partner_is_named(
    no_record: list[int], no_edge: list[int], dropped: int, told: str, block: int
) -> None:
    counts = [n + 1 for n in range(N) if n not in no_edge]
    samples = np.delete(AT, no_edge).tolist()
    rows = [(n + 1, 10 * n, 10 * n + 1, 0) for n in range(N) if n not in no_record]
    edges = toggles(samples) + sequence_edges(samples, counts)
    run = MemoryRun(edges, int(AT[-1]) + 10_000, log_of(rows), block)
    log, settings = ResponseLog(run), settings_of("interrupt", sequence=True)
    assert (
        unmatched(run, log, settings, InstrumentCounts(log_dropped=dropped), len(samples)) == told
    )
