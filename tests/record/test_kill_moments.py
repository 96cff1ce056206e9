# SPDX-License-Identifier: GPL-3.0-or-later
"""kill -9 at chosen moments: what the run file must hold. The long version: tests/truth."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import h5py
import numpy as np
import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.bench.open import Bench, open_bench
from rig.config.fixture import Fixture, load_fixture
from rig.config.plan import load_plan
from rig.instruments import LOG_RECORD, EdgeBlock
from rig.record.amend import amended
from rig.record.reader import RunFile
from rig.record.recover import recover
from rig.record.writer import FLUSH_S, RunWriter
from rig.session.results import read
from rig.session.run import run
from tests.record.kills import hosting, kill_host, kill_readers, kill_worker
from tests.record.test_live import level_at, samples_of
from tests.record.trains import TEXTS, check_whole, joined

BLOCK_SAMPLES = 3_000_000
BLOCKS = 4
LINES = 80
"""Moments of the test that kills the writer at a line of its code."""

KILL_AT_LINES = """
import sys
from pathlib import Path
from tests.record.test_kill_moments import kill_at_lines
kill_at_lines(Path(sys.argv[1]))
"""


# --- the writer, killed before any of its lines ---------------------------------------------------


def write_and_store(path: Path, told: int) -> None:
    """A short life of a run file; each sample that is promised to be in it is told on a pipe."""
    levels = 0
    with RunWriter(path, TEXTS, {}) as writer:
        for number in range(BLOCKS):
            start = number * BLOCK_SAMPLES
            index, channel = samples_of(start, BLOCK_SAMPLES)
            level = level_at(index, channel)
            end = start + BLOCK_SAMPLES
            writer.edges(EdgeBlock(start, end, index, channel, level, levels))
            for c in channel.tolist():
                levels ^= 1 << c
            writer.captures(np.arange(1_000 * number, 1_000 * (number + 1)))
            writer.flush()
            os.write(told, end.to_bytes(8, "little"))
        writer.log(np.zeros(40_000, LOG_RECORD))
        writer.finish("complete", {"sent": 3})
    with amended(path, 0) as file:
        file.writable()["windows"] = "[]"


def killed_at(path: Path, moment: int) -> tuple[int, int]:
    """Fork a child that dies before the so manyth line of rig.record that it runs, 0: of none.

    The last sample it told of, and how many lines there are in all if it came to its end.
    """
    reading, told = os.pipe()
    child = os.fork()
    if child == 0:
        _live_until(moment, path, told)
    os.close(told)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        data = np.frombuffer(pipe.read(), np.int64)
    return int(data.max(initial=0)), -int(data.min(initial=0))


def _live_until(moment: int, path: Path, told: int) -> NoReturn:
    lines = 0

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if "/rig/record/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            lines += 1
            if lines == moment:
                os.kill(os.getpid(), signal.SIGKILL)
        return count

    sys.settrace(count)
    write_and_store(path, told)
    sys.settrace(None)
    os.write(told, (-lines).to_bytes(8, "little", signed=True))
    os._exit(0)


def check_prefix(path: Path, told: int) -> None:
    """The file holds the known train, at least up to the sample that was told of."""
    with RunFile(path) as file:
        covered = file.covered_samples
        assert told <= covered <= BLOCKS * BLOCK_SAMPLES
        blocks = list(file.edge_blocks())
        check_whole(blocks, 0, covered)
        index, channel = samples_of(0, covered)
        for got, sent in zip(
            joined(blocks), (index, channel, level_at(index, channel)), strict=True
        ):
            assert np.array_equal(got, sent)
        assert np.array_equal(file.captures(0, 10_000), np.arange(file.capture_count))
        assert file.capture_count >= 1_000 * told // BLOCK_SAMPLES
        if file.state == "complete":
            assert (file.log_count, file.report) == (40_000, {"sent": 3})


def kill_at_lines(folder: Path) -> None:
    """All moments, in a process without threads, as it forks."""
    _, lines = killed_at(folder / "whole.h5", 0)
    moments = random.Random(1).sample(range(1, lines), LINES)  # noqa: S311 - repeatable
    begun = 0
    for line in sorted(moments):
        path = folder / f"{line}.h5"
        told, _ = killed_at(path, line)
        if not path.exists():
            assert told == 0
            continue
        begun += 1
        check_prefix(path, told)
        with RunFile(path) as file:
            left_open = file.left_open
        if left_open:
            recover(path, folder / "copy.h5")
            check_prefix(folder / "copy.h5", told)
            with h5py.File(folder / "copy.h5", "r"):
                pass
            (folder / "copy.h5").unlink()
    print(f"{begun} of {LINES} killed after the file was begun")


@pytest.mark.slow
def test_killed_at_any_line_of_the_writer(tmp_path):
    """From the creation of the file to the figures stored in it."""
    ended = subprocess.run(
        [sys.executable, "-c", KILL_AT_LINES, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout.split()[0]) > LINES / 2


# --- nothing waits longer than promised -----------------------------------------------------------


class Clock:
    """Replaces the writer's clock."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now_s = 100.0
        monkeypatch.setattr("rig.record.writer.monotonic", lambda: self.now_s)


def block(start: int) -> EdgeBlock:
    """One edge at its first sample, 10 samples long."""
    level = np.array([1 - start // 10 % 2], np.uint8)
    return EdgeBlock(
        start, start + 10, np.array([start]), np.zeros(1, np.uint8), level, 1 - level[0]
    )


@pytest.mark.parametrize(
    "then",
    [
        lambda writer: writer.edges(block(10)),
        lambda writer: writer.captures(np.empty(0, np.int64)),
        lambda writer: writer.log(np.zeros(1, LOG_RECORD)),
        lambda writer: writer.flush_when_due(),
    ],
    ids=["edges", "captures", "log", "nothing"],
)
def test_whatever_comes_next_writes_out_what_waits(tmp_path, monkeypatch, then):
    """The samples stop while something else goes on: they must not wait for more samples."""
    clock, path = Clock(monkeypatch), tmp_path / "run.h5"
    with RunWriter(path, TEXTS, {}) as writer:
        writer.edges(block(0))
        writer.captures(np.array([7]))
        with RunFile(path) as file:
            assert (file.covered_samples, file.capture_count) == (0, 0)
        clock.now_s += FLUSH_S + 0.001
        then(writer)
        with RunFile(path) as file:
            assert file.covered_samples >= 10
            assert file.capture_count == 1


def test_the_deadline_leaves_half_of_what_is_promised():
    assert FLUSH_S <= 0.5 / 2


# --- figures are stored without a risk to what was measured ---------------------------------------


def fail_while_storing(path: Path) -> None:
    with amended(path, 0) as file:
        file.writable()["windows"] = "[]"
        raise RuntimeError("on purpose")


def test_a_file_in_which_storing_failed_is_as_it_was(tmp_path):
    path = tmp_path / "run.h5"
    with RunWriter(path, TEXTS, {}) as writer:
        writer.edges(block(0))
        writer.finish("complete", {})
    before = path.read_bytes()
    with pytest.raises(RuntimeError, match="on purpose"):
        fail_while_storing(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


READ_BESIDE = """
import sys
import h5py
with h5py.File(sys.argv[1], "r", libver="latest", swmr=True) as live:
    print("live", flush=True)
    sys.stdin.readline()
    with h5py.File(sys.argv[1] + ".done", "r") as plain:
        print("plain", flush=True)
        sys.stdin.readline()
        print(live["edges/covered"][0], plain["edges/covered"][0], flush=True)
"""


def test_nobody_who_reads_keeps_the_figures_out(tmp_path):
    """Programs that read by plain h5py, which locks what it opens, before and after the end."""
    path, done = tmp_path / "run.h5", tmp_path / "run.h5.done"
    command = [sys.executable, "-c", READ_BESIDE, str(path)]
    with (
        RunWriter(path, TEXTS, {}) as writer,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as reader,
    ):
        assert reader.stdout.readline() == "live\n"
        writer.edges(block(0))
        writer.finish("complete", {})
        writer.close()
        done.hardlink_to(path)
        print(file=reader.stdin, flush=True)
        assert reader.stdout.readline() == "plain\n"
        with amended(path, 0) as file:
            file.writable()["windows"] = "[]"
        print(file=reader.stdin, flush=True)
        assert reader.stdout.readline().split()[1] == "10"
    with RunFile(path, figures=False) as file:  # that text has no digest
        assert file.text("windows") == "[]"
    assert sorted(tmp_path.iterdir()) == [path, done]


# --- a whole run ----------------------------------------------------------------------------------


def test_the_host_killed_while_it_measures(tmp_path):
    with hosting(tmp_path / "run.h5", 200_000) as host:
        assert host.wait_for(lambda: len(host.notes[b"e"]) > 40)
        assert kill_host(host).phase == "measuring"


@pytest.mark.slow
def test_the_capture_process_killed_while_it_captures(tmp_path):
    with hosting(tmp_path / "run.h5", 200_000) as host:
        assert host.wait_for(lambda: len(host.notes[b"e"]) > 20)
        worker = host.part("rig.capture.worker")
        assert worker is not None
        assert kill_worker(host, worker).phase == "measuring"


def test_the_capture_process_killed_before_it_captures(tmp_path):
    """Between its being opened and its first sample: the run ends all the same."""

    @contextmanager
    def opened(fixture: Fixture) -> Iterator[Bench]:
        with open_bench(fixture) as bench:
            os.kill(bench.analyzer.worker_pid, signal.SIGKILL)
            yield bench

    path, plan, fixture = tmp_path / "run.h5", load_plan("interrupt"), load_fixture("virtual")
    failure = run(plan, fixture, path, lambda _live: None, threading.Event(), opened)
    assert "SIGKILL" in str(failure)
    with RunFile(path) as file:
        assert (file.state, file.left_open, file.covered_samples) == ("failed", False, 0)
    assert read(path).evaluation.verdict is Verdict.INCOMPLETE


@pytest.mark.slow
def test_readers_killed_beside_a_run(tmp_path):
    with hosting(tmp_path / "run.h5", 25_000) as host:
        assert len(kill_readers(host, (0.01, 0.1))) == 2
