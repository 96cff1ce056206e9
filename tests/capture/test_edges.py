# SPDX-License-Identifier: GPL-3.0-or-later
"""Edge extraction and glitch filter against oracles that look at every single sample."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.signals.glitch import GlitchFilter
from rig.capture.edges import EdgeExtractor, join_blocks
from rig.instruments import EdgeBlock

Edge = tuple[int, int, int]


def edges_of(block: EdgeBlock) -> list[Edge]:
    return list(
        zip(block.index.tolist(), block.channel.tolist(), block.level.tolist(), strict=True)
    )


def edges_by_looking(samples: Iterable[int], mask: int) -> list[Edge]:
    """Oracle: each channel of each sample against the sample before."""
    found: list[Edge] = []
    previous = None
    for index, sample in enumerate(samples):
        for channel in range(16):
            bit = 1 << channel
            if previous is not None and mask & bit and (sample ^ previous) & bit:
                found.append((index, channel, int(bool(sample & bit))))
        previous = sample
    return found


def split(data: bytes, cuts: list[int]) -> list[bytes]:
    borders = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(borders)]


def follow_each_other(blocks: list[EdgeBlock], start: int, end: int, levels: int) -> None:
    """Blocks cover start to end without a hole, hold only their own edges, and carry levels on."""
    for block in blocks:
        assert block.start_sample == start <= block.end_sample
        assert block.levels_before == levels
        for index, channel, level in edges_of(block):
            assert block.start_sample <= index < block.end_sample
            assert bool(levels >> channel & 1) != bool(level)
            levels ^= 1 << channel
        assert edges_of(block) == sorted(edges_of(block))
        start = block.end_sample
    assert start == end


@st.composite
def sample_trains(draw: st.DrawFn, unitsize: int) -> list[int]:
    """Quiet stretches of up to some words, or samples that change all the time."""
    values = st.one_of(
        st.sampled_from([0, 1, 256**unitsize - 1]), st.integers(0, 256**unitsize - 1)
    )
    runs = draw(st.lists(st.tuples(values, st.one_of(st.just(1), st.integers(1, 70))), max_size=40))
    return [value for value, length in runs for _ in range(length)]


@pytest.mark.parametrize("unitsize", [1, 2])
@given(data=st.data())
def test_extraction_equals_looking_at_every_sample(unitsize: int, data: st.DataObject) -> None:
    samples = data.draw(sample_trains(unitsize))
    mask = data.draw(st.one_of(st.just(0xFFFF), st.integers(0, 0xFFFF))) & (256**unitsize - 1)
    cuts = data.draw(st.lists(st.integers(0, 4000), max_size=8))
    extractor = EdgeExtractor(unitsize, mask)  # type: ignore[arg-type]
    raw = b"".join(sample.to_bytes(unitsize, "little") for sample in samples)
    blocks = [extractor.feed(part) for part in split(raw, cuts)]
    assert [edge for block in blocks for edge in edges_of(block)] == edges_by_looking(samples, mask)
    if samples:
        known = [block for block in blocks if block.end_sample]  # before them no level is known
        follow_each_other(known, 0, len(samples), samples[0] & mask)
    assert extractor.samples == len(samples)
    assert extractor.partial_bytes == 0


def test_half_a_sample_waits_for_its_other_half() -> None:
    extractor = EdgeExtractor(2, 0xFFFF)
    assert extractor.feed(b"\x00\x00\x01").end_sample == 1
    assert extractor.partial_bytes == 1
    assert edges_of(extractor.feed(b"\x80")) == [(1, 0, 1), (1, 15, 1)]
    assert extractor.partial_bytes == 0


@pytest.mark.parametrize("period", [1, 2, 4, 8])
def test_changes_that_repeat_with_the_word_are_seen(period: int) -> None:
    """Words of eight samples that all look alike are not quiet."""
    samples = [(index // period) & 1 for index in range(200)]
    extractor = EdgeExtractor(1, 0xFF)
    assert edges_of(extractor.feed(bytes(samples))) == edges_by_looking(samples, 0xFF)


def filtered_by_clusters(edges: list[Edge], width: int) -> tuple[list[Edge], dict[int, int]]:
    """Oracle: the rule in words, channel by channel."""
    kept: list[Edge] = []
    removed: dict[int, int] = {}
    for channel in {edge[1] for edge in edges}:
        cluster: list[Edge] = []
        clusters = [cluster]
        for edge in (edge for edge in edges if edge[1] == channel):
            if cluster and edge[0] - cluster[-1][0] >= width:
                cluster = []
                clusters.append(cluster)
            cluster.append(edge)
        for cluster in clusters:
            kept += cluster[-1:] if len(cluster) % 2 else []
            removed[channel] = removed.get(channel, 0) + len(cluster) // 2
    return sorted(kept), {channel: count for channel, count in removed.items() if count}


@st.composite
def edge_trains(draw: st.DrawFn) -> tuple[list[Edge], int, int]:
    """Alternating edges on up to four channels, the levels before them, the end sample."""
    levels = start_levels = draw(st.integers(0, 15))
    edges: list[Edge] = []
    index = 0
    gaps = st.one_of(st.integers(0, 6), st.integers(0, 60))
    for gap, channel in draw(st.lists(st.tuples(gaps, st.integers(0, 3)), max_size=60)):
        index += gap
        taken = any(edge[:2] == (index, channel) for edge in edges)
        if index == 0 or taken:
            continue
        levels ^= 1 << channel
        edges.append((index, channel, levels >> channel & 1))
    return sorted(edges), start_levels, index + 1 + draw(st.integers(0, 20))


def blocks_of(edges: list[Edge], levels: int, end: int, cuts: Iterable[int]) -> list[EdgeBlock]:
    borders = [0, *sorted(cut % (end + 1) for cut in cuts), end]
    blocks = []
    for start, stop in pairwise(borders):
        mine = [edge for edge in edges if start <= edge[0] < stop]
        index, channel, level = (
            np.array([edge[k] for edge in mine], dtype=kind)
            for k, kind in enumerate((np.int64, np.uint8, np.uint8))
        )
        blocks.append(EdgeBlock(start, stop, index, channel, level, levels))
        for edge in mine:
            levels ^= 1 << edge[1]
    return blocks


@given(
    train=edge_trains(),
    width=st.integers(0, 12),
    cuts=st.lists(st.integers(0, 4000), max_size=10),
)
def test_filter_equals_the_rule_however_the_train_is_split(
    train: tuple[list[Edge], int, int], width: int, cuts: list[int]
) -> None:
    edges, levels, end = train
    glitches = GlitchFilter(width)
    blocks = [glitches.feed(block) for block in blocks_of(edges, levels, end, cuts)]
    blocks.append(glitches.finish())
    expected, removed = filtered_by_clusters(edges, width)
    assert [edge for block in blocks for edge in edges_of(block)] == expected
    assert {channel: count for channel, count in glitches.removed.items() if count} == removed
    follow_each_other(blocks, 0, end, levels)


@given(train=edge_trains(), width=st.integers(1, 12))
def test_filter_holds_back_less_than_a_width(
    train: tuple[list[Edge], int, int], width: int
) -> None:
    edges, levels, end = train
    glitches = GlitchFilter(width)
    for block in blocks_of(edges, levels, end, range(end)):
        assert block.end_sample - glitches.feed(block).end_sample < width


def test_a_line_that_never_rests_is_held_back_by_one_edge_only() -> None:
    """Memory stays flat on a clock faster than the filter's width."""
    glitches = GlitchFilter(10)
    edges = [(index, 0, index & 1) for index in range(1, 10_001)]
    blocks = [glitches.feed(block) for block in blocks_of(edges, 0, 10_001, range(0, 10_001, 7))]
    blocks.append(glitches.finish())
    assert [edge for block in blocks for edge in edges_of(block)] == []
    assert glitches.removed == {0: 5_000}
    follow_each_other(blocks, 0, 10_001, 0)


def test_joined_blocks_are_one_block() -> None:
    edges = [(5, 0, 1), (9, 1, 1), (9, 2, 1), (30, 0, 0)]
    parts = blocks_of(edges, 0, 40, [9, 10, 10])
    whole = join_blocks(parts, 0, 0)
    assert edges_of(whole) == edges
    follow_each_other([whole], 0, 40, 0)
