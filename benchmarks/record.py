# SPDX-License-Identifier: GPL-3.0-or-later
"""The run file's rate: edges through the writer and back, against zlib alone on the same bytes."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np

from benchmarks.clock import best_s
from benchmarks.measured_run import TRAINS, write_measured_run
from rig.instruments import EdgeBlock, Int64Array, UInt8Array
from rig.record.digest import raw_parts
from rig.record.layout import CHUNK
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from rig.session.results import store
from rig.stimulus.train import Pattern

EDGES = 1 << 23
BLOCK = 20_000
"""Edges of a block, as they come from the analyzer's worker on a busy line."""
TIMES = 2
EVENTS, LONG = 200_000, 1_000_000


def lines(folder: Path) -> Iterator[str]:
    """Edges per second written and read, bytes an edge, for trains from easy to hard."""
    random = np.random.default_rng(1)
    periodic, uniform = np.full(EDGES // 4, 24_000), random.integers(12_000, 36_000, EDGES // 4)
    one = np.zeros(EDGES, np.uint8)
    for name, (index, channel) in (
        ("1 edge in 3 samples", (np.arange(1, EDGES + 1) * 3, one)),
        ("periodic interrupts", interrupts(periodic, random)),
        ("random interrupts", interrupts(uniform, random)),
        ("noise on one line", (np.cumsum(random.integers(1, 200, EDGES)), one)),
    ):
        yield line(folder / "edges.h5", name, index, channel)
    yield digests_line(folder / "measured.h5")
    for pattern in TRAINS:
        for measured in ((True, True), (False, True), (True, False), (False, False)):
            yield size_line(folder / f"{pattern}{measured}.h5", pattern, *measured)


def line(path: Path, name: str, index: Int64Array, channel: UInt8Array) -> str:
    """The figures of one train."""
    level = (1 - np.arange(EDGES) // (1 + channel.max()) % 2).astype(np.uint8)
    starts = [0, *(index[BLOCK - 1 : -1 : BLOCK] + 1).tolist()]
    blocks = [
        EdgeBlock(start, stop, index[part], channel[part], level[part], 0)
        for start, stop, first in zip(
            starts, [*starts[1:], int(index[-1]) + 1], range(0, EDGES, BLOCK), strict=True
        )
        for part in (slice(first, first + BLOCK),)
    ]
    write_s = best_s(lambda: write(path, blocks), TIMES)
    read_s = best_s(lambda: read(path), TIMES)
    packed = channel | level << np.uint8(7)
    zlib_s = best_s(lambda: compress(np.diff(index, prepend=0).astype(np.uint32), packed), TIMES)
    return (
        f"run file         {EDGES / write_s / 1e6:6.1f} million edges/s written, "
        f"{EDGES / read_s / 1e6:.1f} read, {path.stat().st_size / EDGES:.2f} bytes an edge, "
        f"{name}: {zlib_s / write_s:.2f} of zlib alone"
    )


def digests_line(path: Path) -> str:
    """What comparing the digests of a file costs beside reading all of its raw data."""
    write_measured_run(path, EVENTS)
    hash_s, read_s = best_s(lambda: hash_raw(path)), best_s(lambda: read_raw(path))
    return (
        f"run file         {hash_s / read_s:.2f} of the time of reading all raw data takes hashing "
        f"them, {EVENTS:,} interrupts with log and input capture"
    )


def size_line(path: Path, pattern: Pattern, log: bool, captures: bool) -> str:
    """Bytes an event of a long run, and what they are for."""
    write_measured_run(path, LONG, pattern=pattern, log=log, captures=captures)
    store(path)
    parts: Counter[str] = Counter()
    with h5py.File(path) as file:
        file.visititems(
            lambda name, item: parts.update(
                {name.partition("/")[0]: item.id.get_storage_size()}
                if isinstance(item, h5py.Dataset)
                else {}
            )
        )
    told = ", ".join(
        f"{name} {size / LONG:.2f}" for name, size in parts.items() if size > LONG / 99
    )
    what = " and ".join(name for name, there in (("log", log), ("captures", captures)) if there)
    return (
        f"run file         {path.stat().st_size / LONG:.2f} bytes an event of {LONG:,}, {pattern}, "
        f"with {what or 'edges only'}: {told}"
    )


def hash_raw(path: Path) -> None:
    """The digests of all parts."""
    with RunFile(path, checked=False) as file:
        assert raw_parts(file.stored, str(path)) == file.digests


def read_raw(path: Path) -> None:
    """All rows, without a look at the digests."""
    with RunFile(path, checked=False) as file:
        for _ in file.edge_blocks():
            pass
        for first in range(0, file.log_count, CHUNK):
            file.log(first, CHUNK)
            file.captures(first, CHUNK)


def interrupts(interval: Int64Array, random: np.random.Generator) -> tuple[Int64Array, UInt8Array]:
    """Pulses of 10 us on channel 0, answered on channel 1 after 3 to 6 us, at 24 MHz."""
    start = np.cumsum(interval)
    answer = start + random.integers(72, 144, len(interval))
    index = np.stack((start, answer, start + 240, answer + 240), axis=1).ravel()
    return index, np.tile(np.array([0, 1, 0, 1], np.uint8), len(interval))


def write(path: Path, blocks: list[EdgeBlock]) -> None:
    """A run file with these edges."""
    path.unlink(missing_ok=True)
    with RunWriter(path, {"plan": "", "fixture": ""}, {}) as writer:
        for block in blocks:
            writer.edges(block)
        writer.finish("complete", {})


def read(path: Path) -> None:
    """All of its edges."""
    with RunFile(path) as file:
        assert sum(len(block.index) for block in file.edge_blocks()) == EDGES


def compress(delta: np.ndarray, packed: UInt8Array) -> None:
    """The same bytes in the same pieces, shuffled as HDF5 does, through zlib at level 1."""
    for first in range(0, EDGES, CHUNK):
        piece = delta[first : first + CHUNK].view(np.uint8).reshape(-1, 4)
        zlib.compress(np.ascontiguousarray(piece.T), 1)
        zlib.compress(packed[first : first + CHUNK], 1)
