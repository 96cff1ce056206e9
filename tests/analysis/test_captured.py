# SPDX-License-Identifier: GPL-3.0-or-later
"""What captured answers hand out piece by piece is what the run holds, and is read once."""

from __future__ import annotations

import numpy as np
import pytest

from rig.analysis.log import captured
from rig.analysis.log.captured import CapturedAnswers
from rig.analysis.signals.spool import Spool
from rig.instruments import Int64Array
from tests.analysis.raw_runs import MemoryRun

N = 400
_RANDOM = np.random.default_rng(3)


class _Counting(MemoryRun):
    """Tells what was read of it."""

    def __init__(self, ticks: Int64Array) -> None:
        super().__init__([], 1, captured=ticks)
        self.read: list[tuple[int, int]] = []

    def captures(self, first: int, count: int) -> Int64Array:
        self.read.append((first, count))
        return super().captures(first, count)


@pytest.mark.parametrize(
    "ticks",
    [
        np.cumsum(_RANDOM.integers(3_200, 9_600, N)),
        np.arange(N) * 6_400,
        _RANDOM.integers(-(2**63), 2**63, N),
    ],
)
@pytest.mark.parametrize("room", [(1 << 20, 0), (600, 0), (300, 1 << 20), (0, 700), (0, 0)])
@pytest.mark.parametrize("steps", [1, 50, 64, 1000])
def test_pieces_are_those_of_the_whole(
    ticks: Int64Array, room: tuple[int, int], steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`room` in memory and in a file, in bytes."""
    monkeypatch.setattr(captured, "CHUNK", 64)
    run = _Counting(ticks)
    with Spool(*room) as spool:
        answers = CapturedAnswers(run, spool)
        assert answers.count == N
        for reached in range(0, N + steps, steps):
            answers.reach(reached)
        if room[0] + room[1] > 8 * N:
            assert run.read == [(first, 64) for first in range(0, N, 64)]
        for first in (0, 63, 64, N - 1, N, N + 5, *_RANDOM.integers(0, N, 20).tolist()):
            count = int(_RANDOM.integers(0, 200))
            assert np.array_equal(answers.read(first, count), ticks[first : first + count])
        if room[0] + room[1] > 8 * N:
            assert len(run.read) == -(-N // 64)


def test_a_run_without_what_it_says_to_have() -> None:
    run = MemoryRun([(5, 1, 1), (9, 1, 0)], 20)  # answers, of which nobody captured any
    with Spool() as spool:
        answers = CapturedAnswers(run, spool)
        assert answers.count == 2
        answers.reach(2)
        assert not len(answers.read(0, 2))


def test_what_was_not_reached_is_read_when_it_is_asked_for() -> None:
    ticks = np.arange(N) ** 2
    with Spool() as spool:
        answers = CapturedAnswers(_Counting(ticks), spool)
        assert np.array_equal(answers.read(3, 50), ticks[3:53])
