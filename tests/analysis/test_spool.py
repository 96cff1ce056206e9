# SPDX-License-Identifier: GPL-3.0-or-later
"""What is kept for a further pass is read again as it was, or it is said that there is no room."""

from __future__ import annotations

import resource
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.signals.spool import Array, Spool

COUNT = 5_000


def _arrays() -> list[Array]:
    rng = np.random.default_rng(3)
    types = (np.uint8, np.uint32, np.int64, np.uint64)
    whole = [
        rng.integers(0, 200, COUNT + each, np.int64).astype(types[each % 4]) for each in range(9)
    ]
    return [*whole, whole[2][::3], whole[0][:0]]


@pytest.mark.parametrize("memory_bytes", [0, 10_000, 1 << 20])
def test_arrays_come_back_as_they_were(memory_bytes: int) -> None:
    arrays = _arrays()
    with Spool(memory_bytes) as spool:
        kept = [spool.keep(each) for each in arrays]
        for was, held in reversed(list(zip(arrays, kept, strict=True))):
            assert held is not None
            found = held.values()
            assert found.dtype == was.dtype
            assert np.array_equal(found, was)


def test_what_lies_in_the_file_is_not_in_memory() -> None:
    values = np.arange(COUNT)
    with Spool(0) as spool:
        held = spool.keep(values)
        before = weakref.ref(values)
        del values
        assert before() is None
        assert held is not None
        assert held.values()[-1] == COUNT - 1


def test_a_file_holds_no_more_than_it_may() -> None:
    with Spool(0, 2 * COUNT) as spool:
        found = [spool.keep(np.zeros(COUNT, np.uint8)) is not None for _ in range(3)]
    assert found == [True, True, False]


def test_nothing_is_left_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Spool(0) as spool:
        assert spool.keep(np.arange(COUNT)) is not None
        assert list(tmp_path.iterdir()) == []


@contextmanager
def _files_of_at_most(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_where_the_file_cannot_grow_what_is_in_it_stays() -> None:
    values = np.arange(COUNT)
    with Spool(0) as spool, _files_of_at_most(values.nbytes + 100):
        first = spool.keep(values)
        assert first is not None
        assert spool.keep(values) is None
        assert spool.keep(values[:1]) is None
        assert np.array_equal(first.values(), values)


def test_without_a_folder_to_write_in_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    with Spool(8 * COUNT) as spool:
        assert spool.keep(np.arange(COUNT)) is not None
        assert spool.keep(np.arange(COUNT)) is None


@pytest.mark.parametrize("file_bytes", [0, 1 << 19, 1 << 32])
def test_answer_times_are_all_there_whatever_room_there_is(file_bytes: int) -> None:
    rng = np.random.default_rng(8)
    truth = np.cumsum(rng.integers(1, 5_000, 200_000))
    truth[150_000:] += 1 << 33
    with Spool(0, file_bytes) as spool:
        times = AnswerTimes(spool)
        for part in np.split(truth, 37 * np.arange(1, 5_000)):
            times.add(part)
        assert times.seen == len(times) == len(truth)
        for first in (0, 65_535, 65_536, 140_000, 199_999, 65_537):
            assert np.array_equal(times.read(first, 70_000), truth[first : first + 70_000])
