# SPDX-License-Identifier: GPL-3.0-or-later
"""The first look at a stranger's run file: whatever the file does to its reader, one line comes."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest

from rig.errors import BenchError, InputError
from rig.instruments import EdgeBlock
from rig.record import vetting
from rig.record.digest_check import hashing_s
from rig.record.reader import RunFile
from rig.record.vetting import each_in_child, in_child, vet
from rig.record.writer import RunWriter
from tests.fuzz.names import seeds

TEXTS = {"plan": "[plan]", "fixture": "[fixture]", "calibration": ""}
MADE_UP = sorted(seeds("run_file").glob("*.gz"))
HANGING = seeds("run_file") / "hdf5-hangs.gz"


def run_file(path: Path, edges: int = 100) -> Path:
    index = np.arange(edges, dtype=np.int64) * 10
    channel = np.zeros(edges, np.uint8)
    level = (1 - np.arange(edges) % 2).astype(np.uint8)
    with RunWriter(path, TEXTS, {"a": 1}) as writer:
        writer.edges(EdgeBlock(0, edges * 10, index, channel, level, 0))
        writer.finish("complete", {})
    return path


def refusal_of(path: Path, patience_s: float = 20.0) -> str:
    with pytest.raises(InputError) as refused:
        vet(path, patience_s)
    return str(refused.value)


@pytest.fixture
def opening(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Has the child do this in place of opening the file: HDF5 does not do it every time."""

    def set_(act: Callable[[], object]) -> None:
        monkeypatch.setattr(vetting, "RunFile", lambda _, **_options: act())

    return set_


def test_a_sound_file_passes_and_leaves_no_process(tmp_path: Path) -> None:
    path = run_file(tmp_path / "run.h5", edges=100_000)
    before = path.read_bytes()
    for _ in range(3):
        vet(path)
    assert path.read_bytes() == before
    assert not psutil.Process().children()


WRITER = """
import select
import sys
from pathlib import Path
import numpy as np
from rig.instruments import LOG_RECORD, EdgeBlock
from rig.record.writer import RunWriter

TEXTS = {"plan": "", "fixture": "", "calibration": ""}
with RunWriter(Path(sys.argv[1]), TEXTS, {}) as writer:
    edges = 20_000
    level = (1 - np.arange(edges) % 2).astype(np.uint8)
    number = -1
    while number < 400 or not select.select([sys.stdin], [], [], 0)[0]:
        number += 1
        start = number * edges * 10
        index = start + np.arange(edges, dtype=np.int64) * 10
        end = start + edges * 10
        writer.edges(EdgeBlock(start, end, index, np.zeros(edges, np.uint8), level, 0))
        writer.log(np.zeros(1_000, LOG_RECORD))
        writer.flush()
        print(number, flush=True)
"""


def test_a_file_being_written_passes(tmp_path: Path) -> None:
    """Its counts, and the index of its chunks, are never of the same moment."""
    path = tmp_path / "run.h5"
    words = [sys.executable, "-c", WRITER, str(path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"0\n"
        draining = threading.Thread(target=writer.stdout.read)
        draining.start()
        for _ in range(10):
            assert writer.poll() is None
            vet(path)
        writer.stdin.close()  # it writes until then
        while writer.poll() is None:
            vet(path)
        draining.join()
    assert writer.returncode == 0


def test_what_the_reader_says_is_passed_on(tmp_path: Path) -> None:
    assert "no such file" in refusal_of(tmp_path / "none.h5")
    text = tmp_path / "text.h5"
    text.write_text("not a run file")
    assert "not a readable run file" in refusal_of(text)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGKILL])
def test_a_reader_that_is_killed(tmp_path: Path, opening, number: signal.Signals) -> None:
    opening(lambda: os.kill(os.getpid(), number))
    assert refusal_of(tmp_path / "run.h5").endswith(f"({number.name}); give an undamaged copy")


def test_a_reader_that_hangs(tmp_path: Path, opening) -> None:
    opening(threading.Event().wait)
    text = refusal_of(tmp_path / "run.h5", patience_s=0.3)
    assert text.endswith("HDF5 has not read it within 0.3 s; give an undamaged copy")
    assert not psutil.Process().children()


def test_a_reader_that_wants_all_memory(tmp_path: Path, opening) -> None:
    opening(lambda: bytearray(vetting.MEMORY_BYTES + (64 << 20)))
    assert refusal_of(tmp_path / "run.h5").endswith(
        "over 400 MiB of memory; give an undamaged copy"
    )


def test_a_reader_that_fails_in_its_own_way(tmp_path: Path, opening) -> None:
    opening(lambda: 1 / 0)
    assert refusal_of(tmp_path / "run.h5").endswith(
        "HDF5 fails on it (exit status 1); give an undamaged copy"
    )


def test_what_a_child_writes_stays_and_what_it_raises_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    in_child(path, lambda: path.write_text("written"))
    assert path.read_text() == "written"

    def fail() -> None:
        raise BenchError("the disk\nis full")

    with pytest.raises(BenchError, match=r"the disk\\nis full"):
        in_child(path, fail)
    with pytest.raises(InputError, match=r"HDF5 fails on it \(SIGABRT\)"):
        in_child(path, os.abort)
    assert not psutil.Process().children()


def test_other_threads_do_not_disturb(tmp_path: Path) -> None:
    """The child inherits every lock in the state of the moment; none that it needs may be held."""
    path = run_file(tmp_path / "run.h5")
    over = threading.Event()

    def read_on() -> None:
        while not over.is_set():
            with RunFile(path) as file:
                list(file.edge_blocks())

    threads = [threading.Thread(target=read_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            vet(path)
    finally:
        over.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("damage", range(12, 48, 5))
def test_a_damaged_superblock_keeps_nobody_waiting(tmp_path: Path, damage: int) -> None:
    """Left to itself HDF5 reads it again and again, for days."""
    path = run_file(tmp_path / "run.h5")
    data = bytearray(path.read_bytes())
    data[damage] ^= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match="not a readable run file"):
        RunFile(path)


def test_a_file_that_keeps_hdf5_waiting(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    path.write_bytes(gzip.decompress(HANGING.read_bytes()))
    assert "damaged run file" in refusal_of(path, patience_s=1.0)


@pytest.mark.parametrize(
    "packed",
    [path for path in MADE_UP if path != HANGING],
    ids=[path.stem for path in MADE_UP if path != HANGING],
)
def test_the_command_survives_made_up_files(tmp_path: Path, packed: Path) -> None:
    """Files that HDF5 2.0 dies of or takes gigabytes for, and some that h5py did not expect."""
    path = tmp_path / "run.h5"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    words = [sys.executable, "-m", "rig.cli.main", "show", str(path)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100)
    assert ended.returncode == 2
    assert ended.stderr.startswith("rig: ")
    assert ended.stderr.count("\n") == 1
    assert ended.stdout == ""


def test_a_large_file_has_the_time_that_its_digests_take(tmp_path: Path) -> None:
    """One child looks at many files; should nobody wait for it, its alarm ends it, set for each."""
    paths = [tmp_path / name for name in ("small.h5", "large.h5", "last.h5")]
    for path, size in zip(paths, (1 << 10, 1 << 40, 1 << 10), strict=True):
        with path.open("wb") as file:
            file.truncate(size)  # takes no room on the disk
    hashing = hashing_s(paths[1])
    assert hashing > 10_000

    def left_s(_path: Path) -> bytes:
        left, _ = signal.getitimer(signal.ITIMER_REAL)  # the alarm's
        signal.alarm(0)
        return str(left).encode()

    patience_s = 500.0
    found = [float(told) for told in each_in_child(paths, left_s, patience_s)]
    assert found == pytest.approx([patience_s, patience_s + hashing, patience_s], abs=100)


def test_who_reads_many_files_waits_for_digests_too(tmp_path: Path) -> None:
    path = tmp_path / "large.h5"
    with path.open("wb") as file:
        file.truncate(1 << 40)

    def slow(_path: Path) -> bytes:
        time.sleep(0.3)  # longer than the patience without what the digests take
        return b"done"

    assert list(each_in_child([path], slow, 0.1)) == [b"done"]
