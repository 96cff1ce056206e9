# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges with a known truth: as arrays, as blocks, and computed without what is under test."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rig.instruments import EdgeBlock
from rig.record.reader import RunFile

TEXTS = {"plan": "[plan]", "fixture": "[fixture]", "calibration": "", "environment/host": "{}"}


def levels_of(channel: np.ndarray) -> np.ndarray:
    """Levels of edges in this order, all channels low at first."""
    level = np.zeros(len(channel), np.uint8)
    for c in np.unique(channel):
        level[channel == c] = (1 + np.arange(np.count_nonzero(channel == c))) % 2
    return level


def blocks_of(index: np.ndarray, channel: np.ndarray, cuts=(), end=None) -> list[EdgeBlock]:
    """Blocks that end after the sample of the edges numbered in `cuts`; `end`: of the last."""
    level = levels_of(channel)
    # Edges of one sample come in one block.
    stops = sorted({int(np.searchsorted(index, index[c], "right")) for c in cuts} | {len(index)})
    blocks, start, first, levels = [], 0, 0, 0
    for stop in stops:
        last = stop == len(index)
        until = int(index[stop - 1]) + 1 if stop > first else start
        until = end if last and end is not None else until
        part = slice(first, stop)
        blocks.append(EdgeBlock(start, until, index[part], channel[part], level[part], levels))
        for c in channel[part].tolist():
            levels ^= 1 << c
        start, first = until, stop
    return blocks


def interrupts(count: int, interval: np.ndarray, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Pulses of 10 us on channel 0, answered on channel 1 after 3 to 6 us, at 24 MHz."""
    start = np.cumsum(interval)
    answer = start + np.random.default_rng(seed).integers(72, 144, count)
    index = np.stack((start, answer, start + 240, answer + 240), axis=1).ravel()
    channel = np.tile(np.array([0, 1, 0, 1], np.uint8), count)
    return index, channel


def check_whole(blocks: list[EdgeBlock], first: int, end: int) -> None:
    """No hole from `first` to `end`, every edge inside its block, no sample in two blocks."""
    assert blocks
    assert (blocks[0].start_sample, blocks[-1].end_sample) == (first, end)
    for before, after in pairwise(blocks):
        assert before.end_sample == after.start_sample
    for block in blocks:
        assert block.start_sample <= block.end_sample
        if len(block.index):
            assert block.start_sample <= block.index[0]
            assert block.index[-1] < block.end_sample


def joined(blocks: list[EdgeBlock]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Index, channel, level of all blocks."""
    return tuple(
        np.concatenate([getattr(b, name) for b in blocks]) for name in ("index", "channel", "level")
    )


def all_of(path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Everything a run file holds, its blocks checked."""
    with RunFile(path) as file:
        blocks = list(file.edge_blocks())
        check_whole(blocks, 0, file.covered_samples)
        assert sum(len(b.index) for b in blocks) == file.edge_count
    return joined(blocks)
