# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures to be read back: pulses with known latencies, and zips as no one should write them."""

from __future__ import annotations

import contextlib
import io
import subprocess
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rig.capture.replay.capture_file import open_capture
from rig.capture.sr_file import write_sr
from rig.cli.main import main
from rig.errors import InputError
from rig.instruments import CaptureEnd, EdgeBlock, Loss

RATE_HZ = 24_000_000
PERIOD = 24_000
LATENCIES = [int(n) for n in np.random.default_rng(5).integers(30, 5_000, 150)]
NAMES = ["stimulus", "response"]
METADATA = """\
[global]
sigrok version=0.5.2

[device 1]
capturefile=logic-1
total probes=2
samplerate=24 MHz
total analog=0
probe1=stimulus
probe2=response
unitsize=1
"""


def block(edges: Iterable[tuple[int, int, int]], end: int) -> EdgeBlock:
    """One block from sample 0 of (sample, channel, level)."""
    index, channel, level = np.array(sorted(edges), np.int64).reshape(-1, 3).T
    return EdgeBlock(0, end, index, channel.astype(np.uint8), level.astype(np.uint8), 0)


def pulses(latencies: Sequence[int] = LATENCIES) -> EdgeBlock:
    """A pulse each millisecond on channel 0, answered by a pulse on channel 1."""
    edges = []
    for number, latency in enumerate(latencies):
        at = number * PERIOD + 100
        edges += [(at, 0, 1), (at + 240, 0, 0), (at + latency, 1, 1), (at + latency + 90, 1, 0)]
    return block(edges, len(latencies) * PERIOD)


def toggles(latencies: Sequence[int] = LATENCIES) -> EdgeBlock:
    """The same, answered by one edge."""
    edges = []
    for number, latency in enumerate(latencies):
        at = number * PERIOD + 100
        edges += [(at, 0, 1), (at + 240, 0, 0), (at + latency, 1, 1 - number % 2)]
    return block(edges, len(latencies) * PERIOD)


def sr_of(path: Path, capture: EdgeBlock) -> Path:
    """A session file with two channels."""
    write_sr(path, [capture], RATE_HZ, NAMES, 1)
    return path


def sigrok_cli(*words: object) -> str:
    """What sigrok's own program prints."""
    run = subprocess.run(
        ["sigrok-cli", *map(str, words)], capture_output=True, check=True, timeout=60
    )
    return run.stdout.decode()


def vcd_of(path: Path, session: Path) -> Path:
    """A dump of the same samples, written by sigrok-cli."""
    path.write_text(sigrok_cli("-i", session, "-O", "vcd"))
    return path


def zip_of(path: Path, entries: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """A zip with these entries."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


@dataclass(frozen=True)
class Ended:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def rig(*words: object) -> Ended:
    """A command in this process, which is a second faster than in one of its own."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = main([str(word) for word in words])
    return Ended(code, out.getvalue(), errors.getvalue())


Edges = list[tuple[int, int, int]]


def read(
    path: Path, wanted: Sequence[str] = NAMES, rate_hz: int | None = None
) -> tuple[Edges, list[Loss], int]:
    """All edges as (sample, channel, level), the losses, and the number of samples.

    Blocks must follow each other without a hole and keep account of the levels.
    """
    capture = open_capture(path, wanted, rate_hz)
    edges: Edges = []
    losses: list[Loss] = []
    end, levels = 0, None
    items = list(capture.source.items())
    assert isinstance(items[-1], CaptureEnd)
    assert items[-1].asked
    for item in items[:-1]:
        if isinstance(item, Loss):
            losses.append(item)
            continue
        assert isinstance(item, EdgeBlock)
        assert item.start_sample == end
        assert levels is None or item.levels_before == levels
        levels = item.levels_before
        rows = np.stack([item.index, item.channel, item.level], axis=1).tolist()
        for sample, channel, level in rows:
            assert end <= sample < item.end_sample
            assert levels >> channel & 1 != level
            levels ^= 1 << channel
            edges.append((sample, capture.bits.index(channel), level))
        end = item.end_sample
    assert end == items[-1].samples
    return edges, losses, end


def edges_of(capture: EdgeBlock) -> Edges:
    """The edges of a block in the same form."""
    return list(
        zip(capture.index.tolist(), capture.channel.tolist(), capture.level.tolist(), strict=True)
    )


def outcome_of(path: Path) -> str:
    """What a user is told of a file: the error's text, "" if it can be read."""
    try:
        read(path)
    except InputError as error:
        return str(error)
    return ""
