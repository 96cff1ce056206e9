# SPDX-License-Identifier: GPL-3.0-or-later
"""The same seed gives the same edges: how a train meets the guest's clock, and whole runs twice."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.analysis.measurements.verdict import Verdict
from rig.config.fixture import parse_fixture
from rig.config.plan import load_plan
from rig.instruments import Int64Array
from rig.record.reader import RunFile
from rig.resources import find_fixture
from rig.session.results import store
from rig.session.run import run
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.target import GuestTarget
from rig.virtual.guest.timeline import MEETING_NS, TimeLine

from .conftest import FakeStart
from .matrix import KERNELS, WAYS, Case, Way, measure

COUNT = 300
STIMULUS, RESPONSE = 0, 1
SAMPLES = 1
"""Where a train begins between two samples is not the same: an edge may be in the next sample."""
SAME_FRACTION = 0.99
"""An edge that comes in the very nanosecond of a kernel's timer may be before it or behind it, and
then the answer, and a few that follow, are others."""
HANDLER, _, _, PPDEV = WAYS

times_ps = st.integers(0, 10**15)
times_ns = st.integers(0, 10**12)


# --- how the bench's time meets the guest's ------------------------------------------------------


@given(times_ns, times_ps, st.integers(0, 10**9), times_ns)
def test_a_train_meets_the_guest_at_a_round_time(
    origin_ns: int, now_ps: int, ahead_ps: int, passed_ns: int
) -> None:
    time = TimeLine(origin_ns)
    now_ns = time.guest_ns(now_ps) + passed_ns
    due_ns = time.meet(now_ps + ahead_ps, now_ps, now_ns)
    assert time.guest_ns(now_ps + ahead_ps) % MEETING_NS == 0
    assert now_ns <= due_ns <= now_ns + MEETING_NS
    assert due_ns == time.guest_ns(now_ps)


@given(times_ns, times_ps, times_ps, times_ps)
def test_the_same_train_comes_at_the_same_nanoseconds(
    origin_ns: int, first_ps: int, second_ps: int, later_ps: int
) -> None:
    guests = []
    for edge_ps in (first_ps, second_ps):
        time = TimeLine(origin_ns)
        time.meet(edge_ps, edge_ps, time.guest_ns(edge_ps))
        meeting = time.guest_ns(edge_ps)
        guests.append([time.guest_ns(edge_ps + more) - meeting for more in (0, later_ps)])
        # A clock that is rounded to a picosecond either way makes no other time of the first edge.
        assert time.guest_ns(edge_ps - 1) == time.guest_ns(edge_ps + 1) == meeting
    assert guests[0] == guests[1]


@given(times_ns, times_ps)
def test_there_and_back(origin_ns: int, time_ps: int) -> None:
    time = TimeLine(origin_ns)
    assert time.guest_ns(time.bench_ps(time.guest_ns(time_ps))) == time.guest_ns(time_ps)
    assert 0 <= time.bench_ps(time.guest_ns(time_ps)) - time_ps < 1000


def test_an_idle_guest_sleeps_until_the_train_can_meet_it(
    start_fake: FakeStart, tmp_path: Path
) -> None:
    """Its answer is on the bench's time line as if it had not."""
    log = tmp_path / "irq"
    machine = start_fake(f"10 w 2 16; 500000 w 0 2; {MEETING_NS + 300} w 0 3", log)
    machine.run(1000)
    with GuestTarget(machine, AnswerWires(5, (6,)), idle=True) as guest:
        guest.pass_until(100_000)
        guest.on_stimulus(150_000, 1)
        guest.on_stimulus(170_000, 0)
        guest.pass_until(1_000_000)
        edges = guest.take_edges(1_000_000)
    assert log.read_text() == f"{MEETING_NS} 1\n{MEETING_NS + 20} 0\n"
    # What it did in its sleep is there at once; the half nanosecond is TimeLine's.
    assert edges == [(100_000, 6, 1), (450_500, 5, 1)]


# --- whole runs ----------------------------------------------------------------------------------


def edges_of(path: Path, channel: int, first: int) -> Int64Array:
    with RunFile(path) as file:
        blocks = list(file.edge_blocks())
    index = np.concatenate([block.index[block.channel == channel] for block in blocks])
    return index - first


def first_stimulus(path: Path) -> int:
    return int(edges_of(path, STIMULUS, 0)[0])


@pytest.mark.slow
@pytest.mark.guest
@pytest.mark.timeout(600)
def test_two_processors_agree_with_their_witnesses_and_repeat(tmp_path: Path) -> None:
    """Their turns leave paths of other lengths: the same answers to 250 ns, but for a few."""
    text = find_fixture("qemu-debian-rt").read_text()
    fixture = parse_fixture(text.replace('load = "idle"', "processors = 2"), "two.toml")
    plan = load_plan("interrupt").with_overrides(COUNT, None)
    paths = [tmp_path / f"{n}.h5" for n in range(2)]
    for path in paths:
        failure = run(plan, fixture, path, lambda _live: None, threading.Event())
        assert failure is None, failure
        assert store(path).evaluation.verdict is Verdict.PASS
        with RunFile(path) as file:
            target = json.loads(file.texts()["environment/target"])
            assert target["environment"]["cpus_online"] == "0-1"
            assert target["environment"]["kernel_options"]["PREEMPT_RT"] == "y"
    for channel, samples, least in ((STIMULUS, SAMPLES, 1.0), (RESPONSE, 6, 0.85)):
        one, other = (edges_of(path, channel, first_stimulus(path)) for path in paths)
        assert (np.abs(one - other) <= samples).mean() >= least


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("way", [HANDLER, PPDEV], ids=lambda way: way.port)
def test_the_same_seed_twice_gives_the_same_edges(
    kernel: str, way: Way, plugin: Path, tmp_path: Path
) -> None:
    agent = Path(__file__).parents[2] / "targets" / "agent"
    subprocess.run(["make", "--silent", "-C", agent], check=True, timeout=120)
    paths = [tmp_path / f"{n}.h5" for n in range(2)]
    for path in paths:
        assert measure(Case(kernel, way, "idle"), path, COUNT).answers == COUNT
    for channel, least in ((STIMULUS, 1.0), (RESPONSE, SAME_FRACTION)):
        one, other = (edges_of(path, channel, first_stimulus(path)) for path in paths)
        assert len(one) == len(other)
        same = np.abs(one - other) <= SAMPLES
        assert same.mean() >= least
