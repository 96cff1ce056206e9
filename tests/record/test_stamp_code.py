# SPDX-License-Identifier: GPL-3.0-or-later
"""Log and captured answers come back to the last bit, whatever they are, from little room."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rig.errors import InputError
from rig.instruments import LOG_RECORD, EdgeBlock
from rig.record import stamp_code
from rig.record.coded import CODES
from rig.record.layout import ANSWER_CHUNK, CAPTURES, LOG
from rig.record.reader import RunFile
from rig.record.stamp_code import EDGES_SPAN, CountedEdges
from rig.record.writer import RunWriter
from tests.record.older import plain
from tests.record.trains import TEXTS, blocks_of

RATE_HZ, CLOCK_HZ, TICK_HZ = 24_000_000, 16_000_000, 2_800_000_000
SETTINGS = {
    "sample_rate_hz": RATE_HZ,
    "stimulus_clock_hz": CLOCK_HZ,
    "tick_hz": TICK_HZ,
    "wiring": {"stimulus": 0, "response": 1, "sequence": []},
}
LOG_BYTES, CAPTURE_BYTES = 1.4, 0.45
"""A record and a captured answer take at most, with edges to be coded along."""
NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Measured:
    """What instruments saw of some answers, and what an interrupt's edges are beside them."""

    index: np.ndarray
    channel: np.ndarray
    log: np.ndarray
    captures: np.ndarray

    def wrapped(self) -> Measured:
        """With clocks that go over 2^64 and 2^63 on the way."""
        log, half = self.log.copy(), np.uint64(self.log["before_ticks"][len(self.log) // 2])
        for name in ("before_ticks", "after_ticks"):
            log[name] -= half
        middle = self.captures[len(self.captures) // 2]
        return replace(self, log=log, captures=self.captures - middle + np.int64(2**63 - 1))


def measured(count: int, seed: int = 1, *, faults: bool = True) -> Measured:
    """Clocks that are off by 40 ppm; glitches, answers not seen, records and captures lost."""
    random = np.random.default_rng(seed)
    rise_s = 0.01 + np.cumsum(random.uniform(200e-6, 600e-6, count))
    answer_s = rise_s + random.gamma(2, 2e-6, count) + 2e-6
    fault = random.random((4, count)) < (0.003 if faults else 0.0)
    edges_s = [rise_s, rise_s + 100e-6, answer_s[~fault[0]], answer_s[fault[1]] + 50e-6]
    edges_s.append(answer_s[fault[1]] + 51e-6)  # there and back: a glitch
    channel = np.repeat([0, 0, 1, 1, 1], [len(each) for each in edges_s])
    index = np.ceil(np.concatenate(edges_s) * RATE_HZ).astype(np.int64)
    order = np.lexsort((channel, index))
    logged_s = (answer_s - random.uniform(0, 50e-9, count))[~fault[2]]
    log = np.zeros(len(logged_s), LOG_RECORD)
    log["sequence"] = np.arange(count)[~fault[2]]
    log["handled"] = log["sequence"] + 1
    log["before_ticks"] = 7_000_000_000_000 + (logged_s * TICK_HZ * (1 + 40e-6)).astype(np.uint64)
    log["after_ticks"] = log["before_ticks"] + 150
    captures = np.ceil((answer_s - 0.003)[~fault[3]] * CLOCK_HZ * (1 - 40e-6)).astype(np.int64)
    return Measured(index[order], channel[order].astype(np.uint8), log, captures)


def write(path: Path, run: Measured, told=SETTINGS, *, parts: int = 1, ahead: int = 0) -> None:
    """In so many parts; `ahead`: answers that the captures are ahead of the edges."""
    cuts = np.linspace(0, len(run.index) - 1, parts + 1, dtype=int)[1:] if len(run.index) else []
    blocks = blocks_of(run.index, run.channel, cuts) if len(run.index) else []
    with RunWriter(path, TEXTS, told) as writer:
        sent = 0
        for number, block in enumerate(blocks, 1):
            stop = min(len(run.captures), len(run.captures) * number // len(blocks) + ahead)
            part = run.captures[sent:stop]
            writer.captures(part if ahead else NONE)
            writer.edges(block)
            writer.captures(NONE if ahead else part)
            sent = stop
        writer.captures(run.captures[sent:])
        for first in range(0, len(run.log), 10_000):
            writer.log(run.log[first : first + 10_000])
        writer.finish("complete", {})


def check(path: Path, run: Measured) -> None:
    with RunFile(path) as file:
        file.look_through()
        assert (file.log_count, file.capture_count) == (len(run.log), len(run.captures))
        assert np.array_equal(file.log(0, file.log_count), run.log)
        assert np.array_equal(file.captures(0, file.capture_count), run.captures)
        for first in (0, ANSWER_CHUNK - 2, len(run.log) - 2, len(run.log)):
            assert np.array_equal(file.log(max(first, 0), 5), run.log[max(first, 0) :][:5])


def stored_bytes(path: Path) -> dict[str, int]:
    sizes: dict[str, int] = {}
    with h5py.File(path) as file:
        for name in (LOG, CAPTURES):
            sizes[name] = sum(item.id.get_storage_size() for item in file[name].values())
    return sizes


@pytest.mark.parametrize(("parts", "ahead"), [(1, 0), (40, 0), (40, 300)])
def test_what_edges_tell_takes_no_room(tmp_path: Path, parts: int, ahead: int) -> None:
    """Nor do captures that come before their edges, if these are not long in coming."""
    run, path = measured(5 * ANSWER_CHUNK + 77), tmp_path / "run.h5"
    write(path, run, parts=parts, ahead=ahead)
    check(path, run)
    found = stored_bytes(path)
    assert found[LOG] < LOG_BYTES * len(run.log)
    assert found[CAPTURES] < CAPTURE_BYTES * len(run.captures)


def test_captures_whose_edges_come_too_late_are_stored_all_the_same(tmp_path: Path) -> None:
    run, path = measured(6 * ANSWER_CHUNK), tmp_path / "run.h5"
    write(path, run, parts=3, ahead=len(run.captures))
    check(path, run)


@pytest.mark.parametrize(
    "told",
    [
        {},
        {**SETTINGS, "wiring": None},
        {**SETTINGS, "sample_rate_hz": "24", "tick_hz": 1e300},
        {**SETTINGS, "tick_hz": 3},
        {**SETTINGS, "wiring": {"response": 7}},
        {**SETTINGS, "wiring": {"response": 0}},
    ],
    ids=["nothing", "no wires", "no rates", "false rate", "no edges", "false channel"],
)
def test_without_what_the_code_needs(tmp_path: Path, told: dict[str, object]) -> None:
    run, path = measured(2 * ANSWER_CHUNK + 5), tmp_path / "run.h5"
    write(path, run, told)
    check(path, run)


def test_clocks_that_wrap_and_leap(tmp_path: Path) -> None:
    run, path = measured(3 * ANSWER_CHUNK).wrapped(), tmp_path / "run.h5"
    run.log["before_ticks"][5_000:] += np.uint64(10**12)
    run.log["after_ticks"][9_000] = 0
    write(path, run)
    check(path, run)
    assert stored_bytes(path)[LOG] < 2 * LOG_BYTES * len(run.log)  # found again after the leap


@pytest.mark.parametrize("count", [0, 1, 2, ANSWER_CHUNK, ANSWER_CHUNK + 1])
def test_few_answers(tmp_path: Path, count: int) -> None:
    run = measured(max(count, 1), faults=False)
    run = replace(run, log=run.log[:count], captures=run.captures[:count])
    write(tmp_path / "run.h5", run)
    check(tmp_path / "run.h5", run)


@given(
    random=st.randoms(use_true_random=False),
    counts=arrays.arrays(np.int64, st.integers(0, 300), elements=st.integers(-(2**63), 2**63 - 1)),
    edges=st.lists(st.integers(1, 2**40), max_size=300),
    channels=st.integers(1, 3),
)
@settings(max_examples=60)
def test_anything_comes_back(tmp_path_factory, random, counts, edges, channels) -> None:
    """No order in it, no sense, or all values of a field equal."""
    path = tmp_path_factory.mktemp("any") / "run.h5"
    log = np.zeros(len(counts), LOG_RECORD)
    for name in LOG_RECORD.names:
        if random.random() < 0.7:
            log[name] = counts.view(np.uint64) >> random.randrange(64)
    index = np.unique(np.cumsum(np.array(edges, np.int64)))
    channel = np.array([random.randrange(channels) for _ in index], np.uint8)
    write(path, Measured(index, channel, log, counts))
    check(path, Measured(index, channel, log, counts))


@given(
    counts=arrays.arrays(np.int64, st.integers(1, 50), elements=st.integers(-(2**63), 2**63 - 1)),
    seed=st.integers(0, 2**32 - 1),
)
def test_codes_are_reversible_along_any_edges(counts: np.ndarray, seed: int) -> None:
    random = np.random.default_rng(seed)
    samples = np.sort(random.integers(0, 2**62, 80))
    rows = random.integers(0, 80, len(counts))
    line = (
        int(random.integers(-(2**63), 2**63 - 1)),
        float(random.normal()) * 10.0 ** random.integers(20),
    )
    coded = stamp_code.encode_stamps(counts, CountedEdges(rows, samples[rows], line))
    codes = {name: np.zeros(len(counts), kind) for name, kind in stamp_code.STAMP_COLUMNS.items()}
    decoded = stamp_code.decode_stamps(coded[0][0], codes | coded[1], lambda rows: samples[rows])
    assert np.array_equal(decoded, counts)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Measured]:
    path, run = tmp_path_factory.mktemp("stored") / "run.h5", measured(2 * ANSWER_CHUNK + 9)
    write(path, run)
    return path, run


def test_a_column_without_codes_is_read(stored: tuple[Path, Measured], tmp_path: Path) -> None:
    """As in files of earlier versions."""
    path = Path(shutil.copy(stored[0], tmp_path))
    with h5py.File(path, "r+") as file:
        for name in CODES:
            plain(file, name)
    with RunFile(path, checked=False) as file:
        file.look_through()
        assert np.array_equal(file.log(0, file.log_count), stored[1].log)
        assert np.array_equal(file.captures(0, file.capture_count), stored[1].captures)


def line_of(name: str, field: str, value: object):
    def change(file: h5py.File) -> None:
        lines = file[f"{name}/lines"][:]
        lines[field][0] = value
        file[f"{name}/lines"][:] = lines

    return change


def code_of(name: str, row: int, value: int):
    def change(file: h5py.File) -> None:
        file[name][row] = value

    return change


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (line_of(LOG, "first", 10**9), "the number of one that is not there"),
        (line_of(LOG, "first", -1), "refers to edges far apart"),
        (code_of(f"{LOG}/edge", 9, 4 * EDGES_SPAN), "refers to edges far apart"),
        (code_of(f"{CAPTURES}/edge", 9, 40_000), "the number of one that is not there"),
        (
            lambda file: file[f"{LOG}/lines"].resize((0,)),
            "target/log/lines is not stored as it should be",
        ),
        (lambda file: file.__delitem__(f"{LOG}/after"), "damaged run file"),
        (lambda file: file.__setitem__(f"{LOG}/more", 3), None),
        (lambda file: file[f"{LOG}/rest"].resize((0,)), "chunk 0 of target/log/rest is missing"),
    ],
)
def test_what_no_writer_stores_is_damage(stored, tmp_path: Path, change, told: str | None) -> None:
    path = Path(shutil.copy(stored[0], tmp_path))
    with h5py.File(path, "r+") as file:
        change(file)

    def read() -> None:
        with RunFile(path, checked=False) as file:
            file.look_through()
            file.log(0, file.log_count)
            file.captures(0, file.capture_count)

    if told is None:
        read()
        return
    with pytest.raises(InputError, match=told):
        read()


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_lines_of_any_kind_end_in_rows_or_a_line(stored, tmp_path_factory, seed: int) -> None:
    path = Path(shutil.copy(stored[0], tmp_path_factory.mktemp("line")))
    random = np.random.default_rng(seed)
    with h5py.File(path, "r+") as file:
        lines = file[f"{LOG}/lines"][:]
        lines.view(np.uint8)[:] = random.integers(0, 256, lines.nbytes, np.uint8)
        lines["by_edge"], lines["first"] = 1, 5
        file[f"{LOG}/lines"][:] = lines
    with RunFile(path, checked=False) as file, contextlib.suppress(InputError):
        assert len(file.log(0, file.log_count)) == file.log_count


def test_captures_while_their_edges_are_still_to_come(tmp_path: Path) -> None:
    """A reader gets all that counted when it opened the file, also after they have been coded."""
    run, path = measured(4 * ANSWER_CHUNK, faults=False), tmp_path / "run.h5"
    half = len(run.index) // 2
    first, second = blocks_of(run.index, run.channel, [half])
    count = 2 * ANSWER_CHUNK + 900
    with RunWriter(path, TEXTS, SETTINGS) as writer:
        writer.edges(first)
        writer.captures(run.captures[:count])
        writer.flush()
        with RunFile(path) as file:
            assert file.capture_count == count
            writer.edges(second)
            writer.captures(run.captures[count:])
            writer.flush()
            assert np.array_equal(file.captures(0, count), run.captures[:count])
        with RunFile(path) as file:
            assert np.array_equal(file.captures(0, len(run.captures)), run.captures)
        writer.finish("complete", {})
    check(path, replace(run, log=run.log[:0]))


def test_edges_are_referred_to_only_when_they_count(tmp_path: Path) -> None:
    """Whatever moment the writer dies at, what counts of the captures can be read."""
    run, path = measured(3 * ANSWER_CHUNK, faults=False), tmp_path / "run.h5"
    copies = []
    with RunWriter(path, TEXTS, SETTINGS) as writer:
        sent = 0
        for number, block in enumerate(blocks_of(run.index, run.channel, range(0, 24_000, 500))):
            writer.edges(block)
            stop = min(len(run.captures), (number + 1) * 255)
            writer.captures(run.captures[sent:stop])
            sent = stop
            copies.append(Path(shutil.copy(path, tmp_path / f"{number}.h5")))
            assert isinstance(block, EdgeBlock)
    for each in copies:
        with RunFile(each) as file:
            assert np.array_equal(
                file.captures(0, file.capture_count), run.captures[: file.capture_count]
            )
