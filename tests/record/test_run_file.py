# SPDX-License-Identifier: GPL-3.0-or-later
"""The run file: what is written comes back, live, after a crash, and from damaged files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rig.errors import BenchError, InputError
from rig.instruments import LOG_RECORD, EdgeBlock, Loss, LossKind
from rig.record.layout import ANSWER_CHUNK, CHUNK
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from tests.record.test_stamp_code import SETTINGS, measured
from tests.record.trains import blocks_of

TEXTS = {"plan": "[plan]", "fixture": "[fixture]", "calibration": ""}


def edges(index, channel, *, start=0, end=None, levels=0) -> EdgeBlock:
    """A block whose levels follow from the order of edges on each channel."""
    index, channel = np.array(index, np.int64), np.array(channel, np.uint8)
    level = np.zeros(len(index), np.uint8)
    state = levels
    for i, c in enumerate(channel):
        state ^= 1 << int(c)
        level[i] = state >> int(c) & 1
    end = (int(index[-1]) + 1 if len(index) else start) if end is None else end
    return EdgeBlock(start, end, index, channel, level, levels)


def read_back(path):
    with RunFile(path) as file:
        blocks = list(file.edge_blocks())
    for before, after in pairwise(blocks):
        assert before.end_sample == after.start_sample
    for block in blocks:
        assert np.all(block.index >= block.start_sample)
        assert np.all(block.index < block.end_sample)
    index = np.concatenate([b.index for b in blocks])
    channel = np.concatenate([b.channel for b in blocks])
    level = np.concatenate([b.level for b in blocks])
    return blocks, index, channel, level


def test_what_waits_is_written_out_when_a_run_does_not_finish(tmp_path):
    path = tmp_path / "run.h5"
    log = np.zeros(3, LOG_RECORD)
    with RunWriter(path, TEXTS, {}) as writer:
        writer.edges(edges([3, 3, 9], [0, 1, 0], end=20))
        writer.captures(np.array([5, 6]))
        writer.log(log)
    with RunFile(path) as file:
        assert (file.state, file.covered_samples, file.log_count) == ("running", 20, 3)
        assert file.captures(0, 9).tolist() == [5, 6]
    assert read_back(path)[1].tolist() == [3, 3, 9]


@pytest.mark.parametrize("stored", ["[[record]]", "", None])
def test_the_calibration_is_the_stored_one(tmp_path, stored):
    path = tmp_path / "run.h5"
    others = {name: text for name, text in TEXTS.items() if name != "calibration"}
    texts = others if stored is None else {**others, "calibration": stored}
    with RunWriter(path, texts, {}) as writer:
        writer.finish("complete", {})
    with RunFile(path) as file:
        assert file.calibration == (stored or "")


def test_everything_comes_back(tmp_path):
    path = tmp_path / "run.h5"
    first = edges([3, 3, 9], [0, 1, 0], end=20, levels=0b100)
    log = np.zeros(5, LOG_RECORD)
    log["sequence"] = range(5)
    with RunWriter(path, TEXTS, {"a": 1}) as writer:
        writer.edges(first)
        writer.edges(edges([25], [2], start=20, end=40, levels=0b110))
        writer.captures(np.array([5, 6]))
        writer.log(log)
        writer.loss(Loss(LossKind.STALL, 12, "no samples for 5 s"))
        writer.finish("complete", {"sent": 2})
    with RunFile(path) as file:
        assert (file.text("plan"), file.settings, file.report) == ("[plan]", {"a": 1}, {"sent": 2})
        assert (file.state, file.covered_samples, file.log_count) == ("complete", 40, 5)
        assert file.log(1, 2)["sequence"].tolist() == [1, 2]
        assert file.captures(0, 9).tolist() == [5, 6]
        assert file.losses() == [("stall", 12, "no samples for 5 s")]
    blocks, index, channel, level = read_back(path)
    assert blocks[0].levels_before == 0b100
    assert index.tolist() == [3, 3, 9, 25]
    assert channel.tolist() == [0, 1, 0, 2]
    assert level.tolist() == [1, 1, 0, 0]


@settings(max_examples=8)
@given(st.integers(0, 3 * CHUNK), st.integers(1, 5), st.randoms(use_true_random=False))
def test_chunk_borders_between_edges_of_one_sample(tmp_path_factory, n, stride, random):
    """All three channels change at once; no block may cut such a sample in two."""
    path = tmp_path_factory.mktemp("run") / "run.h5"
    index = np.repeat(np.arange(n // 3) * stride, 3)
    channel = np.tile(np.array([0, 1, 2], np.uint8), n // 3)
    level = (1 - index // stride % 2).astype(np.uint8) if len(index) else channel
    cuts = sorted(random.randrange(n // 3 + 1) * 3 for _ in range(4))
    start, levels = 0, 0
    with RunWriter(path, TEXTS, {}) as writer:
        for low, high in zip([0, *cuts], [*cuts, len(index)], strict=True):
            if high > low:
                end = int(index[high - 1]) + 1
                writer.edges(
                    EdgeBlock(
                        start, end, index[low:high], channel[low:high], level[low:high], levels
                    )
                )
                start, levels = end, 7 * int(level[high - 1])
        writer.finish("complete", {})
    blocks, *columns = read_back(path)
    for got, sent in zip(columns, (index, channel, level), strict=True):
        assert np.array_equal(got, sent)
    state = 0
    for block in blocks:
        assert block.levels_before == state
        for c, v in zip(block.channel.tolist()[-3:], block.level.tolist()[-3:], strict=True):
            state = state & ~(1 << c) | v << c


def test_the_documented_way_to_read_edges(tmp_path, monkeypatch):
    """The code in docs/reference/run-file.md, run as it stands there."""
    text = (Path(__file__).parents[2] / "docs/reference/run-file.md").read_text()
    blocks = r"^    .*\n(?:(?:^\n)*^    .*\n)*"  # with blank lines within
    (code,) = re.findall(blocks, text[: text.index("## While")], re.MULTILINE)
    monkeypatch.chdir(tmp_path)

    def read() -> dict[str, np.ndarray]:
        names = {"h5py": h5py, "np": np}
        exec(textwrap.dedent(code), names)  # noqa: S102
        return names

    index = np.cumsum(np.where(np.arange(CHUNK + 9) == 77, 1 << 33, 3))
    with RunWriter(tmp_path / "run.h5", TEXTS, {}) as writer:
        writer.edges(edges(index, np.zeros(len(index))))
        writer.finish("complete", {})
    assert np.array_equal(read()["sample"], index)

    (tmp_path / "run.h5").unlink()
    run = measured(2 * ANSWER_CHUNK + 300)
    run.index[9_000:] += 1 << 33
    with RunWriter(tmp_path / "run.h5", TEXTS, SETTINGS) as writer:
        for block in blocks_of(run.index, run.channel):
            writer.edges(block)
        writer.captures(run.captures)
        writer.log(run.log)
        writer.finish("complete", {})
    found = read()
    assert np.array_equal(found["sample"], run.index)
    assert np.array_equal(found["captures"], run.captures)
    assert np.array_equal(found["before"].astype("u8"), run.log["before_ticks"])


WRITE_AND_WAIT = """
import sys
from pathlib import Path
import numpy as np
from rig.instruments import EdgeBlock
from rig.record.writer import RunWriter
index = np.arange(0, 200_000, 2)
with RunWriter(Path(sys.argv[1]), {"plan": "", "fixture": ""}, {}) as writer:
    zero = np.zeros(len(index), np.uint8)
    writer.edges(EdgeBlock(0, 200_000, index, zero, (1 - index // 2 % 2).astype(np.uint8), 0))
    writer.flush()
    print("ready", flush=True)
    sys.stdin.read()
"""


def test_readable_while_written_and_after_kill(tmp_path):
    path = tmp_path / "run.h5"
    command = [sys.executable, "-c", WRITE_AND_WAIT, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        with RunFile(path) as file:
            assert file.state == "running"
            assert sum(len(b.index) for b in file.edge_blocks()) == 100_000
        process.kill()
    with RunFile(path) as file:
        assert file.covered_samples == 200_000
        assert sum(len(b.index) for b in file.edge_blocks()) == 100_000


def test_a_full_disk_stops_in_order(tmp_path, monkeypatch):
    """Free space below the reserve: one clear line, and what was there stays readable."""
    path = tmp_path / "run.h5"
    monkeypatch.setattr("rig.record.writer.FLUSH_S", 0.0)
    with RunWriter(path, TEXTS, {}, reserve_bytes=1 << 60) as writer:
        with pytest.raises(BenchError, match=r"run.h5: the disk is nearly full, \d+ MiB free of"):
            writer.edges(edges([3], [0], end=20))
        writer.finish("failed", {})
    with RunFile(path) as file:
        assert (file.state, file.edge_count) == ("failed", 1)


def test_an_existing_file_is_not_overwritten(tmp_path):
    path = tmp_path / "run.h5"
    path.write_text("precious")
    with pytest.raises(InputError, match="exists already and is not overwritten"):
        RunWriter(path, TEXTS, {})
    assert path.read_text() == "precious"


def test_where_no_file_can_be(tmp_path):
    with pytest.raises(InputError, match=r"cannot be created \(No such file or directory\)"):
        RunWriter(tmp_path / "nowhere" / "run.h5", TEXTS, {})


@pytest.mark.parametrize("content", [b"", b"not a run file", b"\x89HDF\r\n\x1a\n" + b"\0" * 600])
def test_no_run_file(tmp_path, content):
    path = tmp_path / "run.h5"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not a readable run file"):
        RunFile(path)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("missing", [1, 100, 0.5, 0.99])
def test_a_file_that_was_not_copied_whole(tmp_path, missing):
    """HDF5 alone would wait for the end of such a file to be written."""
    path = tmp_path / "run.h5"
    with RunWriter(path, TEXTS, {}) as writer:
        writer.edges(edges([3, 3, 9], [0, 1, 0], end=20))
        writer.finish("complete", {})
    size = path.stat().st_size
    lost = missing if isinstance(missing, int) else round(size * missing)
    os.truncate(path, size - lost)
    with pytest.raises(InputError, match=f"its last {lost:,} bytes are missing.*copy it again"):
        RunFile(path)


def test_missing_foreign_newer_and_damaged_files(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        RunFile(tmp_path / "none.h5")
    path = tmp_path / "run.h5"
    with h5py.File(path, "w") as file:
        file["x"] = 1
    with pytest.raises(InputError, match="not a run file of this rig"):
        RunFile(path)
    with h5py.File(path, "a") as file:
        file.attrs.update({"format": "latency-rig-run", "format_version": 99})
    with pytest.raises(InputError, match="format version 99, this rig reads up to 5"):
        RunFile(path)
    with h5py.File(path, "a") as file:
        file.attrs["format_version"] = 1
    with pytest.raises(InputError, match="damaged run file, edges/delta"):
        RunFile(path)
