# SPDX-License-Identifier: GPL-3.0-or-later
"""Session files are read back by sigrok-cli, and sigrok's own decoders find the same times."""

from __future__ import annotations

import re
import subprocess
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from rig.capture import sr_file
from rig.capture.edges import EdgeExtractor
from rig.capture.sr_file import write_sr
from rig.errors import InputError
from rig.instruments import EdgeBlock

RATE_HZ = 24_000_000
NAMES = [f"line {number}" for number in range(16)]


def sigrok_cli(*arguments: str) -> bytes:
    run = subprocess.run(["sigrok-cli", *arguments], capture_output=True, check=True, timeout=60)
    return run.stdout


def random_samples(unitsize: int, seed: int) -> np.ndarray:  # type: ignore[type-arg]
    chance = np.random.default_rng(seed)
    values = chance.integers(0, 256**unitsize, 3_000)
    return np.repeat(values, chance.integers(1, 8_000, 3_000)).astype(f"<u{unitsize}")


@pytest.mark.parametrize("unitsize", [1, 2])
def test_samples_come_back(unitsize: Literal[1, 2], tmp_path: Path) -> None:
    samples = random_samples(unitsize, seed=unitsize)
    assert samples.nbytes > 2 * sr_file._CHUNK_BYTES
    extractor = EdgeExtractor(unitsize, 0xFFFF)
    raw = samples.tobytes()
    blocks = [extractor.feed(raw[at : at + 1_000_003]) for at in range(0, len(raw), 1_000_003)]
    path = tmp_path / "capture.sr"
    write_sr(path, blocks, RATE_HZ, NAMES[: 8 * unitsize], unitsize)
    shown = sigrok_cli("-i", str(path), "--show").decode()
    assert f"Samplerate: {RATE_HZ}" in shown
    assert f"Logic sample count: {len(samples)}" in shown
    assert "- line 7: logic" in shown
    read = sigrok_cli("-i", str(path), "-O", "binary")[-len(raw) :]  # a line of text may come first
    assert read == raw


def pulses(latencies: list[int], period: int) -> Iterator[EdgeBlock]:
    """A stimulus each period on channel 0, answered on channel 1; one block a period."""
    for number, latency in enumerate(latencies):
        start = number * period
        edges = [(start + 10, 0, 1), (start + 50, 0, 0)]
        edges += [(start + 10 + latency, 1, 1), (start + 60 + latency, 1, 0)]
        index, channel, level = np.array(sorted(edges)).T
        yield EdgeBlock(
            start, start + period, index, channel.astype(np.uint8), level.astype(np.uint8), 0
        )


def test_sigrok_decoders_find_the_same_latencies_and_intervals(tmp_path: Path) -> None:
    latencies = np.random.default_rng(3).integers(60, 5_000, 200).tolist()
    path = tmp_path / "latencies.sr"
    write_sr(path, pulses(latencies, 24_000), RATE_HZ, ["stimulus", "response"], 1)
    jitter = sigrok_cli(
        "-i", str(path), "-P", "jitter:clk=stimulus:sig=response", "-B", "jitter=ascii-float"
    )
    found = [round(float(text) * RATE_HZ) for text in jitter.split()]
    assert found == latencies
    timing = sigrok_cli(
        "-i", str(path), "-P", "timing:data=stimulus:edge=rising", "-A", "timing=time"
    )
    intervals = re.findall(r"timing-1: ([0-9.]+) (\S+) ", timing.decode())
    assert len(intervals) == len(latencies) - 1
    assert set(intervals) == {("1.000", "ms")}


def test_memory_does_not_grow_with_the_capture(tmp_path: Path) -> None:
    def peak_bytes(periods: int) -> int:
        tracemalloc.start()
        path = tmp_path / f"{periods}.sr"
        write_sr(path, pulses([500] * periods, 240_000), RATE_HZ, ["a", "b"], 1)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    short, long = peak_bytes(50), peak_bytes(250)
    assert long < short + (1 << 20)


def test_an_existing_file_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "old.sr"
    path.write_text("precious")
    with pytest.raises(InputError, match="exists already"):
        write_sr(path, pulses([100], 1_000), RATE_HZ, ["a", "b"], 1)
    assert path.read_text() == "precious"


def one_block(start: int, level: int) -> EdgeBlock:
    edge = np.array([start + 2]), np.array([0], np.uint8), np.array([level], np.uint8)
    return EdgeBlock(start, start + 10, *edge, 0)


@pytest.mark.parametrize(
    ("blocks", "names", "told"),
    [
        ([one_block(0, 0)], ["a"], "do not alternate"),
        ([one_block(0, 1), one_block(11, 1)], ["a"], "samples 10 to 11 .* missing"),
        ([], ["a"], "no samples"),
        ([one_block(0, 1)], [], "0 channels"),
        ([one_block(0, 1)], NAMES[:9], "9 channels"),
        ([one_block(0, 1)], ["a\nsamplerate=1"], "printable"),
    ],
)
def test_what_cannot_be_written_leaves_no_file(
    blocks: list[EdgeBlock], names: list[str], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "new.sr"
    with pytest.raises(InputError, match=told):
        write_sr(path, blocks, RATE_HZ, names, 1)
    assert not path.exists()


def test_a_folder_that_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not written \(No such file"):
        write_sr(tmp_path / "no" / "x.sr", pulses([100], 1_000), RATE_HZ, ["a", "b"], 1)
