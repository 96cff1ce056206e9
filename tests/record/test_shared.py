# SPDX-License-Identifier: GPL-3.0-or-later
"""Several readers in one process of a file that grows, is closed, or was left by a crash."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np

from rig.record.reader import RunFile
from rig.record.vetting import vet
from tests.record.test_live import samples_of
from tests.record.trains import joined

WRITE_AS_TOLD = """
import sys
from pathlib import Path
import numpy as np
from rig.instruments import EdgeBlock
from rig.record.writer import RunWriter
from tests.record.test_live import level_at, samples_of
from tests.record.trains import TEXTS

start = levels = 0
with RunWriter(Path(sys.argv[1]), TEXTS, {}) as writer:
    for line in sys.stdin:
        count = int(line)
        if count:
            index, channel = samples_of(start, count)
            level = level_at(index, channel)
            writer.edges(EdgeBlock(start, start + count, index, channel, level, levels))
            for each in channel.tolist():
                levels ^= 1 << each
            start += count
            writer.flush()
        else:
            writer.finish("complete", {})
        print("done", flush=True)
"""
PART = 1_500_000
"""Samples: less than a chunk of edges, so that rows lie in the tail and move on from there."""
CLOSE = 0


@contextmanager
def told(path: Path) -> Iterator[Callable[[int], None]]:
    """A process that writes the known train; the function has it write so many samples more."""
    command = [sys.executable, "-c", WRITE_AS_TOLD, str(path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        assert process.stdin is not None

        def tell(samples: int) -> None:
            process.stdin.write(f"{samples}\n")
            process.stdin.flush()
            assert process.stdout.readline() == "done\n"

        yield tell


def check(file: RunFile, samples: int) -> None:
    """It holds the known train up to there, to the edge."""
    assert file.covered_samples == samples
    index, channel = samples_of(0, samples)
    found = joined(list(file.edge_blocks()))
    assert np.array_equal(found[0], index)
    assert np.array_equal(found[1], channel)


def test_each_reader_has_the_extent_of_its_opening(tmp_path: Path) -> None:
    """HDF5 shares what it has cached of the file; a second reader took that for its state."""
    path = tmp_path / "run.h5"
    open_ones: list[tuple[RunFile, int]] = []
    with told(path) as tell:
        for part in range(1, 13):
            tell(PART)
            open_ones.append((RunFile(path), part * PART))
            for file, samples in open_ones:
                assert file.left_open
                check(file, samples)
            if part % 3 == 0:  # the oldest and one in the middle
                for at in (1, 0):
                    open_ones.pop(at)[0].close()
        vet(path)
        for file, _ in open_ones:
            file.close()
        with RunFile(path) as file:
            check(file, 12 * PART)


def test_a_file_that_is_closed_while_it_is_read(tmp_path: Path) -> None:
    """Who opens it later finds it closed, with digests that hold; the earlier reader goes on."""
    path = tmp_path / "run.h5"
    with ExitStack() as readers:
        with told(path) as tell:
            tell(PART)
            early = readers.enter_context(RunFile(path))
            check(early, PART)
            tell(3 * PART)
            with RunFile(path) as later:
                check(later, 4 * PART)
            tell(CLOSE)
            with RunFile(path) as sealed:  # complete, and the writer still has it open
                assert (sealed.left_open, bool(sealed.digests)) == (True, True)
                check(sealed, 4 * PART)
        with RunFile(path) as closed:
            assert not closed.left_open
            check(closed, 4 * PART)
        check(early, PART)


def test_readers_in_threads(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    with told(path) as tell, ThreadPoolExecutor(4) as pool:

        def read(samples: int) -> None:
            with RunFile(path) as file:
                check(file, samples)

        for part in range(1, 6):
            tell(PART)
            for each in [pool.submit(read, part * PART) for _ in range(6)]:
                each.result()
