# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole runs whose agent is reached over each kind of link, not as the virtual bench's own.

Analyzer, stimulus and wires are the virtual bench's; between the rig and the agent behind those
wires is a real sshd, a serial line or TCP. What is on the target's side of ssh or of the serial
line only passes bytes on to that agent.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import pytest

from rig.analysis.measurements.verdict import Verdict
from rig.bench.open import Bench
from rig.bench.target import open_target
from rig.bench.virtual_process import VirtualProcess
from rig.capture.sigrok_analyzer import SigrokAnalyzer
from rig.config.fixture import Fixture, load_fixture
from rig.config.links import SerialLink, SshLink, TargetLink, TcpLink
from rig.config.plan import load_plan
from rig.session.results import Result, store
from rig.session.run import run
from rig.stimulus.device import SerialStimulus
from tests.chip import CHIP
from tests.target.console import Console
from tests.target.sshd import HOST, Sshd, running_sshd

RELAY = Path(__file__).with_name("relay.py")
Reach = Callable[[tuple[str, int]], AbstractContextManager[TargetLink]]
"""From the agent's address on the bench to a link that leads there."""


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    with running_sshd(tmp_path_factory.mktemp("sshd")) as server:
        yield server


@contextmanager
def over_tcp(address: tuple[str, int]) -> Iterator[TargetLink]:
    yield TcpLink(*address)


@contextmanager
def over_serial(address: tuple[str, int]) -> Iterator[TargetLink]:
    with Console() as line:
        end = os.open(line.target_device, os.O_RDWR | os.O_NOCTTY)
        command = [sys.executable, str(RELAY), str(address[1])]
        relay = subprocess.Popen(command, stdin=end, stdout=end)
        os.close(end)
        line.has_agent = True
        try:
            yield SerialLink(line.host_device)
        finally:
            relay.terminate()
            relay.wait(20)


def over_ssh(sshd: Sshd) -> Reach:
    @contextmanager
    def reach(address: tuple[str, int]) -> Iterator[TargetLink]:
        program = sshd.home / f"agent-{address[1]}"
        words = shlex.join([sys.executable, str(RELAY), str(address[1])])
        program.write_text(f"#!/bin/sh\necho 'Welcome to board 7'\nexec {words}\n")
        program.chmod(0o755)
        yield SshLink(HOST, str(program), (), str(sshd.config))

    return reach


def measured(fixture: Fixture, reach: Reach, out: Path, count: int) -> Result:
    """A whole run over that link."""

    @contextmanager
    def opened(_fixture: Fixture) -> Iterator[Bench]:
        with ExitStack() as stack:
            virtual = stack.enter_context(VirtualProcess(fixture))
            link = stack.enter_context(reach(virtual.ends.target))
            stimulus = stack.enter_context(SerialStimulus.open(virtual.ends.stimulus, CHIP))
            target = stack.enter_context(open_target(link))
            settings = fixture.analyzer
            analyzer = SigrokAnalyzer.open(
                driver=settings.driver,
                conn=virtual.ends.analyzer,
                sample_rate_hz=settings.sample_rate_hz,
                channels=settings.channels,
                channel_mask=fixture.channel_mask,
                options=settings.options,
                stall_timeout_s=settings.stall_timeout_ps / 1e12,
                flow_control=True,
            )
            yield Bench(stack.enter_context(analyzer), stimulus, target, virtual)

    plan = load_plan("interrupt").with_overrides(count, None)
    failure = run(plan, fixture, out, lambda _live: None, threading.Event(), opened)
    assert failure is None
    return store(out)


def check(result: Result, count: int) -> None:
    evaluation = result.evaluation
    assert evaluation.verdict is Verdict.PASS, evaluation.reasons
    assert evaluation.counts.n == evaluation.counts.answered == result.account.handled == count
    assert all(witness.agrees for witness in evaluation.witnesses)
    assert evaluation.paired_by.startswith("target log")


@pytest.mark.parametrize("kind", ["tcp", "serial", "ssh"])
def test_a_run_on_a_modelled_target(kind: str, request: pytest.FixtureRequest) -> None:
    tmp_path: Path = request.getfixturevalue("tmp_path")
    reach = reach_of(kind, request)
    check(measured(load_fixture("virtual"), reach, tmp_path / "run.h5", 200), 200)


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("kind", ["serial", "ssh"])
def test_a_run_on_a_real_kernel(kind: str, plugin: Path, request: pytest.FixtureRequest) -> None:
    tmp_path: Path = request.getfixturevalue("tmp_path")
    reach = reach_of(kind, request)
    check(measured(load_fixture("qemu-debian"), reach, tmp_path / "run.h5", 200), 200)


def reach_of(kind: str, request: pytest.FixtureRequest) -> Reach:
    if kind == "ssh":
        return over_ssh(request.getfixturevalue("sshd"))
    return {"tcp": over_tcp, "serial": over_serial}[kind]
