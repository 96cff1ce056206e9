# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances between edges come back to the last bit, whatever they are, from little room."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rig.errors import InputError
from rig.record import distance_code
from rig.record.distance_code import CODE, LINE, decode, encode, line_of
from rig.record.layout import CHUNK, DELTA
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from tests.record.older import plain
from tests.record.trains import TEXTS, all_of, blocks_of, interrupts

WIRING = {"stimulus": 3, "response": 0, "sequence": [1, 5], "active_level": 1}
UNIFORM_BYTES = 3.3
"""An event of a train with pins takes at most."""
Edges = tuple[np.ndarray, np.ndarray]


def train(count: int, wiring=WIRING, seed: int = 1) -> Edges:
    """Random intervals, jitter, a counter on the sequence pins; some merged, missed, glitches."""
    random = np.random.default_rng(seed)
    stimulus, response, pins = wiring["stimulus"], wiring["response"], wiring["sequence"]
    rise = np.cumsum(random.integers(4_800, 14_400, count))
    answered = np.flatnonzero(random.random(count) > 0.002)
    answer = rise[answered] + 72 + random.gamma(2, 18, len(answered)).astype(np.int64)
    glitch = answer[random.random(len(answer)) < 0.001] + 500
    found = [(rise, stimulus), (rise + 240 + random.integers(0, 2, count), stimulus)]
    found += [(answer, response), (glitch, response), (glitch + 3, response)]
    for bit, pin in enumerate(pins):
        found.append((answer[np.arange(len(answer)) % (1 << bit) == 0], pin))
    index = np.concatenate([at for at, _ in found])
    channel = np.concatenate([np.full(len(at), pin, np.uint8) for at, pin in found])
    order = np.lexsort((channel, index))
    return index[order], channel[order]


def write(path: Path, edges: Edges, wiring=WIRING, *, parts: int = 3) -> None:
    cuts = np.linspace(0, len(edges[0]) - 1, parts + 1, dtype=int)[1:]
    with RunWriter(path, TEXTS, {"wiring": wiring}) as writer:
        for block in blocks_of(*edges, cuts):
            writer.edges(block)
            writer.flush()
        writer.finish("complete", {})


def stored_bytes(path: Path) -> int:
    with h5py.File(path) as file:
        item = file[DELTA]
        each = [item] if isinstance(item, h5py.Dataset) else item.values()
        return sum(part.id.get_storage_size() for part in each)


def same(path: Path, edges: Edges) -> None:
    index, channel, _ = all_of(path)
    assert np.array_equal(index, edges[0])
    assert np.array_equal(channel, edges[1])
    with RunFile(path) as file:
        file.look_through()


def test_edges_told_from_their_stimulus_take_little(tmp_path: Path) -> None:
    count = 40_000
    edges = train(count)
    write(tmp_path / "run.h5", edges)
    write(tmp_path / "none.h5", edges, wiring=None)
    same(tmp_path / "run.h5", edges)
    same(tmp_path / "none.h5", edges)
    assert stored_bytes(tmp_path / "run.h5") < UNIFORM_BYTES * count
    assert stored_bytes(tmp_path / "none.h5") > 1.2 * UNIFORM_BYTES * count


@pytest.mark.parametrize(
    "wiring",
    [
        {**WIRING, "active_level": 0},
        {"stimulus": 0, "response": 3},
        {"stimulus": 7, "response": 0, "sequence": [1]},
        {"stimulus": 5, "response": 1, "sequence": [3, 0]},
        {"stimulus": 63, "response": 62, "sequence": list(range(50))},
        {"stimulus": 3, "response": 3},
        {"stimulus": "3", "response": None},
        {"stimulus": -1, "response": 64, "sequence": [2**70]},
        {"stimulus": 3, "response": 0, "sequence": "12"},
        [],
    ],
)
def test_any_wires(tmp_path: Path, wiring: object) -> None:
    edges = train(12_000)
    write(tmp_path / "run.h5", edges, wiring)
    same(tmp_path / "run.h5", edges)


@pytest.mark.parametrize("interval", [24_000, 400])
def test_what_coding_would_not_make_smaller_is_not_coded(tmp_path: Path, interval: int) -> None:
    index, channel = interrupts(20_000, np.full(20_000, interval))
    wiring = {"stimulus": 0, "response": 1, "sequence": []}
    write(tmp_path / "run.h5", (index, channel), wiring)
    write(tmp_path / "none.h5", (index, channel), wiring=None)
    same(tmp_path / "run.h5", (index, channel))
    assert stored_bytes(tmp_path / "run.h5") < 1.01 * stored_bytes(tmp_path / "none.h5") + 4_000


def test_a_line_of_many_edges_without_a_stimulus(tmp_path: Path) -> None:
    index = np.cumsum(np.random.default_rng(2).integers(1, 200, 3 * CHUNK))
    channel = np.zeros(len(index), np.uint8)
    write(tmp_path / "run.h5", (index, channel))
    write(tmp_path / "none.h5", (index, channel), wiring=None)
    same(tmp_path / "run.h5", (index, channel))
    assert stored_bytes(tmp_path / "run.h5") < 1.01 * stored_bytes(tmp_path / "none.h5") + 4_000


def test_distances_beyond_32_bits_from_the_stimulus(tmp_path: Path) -> None:
    """None is so far from the edge before it, but from the stimulus."""
    edges = train(20_000)
    edges[0][5_000:] += 3 << 30
    edges[0][5_001:] += 3 << 30
    edges[0][5_002:] += 1 << 33
    write(tmp_path / "run.h5", edges)
    same(tmp_path / "run.h5", edges)


@given(
    rows=st.integers(1, 200),
    seed=st.integers(0, 2**32 - 1),
    channels=st.integers(1, 8),
    bits=st.integers(0, 32),
    active=st.integers(0, 1),
)
@settings(max_examples=200)
def test_anything_comes_back(rows: int, seed: int, channels: int, bits: int, active: int) -> None:
    random = np.random.default_rng(seed)
    delta = random.integers(0, 1 << bits, rows).astype(np.uint32)
    packed = (random.integers(0, channels, rows) | random.integers(0, 2, rows) << 7).astype(
        np.uint8
    )
    line = line_of({"stimulus": 0, "response": 1, "sequence": [4, 2], "active_level": active})
    assert line is not None
    coded, codes = encode(delta, packed, line)
    assert codes[CODE].dtype == np.uint32
    assert np.array_equal(decode(coded[0], codes, packed), delta)


@given(
    codes=arrays.arrays(np.uint32, st.integers(1, 100)),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=200)
def test_what_no_writer_stores_has_no_distances_beyond_32_bits(
    codes: np.ndarray, seed: int
) -> None:
    random = np.random.default_rng(seed)
    line = np.frombuffer(random.bytes(LINE.itemsize), LINE)[0].copy()
    packed = random.integers(0, 256, len(codes)).astype(np.uint8)
    with contextlib.suppress(ValueError):
        delta = decode(line, {CODE: codes}, packed)
        assert (delta.dtype, len(delta)) == (np.uint32, len(codes))


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Edges]:
    path, edges = tmp_path_factory.mktemp("stored") / "run.h5", train(20_000)
    write(path, edges)
    return path, edges


def test_a_column_without_codes_is_read(stored: tuple[Path, Edges], tmp_path: Path) -> None:
    path = Path(shutil.copy(stored[0], tmp_path))
    with h5py.File(path, "r+") as file:
        plain(file, DELTA)
    with RunFile(path, checked=False) as file:
        blocks = list(file.edge_blocks())
    assert np.array_equal(np.concatenate([block.index for block in blocks]), stored[1][0])


def test_parts_are_read_by_themselves(stored: tuple[Path, Edges]) -> None:
    path, (index, _) = stored
    with RunFile(path) as file:
        for first in (0, 5, int(index[CHUNK - 1]), int(index[CHUNK]), int(index[-2])):
            got = np.concatenate([b.index for b in file.edge_blocks(first, first + 50_000)])
            assert np.array_equal(got, index[(index >= first) & (index < first + 50_000)])
        rows = np.array([0, CHUNK - 1, CHUNK, len(index) - 1])
        assert np.array_equal(file.samples_of(rows), index[rows])


@pytest.mark.parametrize("change", [(9, 0), (70, 2**32 - 1), (CHUNK - 1, 2**31)])
def test_codes_that_are_false_are_told(stored, tmp_path: Path, change: tuple[int, int]) -> None:
    path = Path(shutil.copy(stored[0], tmp_path))
    with h5py.File(path, "r+") as file:
        file[f"{DELTA}/{CODE}"][change[0]] = change[1]
    with pytest.raises(InputError, match="damaged run file"), RunFile(path, checked=False) as file:
        for _ in file.edge_blocks():
            pass


def test_kinds_are_of_whole_channels() -> None:
    """Each level of a channel is told from the same edge, but for the pulse's own."""
    kind, place = distance_code._kinds(3 | 128, 1 << 3 | 1, 1 << 5)
    told = {value: int(kind[value]) for value in (0, 128, 3, 131, 5, 133, 64, 4)}
    assert told == {0: 1, 128: 1, 3: 1, 131: 0, 5: 2, 133: 2, 64: 3, 4: 3}
    assert sorted(place.tolist()) == list(range(256))
    assert place[131] == 0


def test_readers_of_a_file_that_grows(tmp_path: Path) -> None:
    """What counted when a reader opened it stays readable when it has been coded meanwhile."""
    path, (index, channel) = tmp_path / "run.h5", train(25_000)
    cuts = np.linspace(0, len(index) - 1, 9, dtype=int)[1:]
    copies, ends = [], []
    with contextlib.ExitStack() as opened, RunWriter(path, TEXTS, {"wiring": WIRING}) as writer:
        readers = []
        for number, block in enumerate(blocks_of(index, channel, cuts)):
            writer.edges(block)
            writer.flush()
            ends.append(block.end_sample)
            readers.append(opened.enter_context(RunFile(path)))
            copies.append(Path(shutil.copy(path, tmp_path / f"{number}.h5")))
            for end, reader in zip(ends, readers, strict=True):
                got = np.concatenate([each.index for each in reader.edge_blocks()])
                assert np.array_equal(got, index[index < end])
        writer.finish("complete", {})
    for end, copy in zip(ends, copies, strict=True):
        with RunFile(copy) as file:
            got = np.concatenate([each.index for each in file.edge_blocks()])
        assert np.array_equal(got, index[index < end])
