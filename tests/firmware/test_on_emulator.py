# SPDX-License-Identifier: GPL-3.0-or-later
"""The real firmware on the emulated chip: what it says, and what leaves its pin."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rig.arrays import Int64Array
from rig.errors import BenchError
from rig.instruments import StimulusState, StimulusStatus
from rig.stimulus.link import ScpiLink
from rig.stimulus.train import Pattern, Polarity, Train

from .conftest import Bench

Start = Callable[..., Bench]

COMMON = {"seed": 12345, "delay_ticks": 20_000, "polarity": Polarity.POSITIVE}
KEPT = 60
"""Pulses whose edges the chip keeps all, however late a busy host fetches them."""
TRAINS = {
    "periodic": Train(Pattern.PERIODIC, 2000, **COMMON, width_ticks=160, period_ticks=1_600),
    "periodic, shortest": Train(
        Pattern.PERIODIC, 20_000, **COMMON, width_ticks=160, period_ticks=320
    ),
    "periodic, rounds of the timer": Train(
        Pattern.PERIODIC, 200, **COMMON, width_ticks=32_767, period_ticks=65_536
    ),
    "periodic, long": Train(
        Pattern.PERIODIC, 3, **COMMON, width_ticks=160, period_ticks=24_000_001
    ),
    "uniform": Train(
        Pattern.UNIFORM,
        2000,
        **COMMON,
        width_ticks=500,
        interval_min_ticks=3_200,
        interval_max_ticks=100_000,
    ),
    "uniform, shortest": Train(
        Pattern.UNIFORM,
        20_000,
        **COMMON,
        width_ticks=160,
        interval_min_ticks=1_280,
        interval_max_ticks=1_280,
    ),
    "poisson": Train(
        Pattern.POISSON,
        2000,
        **COMMON,
        width_ticks=500,
        interval_min_ticks=3_200,
        interval_mean_ticks=40_000,
    ),
    "poisson, shortest": Train(
        Pattern.POISSON,
        20_000,
        **COMMON,
        width_ticks=160,
        interval_min_ticks=1_600,
        interval_mean_ticks=1_600,
    ),
    "burst": Train(
        Pattern.BURST,
        2000,
        **COMMON,
        width_ticks=160,
        period_ticks=100_000,
        burst_count=7,
        burst_spacing_ticks=1_000,
    ),
    "burst, shortest": Train(
        Pattern.BURST,
        20_000,
        **COMMON,
        width_ticks=160,
        period_ticks=32_000,
        burst_count=100,
        burst_spacing_ticks=320,
    ),
    "ramp": Train(
        Pattern.RAMP,
        2000,
        **COMMON,
        width_ticks=160,
        ramp_start_ticks=160_000,
        ramp_stop_ticks=1_600,
    ),
    "ramp, shortest": Train(
        Pattern.RAMP,
        20_000,
        **COMMON,
        width_ticks=160,
        ramp_start_ticks=1_601,
        ramp_stop_ticks=1_600,
    ),
    "negative": Train(
        Pattern.PERIODIC,
        200,
        **(COMMON | {"polarity": Polarity.NEGATIVE}),
        width_ticks=800,
        period_ticks=16_000,
    ),
}


def run_to_end(bench: Bench) -> tuple[Int64Array, StimulusStatus]:
    """Start, and fetch captures until the train has ended."""
    bench.stimulus.start()
    ticks = []
    running = True
    while running:
        block = bench.stimulus.fetch(64, 20)
        assert block.first == sum(map(len, ticks))
        running = block.running
        ticks.append(block.ticks)
    ticks.append(bench.stimulus.fetch(128, 10).ticks)
    return np.concatenate(ticks), bench.stimulus.status()


def test_the_last_block_is_sent_again_as_far_as_it_is_kept(start: Start) -> None:
    bench = start(mode="paced", echo_cycles=100)
    bench.stimulus.configure(dataclasses.replace(TRAINS["negative"], count=82))
    bench.stimulus.start()
    first = bench.stimulus.fetch(100, 2000).ticks
    while bench.stimulus.status().state is StimulusState.RUNNING:
        pass
    blocks = [
        bench.stimulus._parse_block(bench.stimulus._link.query_block("FETC? AGAIN", 0))
        for _ in range(3)
    ]
    for block in blocks:  # the oldest edges of the block before are overwritten
        assert (block.first, len(block.ticks)) == (2 * 82 - 128, 128)
        assert list(block.ticks) == list(blocks[0].ticks)
        assert list(block.ticks[: len(first) - block.first]) == list(first[block.first :])
    assert bench.stimulus.status().capture_overruns == 0


@pytest.mark.parametrize("train", TRAINS.values(), ids=TRAINS.keys())
def test_edges_leave_as_planned(start: Start, train: Train) -> None:
    bench = start()
    bench.stimulus.configure(train)
    _, status = run_to_end(bench)
    assert status.state is StimulusState.DONE
    assert (status.planned, status.sent, status.late) == (train.count, train.count, 0)
    edges = bench.edges()
    leading, trailing = edges.rising, edges.falling
    if train.polarity is Polarity.NEGATIVE:
        leading, trailing = edges.falling, edges.rising[1:]  # the first puts the pin at rest
    planned = train.edges(0, train.count)
    assert np.array_equal(leading - leading[0], planned - planned[0])
    assert np.array_equal(trailing - leading[0], planned + train.width_ticks - planned[0])


@pytest.mark.parametrize(
    "name", ["periodic, rounds of the timer", "uniform", "poisson", "negative"]
)
def test_captures_see_every_edge_at_its_tick(start: Start, name: str) -> None:
    train = dataclasses.replace(TRAINS[name], count=KEPT)
    bench = start(mode="paced", echo_cycles=300)
    bench.stimulus.configure(train)
    ticks, status = run_to_end(bench)
    assert status.capture_overruns == 0
    assert status.captured == len(ticks)
    leading = train.edges(0, train.count)
    both = np.sort(np.concatenate([leading, leading + train.width_ticks]))
    offset = ticks[0] - both[0]
    assert np.array_equal(ticks, both + offset)
    # The echo, one cycle from match to edge, and the noise canceler's four.
    assert 300 <= offset <= 310


def test_captures_lost_are_counted(start: Start) -> None:
    bench = start(echo_cycles=50)
    bench.stimulus.configure(TRAINS["periodic, shortest"])
    ticks, status = run_to_end(bench)
    assert status.late == 0  # the train goes first
    assert status.capture_overruns > 0
    assert status.captured == len(ticks)
    assert (np.diff(ticks) > 0).all()


def test_full_buffer_keeps_the_oldest(start: Start) -> None:
    train = TRAINS["periodic"]
    bench = start(echo_cycles=300)
    bench.stimulus.configure(train)
    bench.stimulus.start()
    while bench.stimulus.status().state is StimulusState.RUNNING:
        pass
    block = bench.stimulus.fetch(128, 10)
    planned = train.edges(0, 64)
    assert np.array_equal(block.ticks[::2] - block.ticks[0], planned - planned[0])
    status = bench.stimulus.status()
    assert status.captured == 128
    assert status.capture_overruns == 2 * train.count - 128


def test_overload_is_counted_and_the_plan_kept(start: Start, unlimited_image: Path) -> None:
    """Bursts faster than the chip: each edge too late is counted, and the next burst is on time."""
    bench = start(unlimited_image)
    for line in (
        "SOUR:PATT BURS",
        "SOUR:BURS:COUN 20",
        "SOUR:BURS:SPAC 160",
        "SOUR:PER 100000",
        "SOUR:PULS:WIDT 80",
        "SOUR:COUN 200",
    ):
        assert not bench.stimulus._link.outcome(line)
    _, status = run_to_end(bench)
    assert status.sent == 200
    edges = bench.edges()
    number = np.arange(200)
    leading = (number // 20) * 100_000 + (number % 20) * 160
    late = np.concatenate(
        [edges.rising - edges.rising[0] - leading, edges.falling - edges.rising[0] - leading - 80]
    )
    assert (late >= 0).all()
    assert status.late == np.count_nonzero(late) > 100
    assert status.late_max_ticks == late.max()
    assert (late[:200:20] == 0).all()


def test_starved_train_recovers(start: Start, unlimited_image: Path) -> None:
    """Intervals shorter than their making: the train falls far behind, and loses no pulse."""
    bench = start(unlimited_image)
    for line in (
        "SOUR:PATT POIS",
        "SOUR:INT:MIN 400",
        "SOUR:INT:MEAN 400",
        "SOUR:PULS:WIDT 160",
        "SOUR:COUN 3000",
    ):
        assert not bench.stimulus._link.outcome(line)
    _, status = run_to_end(bench)
    edges = bench.edges()
    late = edges.rising - edges.rising[0] - 400 * np.arange(3000)
    assert status.sent == len(edges.rising) == len(edges.falling) == 3000
    assert late.max() > 65_536  # more than a round of the timer
    both = np.concatenate([late, edges.falling - edges.rising[0] - 400 * np.arange(3000) - 160])
    assert status.late == np.count_nonzero(both)
    assert status.late_max_ticks == both.max()


@pytest.mark.parametrize("polarity", list(Polarity))
def test_abort_rests_the_pin_at_once(start: Start, polarity: Polarity) -> None:
    bench = start()
    train = Train(
        Pattern.PERIODIC, 10_000, 1, 20_000, 30_000, polarity, period_ticks=31_000
    )  # nearly always within a pulse
    bench.stimulus.configure(train)
    bench.stimulus.start()
    while bench.stimulus.status().sent < 10:
        pass
    bench.stimulus.abort()
    status = bench.stimulus.status()
    assert status.state is StimulusState.ABORTED
    bench.stimulus.fetch(1, 20)
    assert bench.stimulus.status().sent == status.sent
    edges = bench.edges()
    leading, trailing = edges.rising, edges.falling
    if polarity is Polarity.NEGATIVE:
        leading, trailing = edges.falling, edges.rising[1:]
    assert len(leading) == len(trailing) == status.sent
    widths = trailing - leading
    assert (widths[:-1] == 30_000).all()
    assert widths[-1] <= 30_000


def test_a_second_train_starts_from_nothing(start: Start) -> None:
    bench = start(mode="paced", echo_cycles=300)
    train = dataclasses.replace(TRAINS["negative"], count=KEPT)
    bench.stimulus.configure(train)
    first_ticks, _ = run_to_end(bench)
    second_ticks, status = run_to_end(bench)
    assert np.array_equal(first_ticks, second_ticks)
    assert status.captured == len(second_ticks)
    assert status.now_ticks < 2 * train.duration_ticks + 16_000_000


def test_bad_requests_change_nothing(start: Start) -> None:
    bench = start()
    link: ScpiLink = bench.stimulus._link
    queries = ("SOUR:PATT?", "SOUR:PER?", "SOUR:COUN?", "SOUR:SEED?", "SOUR:POL?", "STAT?")
    before = [link.query(query) for query in queries[:-1]]
    for line, number in {
        "SOUR:PER 319": -222,
        "SOUR:COUN 0": -222,
        "SOUR:NONE 5": -113,
        "SOUR:PER": -109,
        "SOUR:PER fast": -104,
        "SOUR:PER 5 KM": -131,
        "SOUR:PATT SQUARE": -224,
        "*RST;*RST": -103,
        "!!!": -102,
        "SOUR:SEED " + 100 * "1": -363,
    }.items():
        link.write(line)
        assert link.query("SYST:ERR?").startswith(f"{number},"), line
        assert link.query("SYST:ERR?") == '0,"No error"'
    assert [link.query(query) for query in queries[:-1]] == before
    assert link.query("STAT?").startswith("IDLE,0,0,0,0,0,0,")


def test_settings_are_refused_while_a_train_runs(start: Start) -> None:
    bench = start()
    hours = dataclasses.replace(TRAINS["periodic, long"], count=10_000)  # of the chip's time
    bench.stimulus.configure(hours)
    bench.stimulus.start()
    with pytest.raises(BenchError, match=r'-221,"Settings conflict;a train is running"'):
        bench.stimulus.configure(TRAINS["periodic"])
    with pytest.raises(BenchError, match="-213"):
        bench.stimulus.start()
    assert bench.stimulus.status().planned == hours.count


def test_time_goes_on_over_rounds_of_the_timer(start: Start) -> None:
    """It never steps back, whenever it is read within a round."""
    bench = start()
    bench.stimulus.configure(TRAINS["periodic"])
    bench.stimulus.start()
    times = [bench.stimulus.status().now_ticks for _ in range(2000)]
    assert (np.diff(times) > 0).all()
    assert times[-1] > 3 * 65_536


def test_killed_emulator_is_noticed_at_once(start: Start) -> None:
    bench = start()
    bench.process.kill()
    bench.process.wait()
    with pytest.raises(BenchError, match="the serial line to the stimulus is gone"):
        bench.stimulus.status()
