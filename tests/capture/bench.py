# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual analyzer with virtual time running in a thread, and the real driver to read it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil

import numpy as np

from rig.capture.sigrok_analyzer import SigrokAnalyzer
from rig.instruments import CaptureEnd, CaptureItem, EdgeBlock
from rig.virtual.analyzer import VirtualAnalyzer

Batch = tuple[list[tuple[int, int, int]], int]
"""Arguments of VirtualAnalyzer.emit."""


def open_analyzer(
    port: int, rate_hz: int = 24_000_000, channels: int = 8, stall_timeout_s: float = 10.0
) -> SigrokAnalyzer:
    return SigrokAnalyzer.open(
        "beaglelogic",
        f"tcp-raw/127.0.0.1/{port}",
        sample_rate_hz=rate_hz,
        channels=channels,
        channel_mask=2**channels - 1,
        options={},
        stall_timeout_s=stall_timeout_s,
    )


def wait_until(condition: Callable[[], object], what: str, limit_s: float = 20.0) -> None:
    deadline_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline_s, f"{what} did not come about in {limit_s} s"
        time.sleep(0.002)


class World:
    """Virtual time in a thread: emits batches once the host captures, then flushes."""

    def __init__(self, analyzer: VirtualAnalyzer, batches: Sequence[Batch]) -> None:
        self._analyzer = analyzer
        self._batches = batches
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        wait_until(lambda: self._analyzer.streaming, "the start of the capture")
        for edges, until_ps in self._batches:
            self._analyzer.emit(edges, until_ps)
        self._analyzer.flush()

    def join(self) -> None:
        self._thread.join(20)
        assert not self._thread.is_alive(), "emit is stuck"


def random_batches(
    seed: int, channels: int, start_ps: int, batches: int, mean_gap_ps: int, levels: int = 0
) -> list[Batch]:
    """Edges with gaps from zero to many times the mean, in stretches of random length."""
    chance = np.random.default_rng(seed)
    now_ps = start_ps
    result: list[Batch] = []
    for _ in range(batches):
        edges = []
        for _ in range(int(chance.integers(8))):
            now_ps += int(chance.exponential(mean_gap_ps))
            channel = int(chance.integers(channels))
            levels ^= 1 << channel
            edges.append((now_ps, channel, levels >> channel & 1))
        now_ps += 1 + int(chance.exponential(mean_gap_ps))
        result.append((edges, now_ps))
    return result


def true_edges(
    batches: Sequence[Batch], origin_ps: int, rate_hz: Fraction, levels: int = 0
) -> tuple[list[tuple[int, int, int]], int]:
    """Oracle, with fractions: the edges that samples at this rate must show, and their number."""
    total = ceil((batches[-1][1] - origin_ps) * rate_hz / 10**12)
    shown = {0: levels}  # the levels from each of these samples on
    for time_ps, channel, level in (edge for edges, _ in batches for edge in edges):
        levels = (levels & ~(1 << channel)) | level << channel
        shown[max(0, ceil((time_ps - origin_ps) * rate_hz / 10**12))] = levels
    found = []
    for before, index in pairwise(sorted(shown)):
        changed = shown[before] ^ shown[index]
        found += [
            (index, channel, shown[index] >> channel & 1)
            for channel in range(16)
            if changed >> channel & 1 and index < total
        ]
    return found, total


def read_to_end(
    analyzer: SigrokAnalyzer, stop_after_samples: int | None = None
) -> list[CaptureItem]:
    """All items of a running capture, with a stop request once so many samples have come."""
    items: list[CaptureItem] = []
    while not items or not isinstance(items[-1], CaptureEnd):
        item = analyzer.read(20)
        assert item is not None, "the capture neither goes on nor ends"
        items.append(item)
        if (
            isinstance(item, EdgeBlock)
            and stop_after_samples is not None
            and item.end_sample >= stop_after_samples
        ):
            analyzer.stop()
    assert analyzer.read(20) is None
    return items


def edges_of(items: Sequence[CaptureItem]) -> list[tuple[int, int, int]]:
    """Edges of all blocks, which must follow each other."""
    found: list[tuple[int, int, int]] = []
    end = 0
    for block in (item for item in items if isinstance(item, EdgeBlock)):
        assert block.start_sample == end
        end = block.end_sample
        found += zip(
            block.index.tolist(), block.channel.tolist(), block.level.tolist(), strict=True
        )
    return found
