# SPDX-License-Identifier: GPL-3.0-or-later
"""What an answer log hands out piece by piece is what the log holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rig.analysis.log import responses as answers
from rig.analysis.log.responses import ResponseLog
from rig.analysis.signals.spool import Spool
from rig.instruments import LOG_COALESCED, LOG_RECORD, LOG_TRIGGER, LogArray
from tests.analysis.raw_runs import MemoryRun

N = 400


def _records(triggers: Sequence[int], counts: np.ndarray) -> LogArray:
    rows = np.zeros(N, LOG_RECORD)
    rows["sequence"], rows["handled"] = np.arange(N), counts
    rows["before_ticks"] = 10 * np.arange(N)
    rows["after_ticks"] = rows["before_ticks"] + 1
    rows["flags"][list(triggers)] = LOG_TRIGGER
    return rows


_RISING = np.cumsum(np.arange(N) % 3).astype(np.uint64)
_WILD = np.random.default_rng(4).integers(0, 2**64, N, np.uint64)


@pytest.mark.parametrize("triggers", [(), (0, 7, 8, 250, 399), range(100, 300)])
@pytest.mark.parametrize("counts", [_RISING, _RISING * np.uint64(1 << 20), _WILD])
@pytest.mark.parametrize("room", [None, (1 << 20, 0), (100, 0), (1000, 1 << 20), (0, 2000)])
def test_pieces_are_those_of_the_whole(
    triggers: Sequence[int],
    counts: np.ndarray,
    room: tuple[int, int] | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`room` in memory and in a file, in bytes; None: nobody gave any."""
    monkeypatch.setattr(answers, "CHUNK", 64)
    rows = _records(triggers, counts)
    rows["after_ticks"] += np.arange(N, dtype=np.uint64) % 7
    rows["after_ticks"][5::90] -= np.uint64(60)  # as only a damaged log has it
    rows["flags"][3::50] |= LOG_COALESCED
    rows["reserved"][::3] = 1 << 31
    with Spool(*(room or ())) as spool:
        _check_pieces(ResponseLog(MemoryRun([], 1, rows), spool=room and spool), rows, triggers)


def _check_pieces(log: ResponseLog, rows: LogArray, triggers: Sequence[int]) -> None:
    truth = np.delete(rows, list(triggers))
    assert log.count == len(truth)
    rng = np.random.default_rng(6)
    firsts = [0, len(truth) - 1, len(truth), N + 5, *rng.integers(0, N, 40).tolist()]
    for first in firsts:
        count = int(rng.integers(0, 150))
        assert np.array_equal(log.read(first, count), truth[first : first + count])
        for name in LOG_RECORD.names or ():
            column = log.column(name, first, count)
            assert column.dtype == LOG_RECORD[name]
            assert np.array_equal(column, truth[name][first : first + count])


@pytest.mark.parametrize("at", [1, 63, 64, 65, 399])
@pytest.mark.parametrize(
    ("column", "step", "text"),
    [
        ("sequence", 1, "record numbers have a hole"),
        ("handled", -5, "handler count falls"),
        ("before_ticks", -1000, "cycle counter runs backward"),
    ],
)
def test_what_is_out_of_order_is_found_anywhere(
    at: int, column: str, step: int, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "CHUNK", 64)
    rows = _records((), np.arange(1000, 1000 + N, dtype=np.uint64))
    rows["before_ticks"] += np.uint64(2000)
    rows["after_ticks"] += np.uint64(2000)
    assert ResponseLog(MemoryRun([], 1, rows)).order.problems == ()
    rows[column][at] = int(rows[column][at]) + step
    assert text in ResponseLog(MemoryRun([], 1, rows)).order.problems


@pytest.mark.parametrize(("interrupts", "shared"), [(0, False), (1, False), (2, True), (3, True)])
def test_an_answer_to_several_interrupts_counts_them(interrupts: int, shared: bool) -> None:
    rows = _records((), np.arange(N, dtype=np.uint64))
    rows["handled"][200:] += np.array(interrupts - 1).astype(np.uint64)
    rows["flags"][200] = LOG_COALESCED
    text = "an answer to several interrupts by its flag, to one by its count"
    problems = ResponseLog(MemoryRun([], 1, rows)).order.problems
    assert problems == (() if shared else (text,))
