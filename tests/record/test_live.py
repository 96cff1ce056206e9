# SPDX-License-Identifier: GPL-3.0-or-later
"""Another process reads while the run is written, and after its writer was killed at any moment."""

from __future__ import annotations

import random
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest

from rig.cli.main import main as rig
from rig.errors import InputError
from rig.instruments import LOG_RECORD, EdgeBlock, Loss, LossKind
from rig.record.computed import ComputedWriter
from rig.record.reader import RunFile
from rig.record.recover import recover
from rig.record.writer import RunWriter
from rig.session.results import store
from tests.record.trains import TEXTS, all_of, check_whole, joined

SEQUENCE = np.array([3, 5, 5, 7, 900], np.int64)
"""Distances between edges of channel 0; both channels 1 and 2 change at the second of them."""

WRITE = """
import sys
from pathlib import Path
from tests.record.test_live import write_for_ever
write_for_ever(Path(sys.argv[1]), int(sys.argv[2]))
"""


def samples_of(first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges of samples [first, first + count) of the known train: index, channel."""
    period = int(SEQUENCE.sum())
    number = np.arange(first // period, (first + count) // period + 1)
    at = np.concatenate(([0], np.cumsum(SEQUENCE)[:-1]))
    at, channel = np.append(at, [3, 3]), np.append(np.zeros(len(at), np.uint8), [1, 2])
    order = np.lexsort((channel, at))
    index = (number[:, None] * period + at[order]).ravel()
    inside = (index >= first) & (index < first + count)
    return index[inside], np.tile(channel[order].astype(np.uint8), len(number))[inside]


def level_at(index: np.ndarray, channel: np.ndarray) -> np.ndarray:
    """Level after each edge of the known train, which starts low."""
    period = int(SEQUENCE.sum())
    inside = np.searchsorted(np.concatenate(([0], np.cumsum(SEQUENCE)[:-1])), index % period)
    before = np.where(channel == 0, len(SEQUENCE) * (index // period) + inside, index // period)
    return (1 - before % 2).astype(np.uint8)


def write_for_ever(path, seed: int) -> None:
    """Write the known train in blocks of any size, flushing at any time, until killed."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable train, no secret
    start, levels, captures = 0, 0, 0
    with RunWriter(path, TEXTS, {"sample_rate_hz": 24_000_000}) as writer:
        writer.loss(Loss(LossKind.STALL, 0, "known"))
        while True:
            count = chance.choice((1, 50, 3_000, 1_000_000))
            index, channel = samples_of(start, count)
            level = level_at(index, channel)
            writer.edges(EdgeBlock(start, start + count, index, channel, level, levels))
            for c in channel.tolist():
                levels ^= 1 << c
            writer.captures(np.arange(captures, captures + count // 100))
            start, captures = start + count, captures + count // 100
            if chance.random() < 0.5:
                writer.flush()
            if start == count:
                print("ready", flush=True)


@contextmanager
def writing(path, seed):
    """A process that writes for ever, killed at the end."""
    command = [sys.executable, "-c", WRITE, str(path), str(seed)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            yield process
        finally:
            process.kill()


def check_known(path) -> int:
    """What the file holds is the known train up to a sample, nothing more or less; that sample."""
    with RunFile(path) as file:
        covered = file.covered_samples
        blocks = list(file.edge_blocks())
        check_whole(blocks, 0, covered)
        index, channel = samples_of(0, covered)
        expected = (index, channel, level_at(index, channel))
        for got, sent in zip(joined(blocks), expected, strict=True):
            assert np.array_equal(got, sent)
        captures = file.captures(0, file.capture_count)
        assert np.array_equal(captures, np.arange(file.capture_count))
        assert file.losses() == [("stall", 0, "known")]
    return covered


def test_a_reader_beside_the_writer_sees_whole_edges(tmp_path):
    path = tmp_path / "run.h5"
    seen = []
    with writing(path, seed=1):
        while len(seen) < 12 or seen[-1] == seen[0]:
            seen.append(check_known(path))
    assert seen == sorted(seen)


def test_one_snapshot_stays_while_the_writer_goes_on(tmp_path):
    """An open file keeps its extent, though its rows move from the tails to the main datasets."""
    path = tmp_path / "run.h5"
    with writing(path, seed=2), RunFile(path) as file:
        covered, count = file.covered_samples, file.edge_count
        index, _ = samples_of(0, covered)
        later = covered
        while later < covered + 20_000_000:
            with RunFile(path) as newer:
                later = newer.covered_samples
            assert file.edge_count == count == len(index)
            assert np.array_equal(joined(list(file.edge_blocks()))[0], index)


@pytest.mark.parametrize("seed", range(8))
def test_killed_at_any_moment(tmp_path, seed):
    """Readable at once; a copy opens normally, and is the same to the edge."""
    path, copy = tmp_path / "run.h5", tmp_path / "copy.h5"
    samples = random.Random(seed).randrange(1, 12_000_000)  # noqa: S311
    with writing(path, seed) as process:
        while check_known(path) < samples:
            pass
        process.kill()
    covered = check_known(path)
    found = recover(path, copy)
    assert check_known(copy) == covered
    assert (found.samples, found.complete) == (covered, False)
    with RunFile(copy) as file, RunFile(path) as left:
        assert (file.left_open, left.left_open) == (False, True)
        assert (file.state, file.texts(), file.created) == ("recovered", TEXTS, left.created)
        assert file.settings == left.settings
    with RunFile(copy, write=True) as file:
        ComputedWriter(file)


def left_by_crash(path) -> None:
    """A file whose writer was killed after its first flush."""
    with writing(path, seed=0):
        pass


def test_recover_command(tmp_path, capsys):
    path = tmp_path / "run.h5"
    left_by_crash(path)
    assert rig(["recover", str(path)]) == 0
    copy = tmp_path / "run-recovered.h5"
    assert check_known(copy) == check_known(path)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{copy}: {check_known(path):,} samples with ")
    missing, digest, then = printed[1:]
    end = f"sample {check_known(path):,}"
    assert missing == f"missing: what came after {end}, and the instruments' report"
    assert digest.startswith("not closed, so no digest bears it out; the copy has its own: sha256 ")
    assert then == f"now: rig analyze {copy}"


def test_recover_overwrites_nothing(tmp_path, capsys):
    path, precious = tmp_path / "run.h5", tmp_path / "precious.h5"
    left_by_crash(path)
    precious.write_text("precious")
    assert rig(["recover", str(path), str(precious)]) == 2
    assert rig(["recover", str(path), str(path)]) == 2
    assert "exists already and is not overwritten" in capsys.readouterr().err
    assert precious.read_text() == "precious"
    check_known(path)


def test_recover_what_needs_none(tmp_path, capsys):
    path = tmp_path / "run.h5"
    with RunWriter(path, TEXTS, {}) as writer:
        writer.finish("complete", {})
    assert rig(["recover", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"rig: {path}: opens normally, nothing to recover; use it as it is\n"
    )
    assert list(tmp_path.iterdir()) == [path]


def test_recover_leaves_no_half_copy(tmp_path):
    """A chunk of it is damaged: one clear line, and no copy."""
    path, copy = tmp_path / "run.h5", tmp_path / "copy.h5"
    with writing(path, seed=3):
        while check_known(path) < 30_000_000:
            pass
    with RunFile(path) as run:
        chunk = run.stored["edges/delta"].id.get_chunk_info(1)
    with path.open("r+b") as file:
        file.seek(chunk.byte_offset)
        file.write(bytes(chunk.size))
    with pytest.raises(InputError, match=r"run\.h5: (damaged|not a readable) run file"):
        recover(path, copy)
    assert not copy.exists()


STORE_AND_WAIT = """
import sys
from pathlib import Path
import numpy as np
from rig.record.computed import ComputedWriter
from rig.record.layout import EVENT_COLUMNS
from rig.record.reader import RunFile
with RunFile(Path(sys.argv[1]), write=True) as file:
    computed = ComputedWriter(file)
    computed.events({name: np.zeros(200_000, np.int64) for name in EVENT_COLUMNS})
    if sys.argv[2] == "flushed":
        file.writable().flush()
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("how", ["flushed", "not flushed"])
def test_killed_while_figures_are_stored(tmp_path, how):
    """The raw part is read and copied all the same."""
    path, copy = tmp_path / "run.h5", tmp_path / "copy.h5"
    log = np.zeros(3, LOG_RECORD)
    index = np.arange(100_000) * 7
    level = (1 - np.arange(len(index)) % 2).astype(np.uint8)
    with RunWriter(path, TEXTS, {}) as writer:
        writer.edges(EdgeBlock(0, 700_000, index, 0 * level, level, 0))
        writer.log(log)
        writer.finish("complete", {"sent": 5})
    command = [sys.executable, "-c", STORE_AND_WAIT, str(path), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        process.kill()
    with pytest.raises(OSError, match="already open for write"):
        h5py.File(path)
    with pytest.raises(InputError, match=f"`rig recover {path}` makes a copy"):
        store(path)
    assert recover(path, copy).complete
    for file in (path, copy):
        assert np.array_equal(all_of(file)[0], index)
    with RunFile(copy) as run:
        assert (run.state, run.report, run.log_count) == ("complete", {"sent": 5}, 3)
        assert (run.evaluation, run.left_open) == ("", False)
