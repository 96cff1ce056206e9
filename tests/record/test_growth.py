# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run costs on disk: an edge, a flush, an hour of nothing."""

from __future__ import annotations

import numpy as np
import pytest

from rig.instruments import EdgeBlock
from rig.record.writer import RunWriter
from tests.record.trains import TEXTS, all_of, blocks_of, interrupts

STIMULI = 100_000
BYTES_AN_EDGE = 1.2


def written(path, index, channel, flushes=0) -> int:
    """Size of a run file with these edges, flushed that often in between."""
    cuts = np.linspace(0, len(index) - 1, flushes + 1, dtype=int)[1:] if flushes else ()
    with RunWriter(path, TEXTS, {}) as writer:
        for block in blocks_of(index, channel, cuts):
            writer.edges(block)
            if flushes:
                writer.flush()
        writer.finish("complete", {})
    return path.stat().st_size


def square(distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One channel that changes after each of these distances."""
    return np.cumsum(distance), np.zeros(len(distance), np.uint8)


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("every 3 samples", square(np.full(4 * STIMULI, 3))),
        ("periodic", interrupts(STIMULI, np.full(STIMULI, 24_000))),
        (
            "uniform train",
            interrupts(STIMULI, np.random.default_rng(5).integers(12_000, 36_000, STIMULI)),
        ),
        ("noise", square(np.random.default_rng(6).integers(1, 200, 4 * STIMULI))),
    ],
)
def test_bytes_an_edge(tmp_path, name, edges):
    assert written(tmp_path / "run.h5", *edges) <= BYTES_AN_EDGE * len(edges[0])


def test_flushing_costs_little(tmp_path):
    """A slow run is flushed many times a chunk: a compressed part each time would triple it."""
    edges = interrupts(STIMULI, np.random.default_rng(5).integers(12_000, 36_000, STIMULI))
    at_once = written(tmp_path / "once.h5", *edges)
    flushed = written(tmp_path / "flushed.h5", *edges, flushes=200)
    assert flushed < 1.1 * at_once + 200_000  # one tail of edges, uncompressed
    for got, sent in zip(
        all_of(tmp_path / "flushed.h5"), all_of(tmp_path / "once.h5"), strict=True
    ):
        assert np.array_equal(got, sent)


def test_an_hour_of_nothing_costs_nothing(tmp_path):
    path = tmp_path / "run.h5"
    second = 24_000_000
    none = np.empty(0, np.uint8)
    with RunWriter(path, TEXTS, {}) as writer:
        writer.edges(EdgeBlock(0, second, np.array([5]), np.uint8([0]), np.uint8([1]), 0))
        writer.flush()
        before = path.stat().st_size
        for half in range(2, 2 * 3600):
            start = half * second // 2
            writer.edges(EdgeBlock(start, start + second // 2, none.astype(int), none, none, 1))
            writer.flush()
        assert path.stat().st_size == before
        end = 3600 * second
        writer.edges(EdgeBlock(end, end + 9, np.array([end]), np.uint8([0]), np.uint8([0]), 1))
    index, _, level = all_of(path)
    assert (index.tolist(), level.tolist()) == ([5, end], [1, 0])
