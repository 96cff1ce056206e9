# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks that would inflate to a thousand times their size: refused, in little memory."""

from __future__ import annotations

import subprocess
import sys
import zlib
from functools import cache
from pathlib import Path

import h5py
import numpy as np
import pytest

from rig.errors import InputError
from rig.instruments import LOG_RECORD, EdgeBlock
from rig.record.computed import ComputedWriter
from rig.record.layout import (
    ANSWER_CHUNK,
    CHUNK,
    EVENT_COLUMNS,
    INTERNAL_LATENCY,
)
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from tests.record.older import as_version_2, plain
from tests.record.trains import TEXTS

ROWS = 2 * CHUNK
MEMORY_MAX_BYTES = 500 << 20

READ_ALL = """
import sys
from pathlib import Path
from rig.errors import InputError
from rig.record.layout import EVENT_COLUMNS, INTERNAL_LATENCY
from rig.record.reader import RunFile
try:
    with RunFile(Path(sys.argv[1]), checked=False) as file:
        if sys.argv[2] == "vetted":
            file.look_through()
        _ = file.report
        list(file.edge_blocks())
        file.captures(0, file.capture_count)
        file.log(0, file.log_count)
        file.events(0, file.event_count, (*EVENT_COLUMNS, INTERNAL_LATENCY))
    print("read")
except InputError as error:
    print(error)
status = Path("/proc/self/status").read_text()  # what ru_maxrss has is also the parent's
print(int(status.partition("VmHWM:")[2].split()[0]) << 10)
"""
COMPRESSED = (
    "target/log/rest", "edges/delta", "edges/channel_level", "stimulus/capture_ticks/rest",
    "events/stimulus", "events/response", "events/planned", "events/internal_latency",
    "events/response_edge", "events/status",
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with two chunks of each column."""
    path = tmp_path / "run.h5"
    index = np.arange(ROWS, dtype=np.int64) * 7
    level = (1 - np.arange(ROWS) % 2).astype(np.uint8)
    with RunWriter(path, TEXTS, {}) as writer:
        writer.edges(EdgeBlock(0, 7 * ROWS, index, np.zeros(ROWS, np.uint8), level, 0))
        writer.captures(index)
        log = np.zeros(ROWS, LOG_RECORD)
        log["sequence"] = np.arange(ROWS)
        writer.log(log)
        writer.finish("complete", {})
    events = dict.fromkeys((*EVENT_COLUMNS, INTERNAL_LATENCY), np.zeros(ROWS, np.int64))
    with RunFile(path, write=True) as file:
        computed = ComputedWriter(file)
        computed.events(events)
        none = np.empty(0, np.int64)
        computed.summary("{}", {}, (none, none))
    return path


def test_files_with_longer_chunks_are_read(path: Path) -> None:
    with RunFile(path) as file:
        log, captures = file.log(0, ROWS), file.captures(0, ROWS)
    as_version_2(path)
    with RunFile(path, checked=False) as file:
        file.look_through()
        assert np.array_equal(file.log(0, ROWS), log)
        assert np.array_equal(file.captures(0, ROWS), captures)


@cache
def bomb(size: int) -> bytes:
    """A DEFLATE stream of about this size, of zeros: a thousand times as long."""
    squeezer = zlib.compressobj(9)
    parts = [squeezer.compress(bytes(1 << 20))]
    while sum(map(len, parts)) < size - 2_000:
        parts.append(squeezer.compress(bytes(1 << 20)))
    return b"".join((*parts, squeezer.flush()))


def read(path: Path, how: str) -> tuple[str, int]:
    """What a reader of everything says, and the most memory that it had, in bytes."""
    words = [sys.executable, "-c", READ_ALL, str(path), how]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    return said[0], int(said[1])


@pytest.mark.parametrize("how", ["vetted", "unvetted"])
def test_the_largest_bomb_that_fits_into_a_chunk(path: Path, how: str) -> None:
    """Of the log, whose chunks are the largest: 1.4 GB of records, if anybody inflated it."""
    as_version_2(path)
    with h5py.File(path, "r+") as file:
        log = file["target/log"]
        data = bomb(log.chunks[0] * log.dtype.itemsize)
        assert len(data) > 1_300_000
        log.id.write_direct_chunk((CHUNK,), data)
    said, memory_bytes = read(path, how)
    assert "damaged run file, chunk 1 of target/log does not have 1,310,720 bytes" in said
    assert memory_bytes < MEMORY_MAX_BYTES


@pytest.mark.parametrize("name", COMPRESSED)
def test_every_compressed_dataset_is_bounded(path: Path, name: str) -> None:
    with h5py.File(path, "r+") as file:
        column = file[name]
        full = column.chunks[0] * column.dtype.itemsize
        column.id.write_direct_chunk((0,), zlib.compress(bytes(full + 1)))
    said, _ = read(path, "vetted")
    assert f"chunk 0 of {name} does not have {full:,} bytes" in said


def test_a_chunk_cut_short_and_one_that_is_no_stream(path: Path) -> None:
    with h5py.File(path, "r+") as file:
        rest = file["target/log/rest"].id
        rest.write_direct_chunk((0,), zlib.compress(bytes(ANSWER_CHUNK)))
        rest.write_direct_chunk((ANSWER_CHUNK,), b"no stream")
    with RunFile(path, checked=False) as file:
        with pytest.raises(InputError, match="chunk 0 of target/log/rest does not have 32,768"):
            file.log(0, 1)
        with pytest.raises(InputError, match="chunk 1 of target/log/rest cannot be inflated"):
            file.log(ANSWER_CHUNK, 1)


def test_filters_left_out_of_a_chunk(path: Path) -> None:
    """As HDF5 does when data cannot be compressed; its mask says so."""
    rows = np.zeros(ANSWER_CHUNK, LOG_RECORD)
    rows["sequence"] = np.arange(ANSWER_CHUNK)
    planes = rows.view(np.uint8).reshape(ANSWER_CHUNK, -1).T.tobytes()
    for mask, data in ((2, planes), (1, zlib.compress(rows.tobytes())), (3, rows.tobytes())):
        with h5py.File(path, "r+") as file:
            plain(file, "target/log").id.write_direct_chunk((0,), data, mask)
            assert np.array_equal(file["target/log"][:ANSWER_CHUNK], rows)  # by HDF5 itself
        with RunFile(path, checked=False) as file:
            assert np.array_equal(file.log(0, ANSWER_CHUNK), rows)


def missing(file: h5py.File) -> None:
    file["target/log/rest"].resize((0,))
    file["target/log/rest"].resize((ROWS,))


def deflated_tail(file: h5py.File) -> None:
    del file["tail/target/log"]
    file.create_dataset(
        "tail/target/log", (ANSWER_CHUNK,), LOG_RECORD, chunks=(1024,), compression="gzip"
    )


def deflated_report(file: h5py.File) -> None:
    del file["report"]
    file.create_dataset("report", data=np.array([b"{}"], "S4096"), chunks=(1,), compression=1)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (missing, "chunk 0 of target/log/rest is missing or too large"),
        (deflated_tail, "target/log is not as it should be"),
        (deflated_report, "report is not a text"),
    ],
)
def test_what_is_not_stored_as_the_writer_does(path: Path, change, told: str) -> None:
    with h5py.File(path, "r+") as file:
        change(file)
    said, _ = read(path, "unvetted")
    assert told in said
