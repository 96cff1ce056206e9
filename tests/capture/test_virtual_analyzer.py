# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual analyzer, read by libsigrok's own driver: what goes in comes out, to the sample."""

from __future__ import annotations

import socket
import subprocess
import threading
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest

from rig.instruments import CaptureEnd
from rig.virtual.analyzer import VirtualAnalyzer
from rig.virtual.capture import Drop

from .bench import (
    World,
    edges_of,
    open_analyzer,
    random_batches,
    read_to_end,
    true_edges,
    wait_until,
)


@pytest.mark.parametrize(
    ("channels", "rate_hz", "error_ppb"),
    [
        (8, 10_000_000, 0),
        (8, 24_000_000, 0),
        (8, 100_000_000, 50_000),
        (14, 12_500_000, 0),
        (14, 24_000_000, -50_000),
        (14, 100_000_000, 0),
    ],
)
def test_edges_come_out_on_the_very_sample(
    channels: Literal[8, 14], rate_hz: int, error_ppb: int
) -> None:
    start_ps = 3_141_592_653_589  # no multiple of a sample period
    mean_gap_ps = 10**12 * 400 // rate_hz
    batches = random_batches(rate_hz + channels, channels, start_ps, 4_000, mean_gap_ps)
    with VirtualAnalyzer(channels, rate_error_ppb=error_ppb) as virtual:
        virtual.emit([], start_ps)
        with open_analyzer(virtual.port, rate_hz, channels) as analyzer:
            world = World(virtual, batches)
            analyzer.start()
            true_rate_hz = rate_hz * Fraction(10**9 + error_ppb, 10**9)
            expected, total = true_edges(batches, start_ps, true_rate_hz)
            items = read_to_end(analyzer, stop_after_samples=total)
            world.join()
        assert virtual.capture_origin_ps == start_ps
        assert virtual.sample_rate_hz == analyzer.identity.sample_rate_hz == rate_hz
    assert items[-1] == CaptureEnd(total, asked=True)
    assert edges_of(items) == expected
    assert len(expected) > 10_000


def test_upper_channels_that_are_not_captured_leave_no_trace() -> None:
    """With channels below 8 only, the driver asks for one byte a sample."""
    batches = random_batches(11, 14, 0, 500, 5_000_000)
    with VirtualAnalyzer(14) as virtual, open_analyzer(virtual.port, 24_000_000, 4) as analyzer:
        world = World(virtual, batches)
        analyzer.start()
        expected, total = true_edges(batches, 0, Fraction(24_000_000))
        items = read_to_end(analyzer, stop_after_samples=total)
        world.join()
    assert edges_of(items) == [edge for edge in expected if edge[1] < 4]


def test_captures_follow_each_other_with_their_own_origins() -> None:
    """Levels go on while nobody captures; the same worker and a new one both start at sample 0."""
    levels, now_ps = 0, 0
    with VirtualAnalyzer(8) as virtual:
        for seed in range(2):
            with open_analyzer(virtual.port) as analyzer:
                for _ in range(2):
                    wait_until(lambda: not virtual.streaming, "the end of the capture")
                    virtual.emit([(now_ps + 5, 3, 1 - (levels >> 3 & 1))], now_ps + 1_000_000)
                    levels ^= 1 << 3
                    now_ps += 1_000_000
                    batches = random_batches(seed, 8, now_ps, 300, 10_000_000, levels)
                    world = World(virtual, batches)
                    analyzer.start()
                    expected, total = true_edges(batches, now_ps, Fraction(24_000_000), levels)
                    items = read_to_end(analyzer, stop_after_samples=total)
                    world.join()
                    assert edges_of(items) == expected
                    assert virtual.capture_origin_ps == now_ps
                    now_ps = batches[-1][1]
                    for edges, _ in batches:
                        for _, channel, level in edges:
                            levels = (levels & ~(1 << channel)) | level << channel


def test_emit_waits_for_a_slow_host_and_wakes_when_it_stops() -> None:
    with VirtualAnalyzer(8) as virtual, open_analyzer(virtual.port) as analyzer:
        analyzer.start()
        wait_until(lambda: virtual.streaming, "the start of the capture")
        # Toggling every sample fills all buffers on the way: nobody reads.
        flood = [(time_ps, 0, number & 1) for number, time_ps in enumerate(range(0, 10**9, 41_666))]
        done = threading.Event()

        def drown() -> None:
            for turn in range(200_000_000_000 // 10**9):
                virtual.emit([(t + turn * 10**9, c, lv) for t, c, lv in flood], (turn + 1) * 10**9)
                if not virtual.streaming:
                    break
            done.set()

        thread = threading.Thread(target=drown, daemon=True)
        thread.start()
        assert not done.wait(1.0)
        analyzer.stop()
        assert isinstance(read_to_end(analyzer)[-1], CaptureEnd)
        assert done.wait(10)
        thread.join()


def test_sigrok_cli_reads_it_too() -> None:
    """A second reader of the protocol: sigrok-cli, both sample widths."""
    for channels, unitsize in ((8, 1), (14, 2)):
        with VirtualAnalyzer(8 if channels == 8 else 14) as virtual:
            batches = random_batches(7, channels, 0, 500, 5_000_000)
            expected, total = true_edges(batches, 0, Fraction(24_000_000))
            World(virtual, [*batches, ([], batches[-1][1] + 10**10)])
            device = f"beaglelogic:conn=tcp-raw/127.0.0.1/{virtual.port}:logic_channels={channels}"
            command = ["sigrok-cli", "-d", device, "-c", "samplerate=24m", "-O", "binary"]
            run = subprocess.run(
                [*command, "--samples", str(total)], capture_output=True, timeout=30, check=True
            )
        raw = run.stdout[-total * unitsize :]  # the output may begin with a line of text
        samples = [
            int.from_bytes(raw[at : at + unitsize], "little") for at in range(0, len(raw), unitsize)
        ]
        assert len(samples) == total
        found = [
            (index, channel, samples[index] >> channel & 1)
            for index in range(1, total)
            if samples[index] != samples[index - 1]
            for channel in range(channels)
            if (samples[index] ^ samples[index - 1]) >> channel & 1
        ]
        assert found == expected


@pytest.mark.parametrize(
    ("sent", "reply"),
    [
        (b"version\n", b"BeagleLogic 1.0\n"),
        (b"samplerate 24000000\nsamplerate\n", b"ok\n24000000\n"),
        (b"samplerate 0\n", b"error\n"),
        (b"samplerate 100000001\n", b"error\n"),
        (b"samplerate -5\n", b"error\n"),
        (b"memalloc\n", b"-1\n"),
        (b"\n", b"error\n"),
        (b"sampleunit one\n", b"error\n"),
        (b"\xff\xfe 1 2 3\n", b"error\n"),
        (b"x" * 10_000, b""),
    ],
)
def test_lines_are_answered_or_the_client_is_dropped(sent: bytes, reply: bytes) -> None:
    with VirtualAnalyzer(8) as virtual:
        with socket.create_connection(("127.0.0.1", virtual.port), timeout=10) as client:
            client.sendall(sent)
            got = b""
            while len(got) < len(reply):
                got += client.recv(100)
            assert got == reply
            if not reply:
                with pytest.raises((ConnectionError, AssertionError)):
                    assert client.recv(100)
        with socket.create_connection(("127.0.0.1", virtual.port), timeout=10) as client:
            client.sendall(b"version\n")
            assert client.recv(100) == b"BeagleLogic 1.0\n"


@pytest.mark.parametrize(("channels", "rate_hz"), [(8, 24_000_000), (14, 100_000_000)])
def test_a_drop_leaves_out_just_its_samples(channels: Literal[8, 14], rate_hz: int) -> None:
    """The stream is that of all samples less the holes, wherever emit's stretches end."""
    start_ps, period_ps = 3_141_592_653_589, 10**12 // rate_hz
    batches = random_batches(rate_hz, channels, start_ps, 1_000, 400 * period_ps)
    expected, total = true_edges(batches, start_ps, Fraction(rate_hz))
    chance = np.random.default_rng(channels)
    kept = np.ones(total, bool)
    holes = []
    with VirtualAnalyzer(channels) as virtual:
        virtual.emit([], start_ps)
        for first_ps in np.sort(chance.integers(start_ps, batches[-1][1] - 10**9, 60)).tolist():
            length_ps = int(chance.integers(period_ps, 3_000 * period_ps))
            if virtual.drop(first_ps, length_ps):
                first, end = (
                    -((start_ps - at_ps) * rate_hz // 10**12)
                    for at_ps in (first_ps, first_ps + length_ps)
                )
                holes.append(Drop(int(kept[:first].sum()), first_ps, end - first))
                kept[first:end] = False
        with open_analyzer(virtual.port, rate_hz, channels) as analyzer:
            world = World(virtual, batches)
            analyzer.start()
            items = read_to_end(analyzer, stop_after_samples=int(kept.sum()))
            world.join()
        assert virtual.drops == tuple(holes)
    assert len(holes) > 30
    toggled = np.zeros(total, np.int64)
    for index, channel, _ in expected:
        toggled[index] ^= 1 << channel
    levels = np.bitwise_xor.accumulate(toggled)[kept]
    left = [
        (index, channel, int(levels[index] >> channel & 1))
        for index in (np.flatnonzero(np.diff(levels)) + 1).tolist()
        for channel in range(channels)
        if (levels[index] ^ levels[index - 1]) >> channel & 1
    ]
    assert edges_of(items) == left
    assert items[-1] == CaptureEnd(int(kept.sum()), asked=True)


def test_drops_that_cannot_be_are_refused() -> None:
    with VirtualAnalyzer(8) as virtual:
        virtual.emit([], 1_000_000)
        assert not virtual.drop(999_999, 100)
        assert not virtual.drop(2_000_000, 0)
        assert virtual.drop(2_000_000, 500_000)
        assert not virtual.drop(2_400_000, 500_000)
        assert virtual.drop(2_500_000, 500_000)
        assert virtual.drops == ()


def test_edges_out_of_their_stretch_are_refused() -> None:
    with VirtualAnalyzer(8) as virtual:
        virtual.emit([], 1000)
        for edges, until_ps in (([(999, 0, 1)], 2000), ([(2000, 0, 1)], 2000), ([], 999)):
            with pytest.raises(ValueError, match="not within"):
                virtual.emit(edges, until_ps)


def test_close_in_mid_stream_leaves_no_thread() -> None:
    before = threading.active_count()
    virtual = VirtualAnalyzer(8)
    with open_analyzer(virtual.port) as analyzer:
        analyzer.start()
        world = World(virtual, [([], number * 10**9) for number in range(1, 2_000)])
        analyzer.read(10)
        virtual.close()
        virtual.close()
        world.join()
    assert threading.active_count() == before
