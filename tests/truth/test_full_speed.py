# SPDX-License-Identifier: GPL-3.0-or-later
"""10^10 samples as fast as they go: virtual analyzer, libsigrok's driver, worker, host.

Every edge is compared with a train known beforehand, and nothing on the way may grow.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import psutil
import pytest

from rig.analysis.train.continuity import Continuity
from rig.analysis.train.relative_rate import smallest_step_samples
from rig.capture.sigrok_analyzer import SigrokAnalyzer
from rig.instruments import CaptureEnd, EdgeBlock, Int64Array, Loss, UInt8Array
from rig.record.reader import RunFile
from rig.record.writer import RunWriter
from rig.stimulus.train import Pattern, Polarity, Train
from rig.virtual.analyzer import VirtualAnalyzer
from rig.virtual.clock import VirtualClock
from tests.capture.bench import open_analyzer
from tests.chip import CLOCK_HZ
from tests.record.trains import TEXTS

RATE_HZ = 100_000_000
SAMPLE_PS = 10**12 // RATE_HZ
PAGE_SAMPLES = 1 << 21
"""The train is made and compared a page at a time."""
CHANNELS = 8
GROWTH_BYTES = 5 << 20

FEED = """
import sys
from tests.truth.test_full_speed import feed
feed(int(sys.argv[1]), int(sys.argv[2]))
"""


# --- the known train ------------------------------------------------------------------------------


@dataclass
class KnownTrain:
    """Edges of eight channels at random; some share a sample. Pages must be taken in order."""

    mean_gap: int
    """Samples from one edge to the next, on average."""
    levels: int = 0
    number: int = 0

    def page(self) -> tuple[Int64Array, UInt8Array, UInt8Array]:
        """Index, channel, level of the next page's edges, in order of (index, channel)."""
        chance = np.random.default_rng([self.mean_gap, self.number])
        first = self.number * PAGE_SAMPLES
        self.number += 1
        at = chance.integers(0 if first else 1, PAGE_SAMPLES, PAGE_SAMPLES // self.mean_gap)
        twins = at[1::10]
        at[::10][: len(twins)] = twins
        slot = np.unique(at * CHANNELS + chance.integers(0, CHANNELS, len(at)))
        channel = (slot % CHANNELS).astype(np.uint8)
        level = np.empty(len(slot), np.uint8)
        for c in range(CHANNELS):
            mine = np.flatnonzero(channel == c)
            level[mine] = (np.arange(1, len(mine) + 1) + (self.levels >> c & 1)) % 2
            self.levels ^= (len(mine) & 1) << c
        return first + slot // CHANNELS, channel, level


def feed(mean_gap: int, samples: int) -> None:
    """A virtual analyzer that sends the known train at full speed, a little more than `samples`."""
    train = KnownTrain(mean_gap)
    chance = np.random.default_rng(mean_gap)
    with VirtualAnalyzer(CHANNELS) as analyzer:
        print(analyzer.port, flush=True)
        while not analyzer.streaming:
            time.sleep(0.001)
        for number in range(samples // PAGE_SAMPLES + 100):
            index, channel, level = train.page()
            # Anywhere between the sample before, which does not show it, and the one that does.
            before_ps = chance.integers(0, SAMPLE_PS, len(index))
            time_ps = np.maximum.accumulate(index * SAMPLE_PS - before_ps)
            until_ps = ((number + 1) * PAGE_SAMPLES - 1) * SAMPLE_PS + 1
            edges = list(zip(time_ps.tolist(), channel.tolist(), level.tolist(), strict=True))
            analyzer.emit(edges, until_ps)
            if not analyzer.streaming:
                break
        analyzer.flush()
        sys.stdin.read()


@dataclass
class Comparison:
    """What came against what was sent, page by page."""

    train: KnownTrain
    edges: int = 0
    samples: int = 0
    _blocks: list[EdgeBlock] = field(default_factory=list)

    def add(self, block: EdgeBlock) -> None:
        """Compare what is whole; the blocks must follow each other."""
        assert block.start_sample == (self._blocks[-1].end_sample if self._blocks else self.samples)
        self._blocks.append(block)
        while block.end_sample >= self.samples + PAGE_SAMPLES:
            self._compare_page()

    def _compare_page(self) -> None:
        end = self.samples + PAGE_SAMPLES
        got = [
            np.concatenate([getattr(b, name) for b in self._blocks])
            for name in ("index", "channel", "level")
        ]
        inside = int(np.searchsorted(got[0], end))
        for name, have, want in zip(
            ("index", "channel", "level"), got, self.train.page(), strict=True
        ):
            assert np.array_equal(have[:inside], want), f"{name} differs before sample {end}"
        self.edges += inside
        self.samples = end
        last = self._blocks[-1]
        self._blocks = [
            EdgeBlock(end, last.end_sample, got[0][inside:], got[1][inside:], got[2][inside:], 0)
        ]


# --- reading it -----------------------------------------------------------------------------------


@contextmanager
def feeding(
    program: str, *arguments: int
) -> Iterator[tuple[SigrokAnalyzer, subprocess.Popen[str]]]:
    """The real driver in its worker, connected to a virtual analyzer in a process of its own."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as feeder:
        try:
            assert feeder.stdout is not None
            port = int(feeder.stdout.readline())
            with open_analyzer(port, RATE_HZ, CHANNELS) as analyzer:
                yield analyzer, feeder
        finally:
            feeder.kill()


class Memory:
    """Resident memory of the host and its worker from the first tenth of a capture on."""

    def __init__(self, worker_pid: int) -> None:
        self._processes = {"host": psutil.Process(), "worker": psutil.Process(worker_pid)}
        self._sizes: dict[str, list[int]] = {name: [] for name in self._processes}

    def look(self) -> None:
        for name, process in self._processes.items():
            self._sizes[name].append(process.memory_info().rss)

    def growth(self) -> dict[str, int]:
        """Largest size since the first look, above that of the first."""
        return {name: max(sizes) - sizes[0] for name, sizes in self._sizes.items()}


def capture(
    mean_gap: int, samples: int, out: Path | None = None
) -> tuple[Comparison, dict[str, int]]:
    """Read and compare so many samples, and keep them in a run file; growth of both processes."""
    comparison = Comparison(KnownTrain(mean_gap))
    writer = None if out is None else RunWriter(out, TEXTS, {"sample_rate_hz": RATE_HZ})
    with feeding(FEED, mean_gap, samples) as (analyzer, _):
        memory = Memory(analyzer.worker_pid)
        analyzer.start()
        began_s = time.perf_counter()
        next_look = samples // 10
        while comparison.samples < samples:
            item = analyzer.read(20)
            assert isinstance(item, EdgeBlock), item
            if writer is not None:
                writer.edges(item)
            comparison.add(item)
            if item.end_sample >= next_look:
                memory.look()
                next_look += samples // 100
        took_s = time.perf_counter() - began_s
        memory.look()
        analyzer.stop()
        while not isinstance(item := analyzer.read(20), CaptureEnd):
            assert not isinstance(item, Loss), item
            if writer is not None and item is not None:
                writer.edges(item)
    if writer is not None:
        with writer:
            writer.finish("complete", {})
    print(
        f"{comparison.samples:,} samples with {comparison.edges:,} edges compared, "
        f"{comparison.samples / took_s / 1e6:.0f} MS/s, growth {memory.growth()}"
    )
    return comparison, memory.growth()


def check_file(path: Path, mean_gap: int, samples: int) -> None:
    """The run file holds the same train."""
    comparison = Comparison(KnownTrain(mean_gap))
    with RunFile(path) as file:
        for block in file.edge_blocks():
            comparison.add(block)
    assert comparison.samples >= samples


@pytest.mark.parametrize("mean_gap", [10_000, 200])
def test_a_short_capture_at_full_speed(tmp_path, mean_gap):
    samples = 200_000_000 if mean_gap == 10_000 else 20_000_000
    comparison, growth = capture(mean_gap, samples, tmp_path / "run.h5")
    assert comparison.edges > 0.9 * samples / mean_gap
    check_file(tmp_path / "run.h5", mean_gap, samples)
    assert growth["worker"] < 2 * GROWTH_BYTES


@pytest.mark.truth
@pytest.mark.timeout(1800)
def test_ten_billion_samples():
    comparison, growth = capture(10_000, 10**10)
    assert comparison.samples >= 10**10
    assert comparison.edges > 0.9 * 10**6
    assert max(growth.values()) < GROWTH_BYTES, growth


@pytest.mark.truth
@pytest.mark.timeout(900)
def test_a_billion_samples_into_a_run_file(tmp_path):
    comparison, growth = capture(2_000, 10**9, tmp_path / "run.h5")
    assert comparison.samples >= 10**9
    check_file(tmp_path / "run.h5", 2_000, 10**9)
    assert growth["worker"] < GROWTH_BYTES, growth


# --- samples that vanish without a word -----------------------------------------------------------

STIMULUS, RESPONSE, END_MARK = 0, 1, 7
CLOCK = VirtualClock(CLOCK_HZ, error_ppb=38_000)
INTERVAL_MAX_NS = 1_500_000
FEED_DROPS = """
import sys
from tests.truth.test_full_speed import feed_drops
feed_drops(int(sys.argv[1]), int(sys.argv[2]))
"""


def stimulus_train(stimuli: int) -> Train:
    """About 1,000 a second, at random."""
    return Train(
        pattern=Pattern.UNIFORM,
        count=stimuli,
        seed=7,
        delay_ticks=160_000,
        width_ticks=160,
        polarity=Polarity.POSITIVE,
        interval_min_ticks=8_000,
        interval_max_ticks=24_000,
    )


def feed_drops(stimuli: int, drops: int) -> None:
    """Send the train with its answers; leave out stretches of it, and tell which afterward."""
    train = stimulus_train(stimuli)
    chance = np.random.default_rng(stimuli)
    ticks = train.edges(0, stimuli).tolist()
    with VirtualAnalyzer(CHANNELS) as analyzer:
        # Somewhere after every so manyth stimulus: from the shortest that must be found to 5 ms.
        for after in np.linspace(40, stimuli - 40, drops).astype(int).tolist():
            first_ps = CLOCK.time_ps(ticks[after]) + int(chance.integers(10**9))
            shortest = smallest_step_samples(RATE_HZ, CLOCK_HZ, INTERVAL_MAX_NS)
            length = int(np.exp(chance.uniform(np.log(shortest), np.log(500_000))))
            assert analyzer.drop(first_ps, length * SAMPLE_PS)
        print(analyzer.port, flush=True)
        while not analyzer.streaming:
            time.sleep(0.001)
        answer = 0
        for tick in ticks:
            begin_ps, end_ps = CLOCK.time_ps(tick), CLOCK.time_ps(tick + train.width_ticks)
            answer ^= 1
            edges = [(begin_ps, STIMULUS, 1), (end_ps, STIMULUS, 0)]
            edges.append((begin_ps + int(chance.integers(3e6, 100e6)), RESPONSE, answer))
            analyzer.emit(sorted(edges), begin_ps + 200_000_000)
        analyzer.emit([], CLOCK.time_ps(ticks[-1]) + 10**10)
        now_ps = CLOCK.time_ps(ticks[-1]) + 10**10
        analyzer.emit([(now_ps, END_MARK, 1)], now_ps + 10**10)
        analyzer.flush()
        print(json.dumps([asdict(drop) for drop in analyzer.drops]), flush=True)
        sys.stdin.read()


def find_drops(stimuli: int, drops: int) -> None:
    """Every hole is found, with its place and its length, and nothing else."""
    continuity = Continuity(stimulus_train(stimuli), RATE_HZ, CLOCK_HZ, sent=stimuli)
    with feeding(FEED_DROPS, stimuli, drops) as (analyzer, feeder):
        analyzer.start()
        began_s, ended = time.perf_counter(), False
        while not ended:
            item = analyzer.read(20)
            assert isinstance(item, EdgeBlock), item
            leading = (item.channel == STIMULUS) & (item.level == 1)
            continuity.feed(item.index[leading])
            ended = bool((item.channel == END_MARK).any())
        took_s = time.perf_counter() - began_s
        assert feeder.stdout is not None
        true_drops = json.loads(feeder.stdout.readline())
        analyzer.stop()
    gaps = continuity.finish(item.end_sample).gaps
    print(f"{item.end_sample:,} samples, {drops} drops, {item.end_sample / took_s / 1e6:.0f} MS/s")
    assert len(true_drops) == drops
    assert len(gaps) == drops, (gaps, true_drops)
    for gap, drop in zip(gaps, true_drops, strict=True):
        assert gap.first_sample <= drop["sample"] <= gap.last_sample, (gap, drop)
        assert gap.missing_samples is not None
        assert abs(gap.missing_samples - drop["samples"]) <= gap.tolerance_samples, (gap, drop)
        assert gap.placed


def test_drops_in_a_short_capture_at_full_speed():
    find_drops(stimuli=1_500, drops=20)


@pytest.mark.truth
@pytest.mark.timeout(600)
def test_dozens_of_drops_in_two_billion_samples():
    find_drops(stimuli=20_000, drops=60)
