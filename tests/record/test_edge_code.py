# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances and anchors: any edges come back, whole or in part, wherever chunks begin."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.errors import InputError
from rig.instruments import EdgeBlock
from rig.record.edge_code import EdgeDecoder, EdgeEncoder, levels_after, levels_along
from rig.record.layout import ANCHOR, ANCHORS, CHUNK, DELTA
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from tests.record.trains import TEXTS, all_of, blocks_of, check_whole, joined, levels_of
from tests.resealing import resealed

FAR = 1 << 32
DISTANCES = st.one_of(
    st.integers(1, 9), st.integers(FAR - 2, FAR + 2), st.integers(1, 1 << 44), st.just(2 * FAR)
)


@st.composite
def trains(draw):
    """Samples at which one to three channels change, chunk borders at any place among them."""
    distance = draw(st.lists(DISTANCES, max_size=30))
    filling = draw(st.sampled_from([0, 0, CHUNK - 20, CHUNK, 2 * CHUNK + 3]))
    place = draw(st.integers(0, len(distance)))
    many = np.full(filling, draw(st.integers(1, 5)))
    distance = np.concatenate((distance[:place], many, distance[place:])).astype(np.int64)
    random = np.random.default_rng(draw(st.integers(0, 99)))
    changes = random.integers(1, 8, len(distance))
    bits = (changes[:, None] >> np.arange(3)) & 1
    at, channel = np.nonzero(bits)
    index = np.cumsum(distance)[at]
    cuts = random.integers(0, len(index), draw(st.integers(0, 4))) if len(index) else []
    end = (int(index[-1]) + 1 if len(index) else 0) + draw(st.sampled_from([0, 1, 3 * FAR]))
    return index, channel.astype(np.uint8), cuts, end


@settings(max_examples=40)
@given(trains(), st.booleans())
def test_any_edges_come_back(tmp_path_factory, train, flushed):
    index, channel, cuts, end = train
    path = tmp_path_factory.mktemp("run") / "run.h5"
    with RunWriter(path, TEXTS, {}) as writer:
        for block in blocks_of(index, channel, cuts, end):
            writer.edges(block)
            if flushed:
                writer.flush()
    for got, sent in zip(all_of(path), (index, channel, levels_of(channel)), strict=True):
        assert np.array_equal(got, sent)


@settings(max_examples=25)
@given(trains(), st.data())
def test_any_part_comes_back(tmp_path_factory, train, data):
    """Levels before a part, too, are those that the edges before it left."""
    index, channel, cuts, end = train
    path = tmp_path_factory.mktemp("run") / "run.h5"
    with RunWriter(path, TEXTS, {}) as writer:
        for block in blocks_of(index, channel, cuts, end):
            writer.edges(block)
    edge_samples = st.sampled_from(index.tolist()) if len(index) else st.just(0)
    places = st.one_of(st.integers(0, end + 5), edge_samples)
    with RunFile(path) as file:
        for _ in range(8):
            first, until = data.draw(places), data.draw(places)
            blocks = list(file.edge_blocks(first, until))
            stop = min(until, end)
            check_whole(blocks, min(first, stop), stop)
            inside = (index >= first) & (index < until)
            for got, sent in zip(joined(blocks), (index, channel, levels_of(channel)), strict=True):
                assert np.array_equal(got, sent[inside])
            before = np.bincount(channel[index < min(first, stop)], minlength=3)
            assert blocks[0].levels_before == sum((n & 1) << c for c, n in enumerate(before))


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(0, 255), max_size=50))
def test_levels_after(levels, packed):
    expected = levels
    for edge in packed:
        channel, level = edge & 127, edge >> 7
        expected = expected & ~(1 << channel) | level << channel
    assert levels_after(levels, np.array(packed, np.uint8)) == expected


@given(
    st.integers(0, 2**64 - 1),
    st.sampled_from([7, 8, 15, 16, 63]),
    st.lists(st.integers(0, 63), max_size=50),
)
def test_levels_along(levels, highest, channels):
    """One level changes at each edge, with masks of every width."""
    channels = [channel % (highest + 1) for channel in channels]
    levels %= 2 << highest
    expected = [levels]
    for channel in channels:
        expected.append(expected[-1] ^ 1 << channel)
    assert levels_along(levels, np.array(channels, np.uint8)).tolist() == expected


ROWS = (1 << 33) + 5


class ManyRows:
    """Columns of more than 2**33 edges, every third sample one, computed when they are read."""

    def rows(self, _name):
        return ROWS

    def read(self, name, first, stop):
        if name == ANCHORS:
            borders = np.arange(0, ROWS, CHUNK)
            anchors = np.zeros(len(borders), ANCHOR)
            anchors["row"], anchors["sample"] = borders, 3 * borders
            return anchors
        if name == DELTA:
            return np.full(stop - first, 3, np.uint32)
        return (1 - np.arange(first, stop) % 2 << 7).astype(np.uint8)


def test_more_edges_than_32_bits_count():
    decoder = EdgeDecoder(ManyRows(), "run.h5", 3 * ROWS)
    assert decoder.rows == ROWS
    first = 3 * (ROWS - 2)
    _, *chunks = zip(*decoder.chunks_from(first), strict=True)
    index, packed = (np.concatenate(parts) for parts in chunks)
    assert index[index >= first].tolist() == [first, first + 3]
    assert packed[-2:].tolist() == [0, 128]


class Taken(dict):
    """What an encoder appends."""

    def append(self, name, rows):
        self.setdefault(name, []).extend(rows.tolist())


def test_rows_of_anchors_beyond_32_bits():
    taken = Taken()
    encoder = EdgeEncoder(taken)
    encoder._rows, encoder._last_sample = (1 << 33) - 1, 10**12
    index = np.array([10**12 + 7, 10**12 + 9, 10**12 + 9 + FAR])
    encoder.append(EdgeBlock(10**12 + 1, 10**13, index, *np.zeros((2, 3), np.uint8), 5))
    assert [row[:2] for row in taken[ANCHORS]] == [
        (1 << 33, 10**12 + 9),
        ((1 << 33) + 1, 10**12 + 9 + FAR),
    ]
    assert taken[DELTA] == [7, 0, 0]


@pytest.mark.parametrize(
    ("dataset", "change", "message"),
    [
        ("edges/anchor", lambda rows: rows["row"].__setitem__(1, 5), "anchors of its edges"),
        ("edges/anchor", lambda rows: rows["sample"].__setitem__(1, 0), "out of order"),
        ("edges/anchor", lambda rows: rows["sample"].__setitem__(1, -1), "anchors of its edges"),
        ("edges/anchor", lambda rows: rows["sample"].__setitem__(0, -9), "out of order"),
        ("edges/delta", lambda rows: rows.__setitem__(slice(None), 0), "of one sample"),
        ("edges/delta", lambda rows: rows.__setitem__(7, 2**32 - 1), "out of order"),
        ("edges/delta", lambda rows: rows.__setitem__(7, 0), "of one sample are out of order"),
        ("written", lambda rows: rows.__setitem__((0, 0), 10**9), "has 1000000000 of"),
        ("written", lambda rows: rows.__setitem__((0, 1), 10**9), "rows"),
        ("edges/covered", lambda rows: rows.__setitem__(0, -1), "covered is not a count"),
    ],
)
def test_damaged_edges_are_one_clear_line(tmp_path, dataset, change, message):
    path = tmp_path / "run.h5"
    index = np.arange(CHUNK + 9) * 3
    with RunWriter(path, TEXTS, {}) as writer:
        for block in blocks_of(index, np.zeros(len(index), np.uint8)):
            writer.edges(block)
        writer.finish("complete", {})
    with resealed(path) as file:
        rows = file[dataset][:]
        change(rows)
        file[dataset][...] = rows
    with pytest.raises(InputError, match=rf"run\.h5: damaged run file, .*{message}"):
        all_of(path)


LAST = 2 * CHUNK + 8
"""The last of the edges of `three_chunks`."""


def three_chunks(path):
    """Edges of four channels, several of them at a time, and at both borders of chunks."""
    many = LAST // 4 + 9
    channel = np.tile(np.array([0, 2, 5, 2], np.uint8), many)[: LAST + 1]
    index = np.repeat(np.arange(many) * 10, 4) + np.tile([0, 0, 0, 4], many)
    with RunWriter(path, TEXTS, {}) as writer:
        for block in blocks_of(index[: LAST + 1], channel):
            writer.edges(block)
        writer.finish("complete", {})
    assert np.array_equal(all_of(path)[1], channel)
    return index[: LAST + 1], channel


@pytest.mark.parametrize("row", [0, 1, 6, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, LAST])
def test_an_edge_to_the_level_that_its_channel_had_is_named(tmp_path, row):
    """Two rising edges in a row, the first of them in this chunk or in the one before."""
    path = tmp_path / "run.h5"
    index, channel = three_chunks(path)
    with resealed(path) as file:
        code = file["edges/channel_level"]
        code[row] ^= 0x80
        level = "high" if code[row] & 0x80 else "low"
    said = (
        f"damaged run file, edge {row:,} at sample {index[row]:,} sets channel {channel[row]} "
        f"{level}, which it was before: "
    )
    with RunFile(path) as file, pytest.raises(InputError) as refused:
        for _ in file.edge_blocks():
            pass
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("row", [3, CHUNK - 1, CHUNK])
def test_a_missing_edge_is_seen_at_the_channels_next_one(tmp_path, row):
    """An edge given to a channel that has none is the other channel's missing one."""
    path = tmp_path / "run.h5"
    _, channel = three_chunks(path)
    with resealed(path) as file:
        file["edges/channel_level"][row] = 0x80 | 7
    after = row + 1 + int(np.argmax(channel[row + 1 :] == channel[row]))
    with pytest.raises(InputError, match=rf"edge {after:,} at .* sets channel {channel[row]} "):
        all_of(path)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_levels_of_an_anchor_are_those_that_the_edges_leave(tmp_path, number):
    path = tmp_path / "run.h5"
    three_chunks(path)
    with resealed(path) as file:
        anchors = file["edges/anchor"][:]
        anchors["levels"][number] ^= 1 << 9  # of a channel that has no edge
        file["edges/anchor"][...] = anchors
    said = f"the levels before edge {number * CHUNK:,} are" if number else "levels_before is not"
    with pytest.raises(InputError, match=said):
        all_of(path)


def test_a_channel_that_no_mask_of_levels_has_is_refused(tmp_path):
    path = tmp_path / "run.h5"
    three_chunks(path)
    with resealed(path) as file:
        file["edges/channel_level"][5] = 64
    with pytest.raises(InputError, match="has an edge of a channel beyond 63"):
        all_of(path)


def test_places_of_edges_must_ascend(tmp_path):
    """Far gaps have anchors of their own; two of them exchanged are damage, not other edges."""
    path = tmp_path / "run.h5"
    index = np.concatenate([np.arange(10), 2 * FAR + np.arange(10), 5 * FAR + np.arange(10)])
    with RunWriter(path, TEXTS, {}) as writer:
        for block in blocks_of(index, np.zeros(len(index), np.uint8)):
            writer.edges(block)
        writer.finish("complete", {})
    assert np.array_equal(all_of(path)[0], index)
    with resealed(path) as file:
        rows = file["edges/anchor"][:]
        assert rows["row"].tolist() == [0, 10, 20]
        rows["row"][1:] = [20, 10]
        file["edges/anchor"][...] = rows
    with pytest.raises(InputError, match=r"run\.h5: damaged run file, .*anchors of its edges"):
        all_of(path)


def test_a_dataset_of_another_kind_is_refused(tmp_path):
    """A chunk is read whole, so its size is not the file's to choose."""
    path = tmp_path / "run.h5"
    with RunWriter(path, TEXTS, {}) as writer:
        writer.finish("complete", {})
    with resealed(path) as file:
        del file["edges/delta"]
        file.create_dataset("edges/delta", (0,), "u4", chunks=(1 << 20,), maxshape=(None,))
    with pytest.raises(InputError, match="damaged run file, edges/delta is not as it should be"):
        RunFile(path)


@pytest.mark.parametrize("dataset", ["edges/anchor", "edges/delta"])
def test_a_damaged_chunk_is_one_clear_line(tmp_path, dataset):
    path = tmp_path / "run.h5"
    index = np.arange(CHUNK + 9) * 3
    with RunWriter(path, TEXTS, {}) as writer:
        for block in blocks_of(index, np.zeros(len(index), np.uint8)):
            writer.edges(block)
        writer.finish("complete", {})
    with h5py.File(path) as file:
        chunks = file[dataset].id
        last = chunks.get_chunk_info(chunks.get_num_chunks() - 1)
    with path.open("r+b") as raw:
        raw.seek(last.byte_offset)
        raw.write(b"\xff" * last.size)
    with resealed(path):
        pass  # stored like this by whoever wrote it
    with pytest.raises(
        InputError, match=f"run.h5: damaged run file, chunk . of {dataset} cannot be inflated"
    ):
        RunFile(path)
