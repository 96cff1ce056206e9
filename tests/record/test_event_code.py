# SPDX-License-Identifier: GPL-3.0-or-later
"""Events come back to the last bit, whatever they are, from little room, and damage is told."""

from __future__ import annotations

import contextlib
import shutil
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rig.errors import InputError
from rig.instruments import LOG_RECORD, UNKNOWN_PS
from rig.record.computed import ComputedWriter
from rig.record.event_code import EVENT_CHUNK
from rig.record.events import PERIODS_BEYOND
from rig.record.integer_code import unzigzag, zigzag
from rig.record.layout import EVENT_COLUMNS, INTERNAL_LATENCY, event_dataset
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from tests.record.older import as_version_2
from tests.record.trains import TEXTS, blocks_of, interrupts

RATE_HZ = 24_000_000
COUNT = 3 * EVENT_CHUNK + 77
Columns = dict[str, np.ndarray]


@given(arrays.arrays(np.int64, 50, elements=st.integers(-(2**63), 2**63 - 1)))
def test_zigzag_is_reversible(values: np.ndarray) -> None:
    assert np.array_equal(unzigzag(zigzag(values)), values)


def test_zigzag_keeps_small_numbers_small() -> None:
    assert zigzag(np.array([0, -1, 1, -2, 2])).tolist() == [0, 1, 2, 3, 4]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Columns]:
    """A run with a log, and its events as an analysis would have them."""
    path = tmp_path_factory.mktemp("run") / "run.h5"
    random = np.random.default_rng(3)
    index, channel = interrupts(COUNT, random.integers(12_000, 36_000, COUNT))
    at = index.reshape(-1, 4)
    log = np.zeros(COUNT, LOG_RECORD)
    before = (at[:, 1] - random.random(COUNT)) * 116.6679 + 7e12  # ticks of a clock of its own
    log["before_ticks"] = before.astype(np.uint64)
    clock_ps = log["before_ticks"].astype(float) / 116.6679 * 1e12 / RATE_HZ
    inside = clock_ps - clock_ps[0] - (at[:, 0] - at[0, 1]) * 1e12 / RATE_HZ
    columns = {
        "planned_ticks": np.rint(at[:, 0] * 2 / 3).astype(np.int64),
        "stimulus_sample": at[:, 0].copy(),
        "response_sample": at[:, 1].copy(),
        "response_edge": np.arange(COUNT),
        "status": np.zeros(COUNT, np.int64),
        INTERNAL_LATENCY: np.rint(inside).astype(np.int64),
    }
    with RunWriter(path, TEXTS, {"sample_rate_hz": RATE_HZ}) as writer:
        for block in blocks_of(index, channel):
            writer.edges(block)
        writer.log(log)
        writer.finish("complete", {})
    return path, columns


def store(path: Path, columns: Columns, *, parts: int = 5) -> None:
    """In pieces of any size, as an analysis hands them out."""
    cuts = np.linspace(0, len(columns["status"]), parts + 1, dtype=int)
    with RunFile(path, write=True) as file:
        writer = ComputedWriter(file)
        for low, high in pairwise(cuts):
            writer.events({name: values[low:high] for name, values in columns.items()})
        none = np.empty(0, np.int64)
        writer.summary("{}", {}, (none, none))


def check(path: Path, columns: Columns) -> None:
    names = (*EVENT_COLUMNS, INTERNAL_LATENCY)
    expected = {INTERNAL_LATENCY: np.full(len(columns["status"]), UNKNOWN_PS), **columns}
    with RunFile(path) as file:
        file.look_through()
        assert file.event_count == len(columns["status"])
        events = file.events(0, file.event_count, names)
        for name in names:
            assert np.array_equal(events[name], expected[name]), name
        for first in (0, EVENT_CHUNK - 2, file.event_count - 2, file.event_count):
            part = file.events(first, first + 5, reversed(names))
            assert all(
                np.array_equal(part[name], expected[name][first : first + 5]) for name in names
            )


def stored_bytes(path: Path) -> dict[str, int]:
    with h5py.File(path) as file:
        return {name: item.id.get_storage_size() for name, item in file["events"].items()}


def test_events_of_a_run_take_little(measured: tuple[Path, Columns]) -> None:
    """Their edges and records are in the file: what is stored is where, and small rests."""
    path, columns = measured
    store(path, columns)
    check(path, columns)
    found = stored_bytes(path)
    assert sum(found.values()) < 1.0 * COUNT, found


def scattered(columns: Columns, random: np.random.Generator) -> Columns:
    """Answers missing, exchanged and at no edge, plans and latencies not known, stimuli nowhere."""
    new = {name: values.copy() for name, values in columns.items()}
    some = random.random((5, COUNT)) < 0.01
    new["response_sample"][some[0]] = new["response_edge"][some[0]] = -1
    new["planned_ticks"][some[1]] = -1
    new[INTERNAL_LATENCY][some[2] | some[0]] = UNKNOWN_PS
    new["response_sample"][some[3]] = np.roll(columns["response_sample"], -1)[some[3]]
    new["response_edge"][some[4]] = 0
    new["status"][some[0]] = 2
    return new


def everything_unknown(columns: Columns, _: np.random.Generator) -> Columns:
    new = {name: np.full_like(values, -1) for name, values in columns.items()}
    return {**new, "status": np.full(COUNT, 2), INTERNAL_LATENCY: np.full(COUNT, UNKNOWN_PS)}


def due_times(columns: Columns, _: np.random.Generator) -> Columns:
    """Of periods, the first of which is due before the capture."""
    return {**columns, "stimulus_sample": np.arange(COUNT) * 24_001 - PERIODS_BEYOND}


def without_inside(columns: Columns, _: np.random.Generator) -> Columns:
    return {name: values for name, values in columns.items() if name != INTERNAL_LATENCY}


def of_one_answer(columns: Columns, _: np.random.Generator) -> Columns:
    """Knots that all are at one time."""
    return {**columns, "response_edge": np.zeros(COUNT, np.int64)}


def extreme(columns: Columns, random: np.random.Generator) -> Columns:
    inside = random.integers(-(2**63), 2**63 - 1, COUNT)
    return {**columns, INTERNAL_LATENCY: inside, "planned_ticks": random.integers(-1, 2**62, COUNT)}


@pytest.mark.parametrize(
    "make", [scattered, everything_unknown, due_times, without_inside, of_one_answer, extreme]
)
def test_whatever_they_are(
    measured: tuple[Path, Columns],
    make: Callable[[Columns, np.random.Generator], Columns],
) -> None:
    path, columns = measured
    new = make(columns, np.random.default_rng(4))
    store(path, new)
    check(path, new)


@pytest.mark.parametrize(
    ("name", "row", "value", "told"),
    [
        ("stimulus", 9, 1 << 40, "has the number of one that is not there"),
        ("response", 9, 2**64 - 1, "has the number of one that is not there"),
        ("planned", 9, 2**64 - 2, "events/planned_ticks, row 9"),
    ],
)
def test_what_no_writer_stores_is_damage(
    measured: tuple[Path, Columns], name: str, row: int, value: int, told: str
) -> None:
    path, columns = measured
    store(path, columns)
    with h5py.File(path, "r+") as file:
        file[f"events/{name}"][row] = value
    with RunFile(path, checked=False) as file, pytest.raises(InputError, match=told):
        file.events(0, 20)


def test_lines_of_a_damaged_file_are_bounded(measured: tuple[Path, Columns]) -> None:
    """Any line gives some values or a refusal, never a warning of numpy."""
    path, columns = measured
    store(path, columns)
    with h5py.File(path, "r+") as file:
        lines = file["events/lines"][:]
        for at, slope in enumerate((np.nan, np.inf, 1e300)):
            for name in ("planned_slope", "internal_latency_slope", "sample_ps"):
                lines[name][at] = slope
        file["events/lines"][:] = lines
    with RunFile(path, checked=False) as file, warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in range(3):
            first = number * EVENT_CHUNK
            file.events(first, first + 5, (INTERNAL_LATENCY,))
            with contextlib.suppress(InputError):  # planned at no time that there is
                file.events(first, first + EVENT_CHUNK, ("planned_ticks",))


def test_files_of_older_versions_keep_their_layout(
    measured: tuple[Path, Columns], tmp_path: Path
) -> None:
    """So that the version of the rig that wrote one reads it after figures were stored again."""
    path, columns = Path(shutil.copyfile(measured[0], tmp_path / "old.h5")), measured[1]
    as_version_2(path)
    store(path, columns)
    with h5py.File(path) as file:
        older = {event_dataset(name, 2) for name in (*EVENT_COLUMNS, INTERNAL_LATENCY)}
        assert {f"events/{name}" for name in file["events"]} == older
        assert {"class", "answer", "inside_ps"} < set(file["events"])
        stored = file[event_dataset(INTERNAL_LATENCY, 2)][:]
        assert np.array_equal(stored, columns[INTERNAL_LATENCY])
    with RunFile(path, checked=False) as run:
        events = run.events(0, run.event_count, (*EVENT_COLUMNS, INTERNAL_LATENCY))
    for name, values in columns.items():
        assert np.array_equal(events[name], values)
