# SPDX-License-Identifier: GPL-3.0-or-later
"""Response edges that are known only when they are past: captured late, with their own cycle."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rig.instruments import StimulusState
from rig.resources import firmware_image
from rig.stimulus.device import SerialStimulus
from rig.stimulus.train import Pattern, Polarity, Train
from rig.virtual.emulator import Emulator
from tests.chip import CHIP

from .port import open_port
from .test_response_pin import CANCELER_OFF, CANCELER_ON, SERVE_CYCLES, Firmware

Start = Callable[..., Emulator]

ROUND_TICKS = 65_536
DELAY_CYCLES = 10_000
CANCELER_CYCLES = 4
MATCH_CYCLES = 1
"""A compare's edge leaves when the counter leaves the matching value."""


def capture_behind(emulator: Emulator, slice_cycles: int, distance: int) -> list[tuple[int, int]]:
    """(stamp, edge's own cycle), both modulo a round of the timer, of edges fed a slice late.

    capture.c counts rounds as if captures were in time; its stamps are what matters here.
    """
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_OFF)
        first = firmware.now + 1000
        edges = [(first + n * distance, (n + 1) % 2) for n in range(12)]
        text = b""
        now = firmware.now
        while text.count(b"\n") < len(edges):
            assert now < edges[-1][0] + 10**6, text
            before, now = now, emulator.run(now + slice_cycles).cycle
            past = [(at, 0, level) for at, level in edges if before < at <= now]
            emulator.run(now, inputs=past)
            text += port.read()
        stamps = [int(line.split()[0], 16) for line in text.splitlines()]
        return [
            ((stamp + firmware.zero_cycle) % ROUND_TICKS, at % ROUND_TICKS)
            for stamp, (at, _) in zip(stamps, edges, strict=True)
        ]


@pytest.mark.parametrize("slice_cycles", [999, 3_200, 9_900])
def test_every_edge_of_a_slice_is_captured_at_its_own_cycle(
    start: Start, slice_cycles: int
) -> None:
    """Edges 25 us apart, a dozen in the longest slice."""
    captured = capture_behind(start("capture", DELAY_CYCLES), slice_cycles, SERVE_CYCLES)
    assert len(captured) == 12
    assert all(stamp == own for stamp, own in captured)


def test_without_the_delay_edges_of_one_slice_overrun_each_other(start: Start) -> None:
    """What the delay is for: else the test above would show nothing."""
    emulator = start("capture")
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_OFF)
        now = emulator.run(firmware.now + 9_900).cycle
        past = [(now - 9_000, 0, 1), (now - 8_500, 0, 0), (now - 8_000, 0, 1)]
        emulator.run(now, inputs=past)
        text = b""
        for _ in range(20):
            now = emulator.run(now + 16_000).cycle
            text += port.read()
        assert text.count(b"\n") < len(past)


def test_the_noise_canceler_works_on_late_edges(start: Start) -> None:
    emulator = start("capture", DELAY_CYCLES)
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_ON)
        at = firmware.now + 1000
        # Two glitches and an edge between them, all of one slice.
        now = emulator.run(at + 9_000).cycle
        edges = [(at, 1), (at + 3, 0), (at + 2_000, 1), (at + 4_000, 0), (at + 4_003, 1)]
        emulator.run(now, inputs=[(cycle, 0, level) for cycle, level in edges])
        text = b""
        while now < at + 400_000:
            now = emulator.run(now + 16_000).cycle
            text += port.read()
        (line,) = text.splitlines()
        stamp = int(line.split()[0], 16) + firmware.zero_cycle
        assert (stamp - at - 2_000 - CANCELER_CYCLES) % ROUND_TICKS == 0


@pytest.mark.parametrize("delay_cycles", [1, DELAY_CYCLES, 32_768])
@pytest.mark.parametrize("echo_cycles", [40, 20_000])
def test_the_stimulus_firmware_finds_the_round_of_a_late_edge(
    build: Path, delay_cycles: int, echo_cycles: int
) -> None:
    """Intervals of every length against the timer's round; each edge comes back as an answer."""
    train = Train(
        Pattern.UNIFORM,
        400,
        seed=7,
        delay_ticks=20_000,
        polarity=Polarity.POSITIVE,
        width_ticks=800,
        interval_min_ticks=3_200,
        interval_max_ticks=120_000,
    )
    command = [build / "rig-emulator", "--firmware", firmware_image(CHIP.name), "--mode", "paced"]
    command += ["--echo-cycles", str(echo_cycles), "--response-delay-cycles", str(delay_cycles)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            with SerialStimulus.open(process.stdout.readline().split()[1], CHIP) as stimulus:
                stimulus.configure(train)
                stimulus.start()
                captures = np.zeros(0, dtype=np.int64)
                while len(captures) < 2 * train.count:
                    block = stimulus.fetch(1, 200)
                    assert len(block.ticks) or block.running, "captures are missing"
                    captures = np.append(captures, block.ticks)
                status = stimulus.status()
        finally:
            process.kill()
    assert (status.state, status.sent) == (StimulusState.DONE, train.count)
    assert (status.late, status.capture_overruns) == (0, 0)
    leading = train.edges(0, train.count)
    answers = np.sort(np.concatenate([leading, leading + train.width_ticks]))
    late_cycles = MATCH_CYCLES + echo_cycles + CANCELER_CYCLES
    assert captures.tolist() == (answers + late_cycles).tolist()


def test_a_delay_of_more_than_half_a_round_is_refused(build: Path) -> None:
    command = [build / "rig-emulator", "--firmware", firmware_image(CHIP.name)]
    ended = subprocess.run(
        [*command, "--response-delay-cycles", "32769"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "give a whole number from 0 to 32768" in ended.stderr
