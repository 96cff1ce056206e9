# SPDX-License-Identifier: GPL-3.0-or-later
"""Real kernels under the stimulus's highest rate: they live on, and each interrupt is told of.

Slow: each test boots a kernel.
"""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

from rig.config.virtual.bench import VirtualGuest
from rig.resources import guest_plugin
from rig.virtual.guest.image import build_image
from rig.virtual.guest.machine import Machine

from .module_guest import COMPLAINTS, image_of, tried

KERNELS = ("debian", "debian-rt")
PERIOD_NS = 20_000
WIDTH_NS = 10_000
STRETCH_NS = 1_000_000
SECONDS = 10
CAPACITY = 1000
"""Of the log: far less than what comes. What finds it full is counted."""


@pytest.fixture(scope="module", autouse=True)
def _built(plugin: Path) -> None:
    """The plugin."""


class Talk:
    """A guest's agent, asked over its serial port while the guest's time passes."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        machine.serial.setblocking(False)
        self.answers = 0
        """Edges of the response pin."""
        self._level = 0

    def pass_time(self, until_ns: int, edges: list[tuple[int, int]] | None = None) -> None:
        for _, data in self._machine.run(until_ns, edges or []).writes:
            self.answers += data & 1 != self._level
            self._level = data & 1

    def heard(self) -> bytes:
        try:
            return self._machine.serial.recv(1 << 16)
        except BlockingIOError:
            return b""

    def ask(self, line: str, within_s: int = 20) -> str:
        """Its answer; all of it fits one reading but for a block's bytes."""
        self._machine.serial.send(f"{line}\n".encode())
        said = b""
        end_ns = self._machine.now_ns + within_s * 10**9
        while not said.endswith(b"\n"):
            assert self._machine.now_ns < end_ns, f"no answer to {line}: {said!r}"
            self.pass_time(self._machine.now_ns + STRETCH_NS)
            said += self.heard()
        return said.decode()

    def boot(self) -> None:
        while not self._machine.console.ready:
            self.pass_time(self._machine.now_ns + 10 * STRETCH_NS)
        # What it is told before it has opened its port is lost.
        self.pass_time(self._machine.now_ns + 1000 * STRETCH_NS)
        assert self.ask("HELLO").startswith("OK rig-agent ")


def counted(reply: str) -> dict[str, int]:
    """The numbers of an answer."""
    return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", reply)}


@pytest.mark.slow
@pytest.mark.guest
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("port", "measurement"), [("kmod", "interrupt"), ("ppdev", "interrupt_to_task")]
)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_highest_rate_for_ten_seconds(kernel: str, port: str, measurement: str) -> None:
    image = build_image(VirtualGuest(kernel, port, "idle"), threading.Event(), print)
    with Machine.start(image, guest_plugin()) as machine:
        talk = Talk(machine)
        talk.boot()
        armed = talk.ask(f"ARM measurement={measurement} capacity={CAPACITY} edge=rising")
        assert armed == "OK\n"
        before = talk.answers
        sent = 0
        while sent < SECONDS * 10**9 // PERIOD_NS:
            first = machine.now_ns + PERIOD_NS
            rises = range(first, first + STRETCH_NS, PERIOD_NS)
            edges = [edge for at in rises for edge in ((at, 1), (at + WIDTH_NS, 0))]
            talk.pass_time(first + STRETCH_NS, edges)
            sent += len(rises)
        talk.pass_time(machine.now_ns + 100 * STRETCH_NS)
        answers = talk.answers - before
        end = counted(talk.ask("STOP"))
        assert end["records"] == CAPACITY
        assert end["records"] + end["dropped"] == answers
        assert end["handled"] == answers + end["unanswered"]
        # What is left came while an interrupt was pending already: the line has one latch.
        assert 0 < answers <= end["handled"] <= sent
        # It lives on: the agent answers, and answers interrupts.
        assert talk.ask(f"ARM measurement={measurement} capacity=10 edge=rising") == "OK\n"
        at = machine.now_ns + STRETCH_NS
        talk.pass_time(at + 10 * STRETCH_NS, [(at, 1), (at + WIDTH_NS, 0)])
        assert counted(talk.ask("STOP"))["handled"] == 1
        assert [line for line in machine.console.lines if COMPLAINTS.search(line)] == []


@pytest.mark.slow
@pytest.mark.guest
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_module_closes_its_line_and_opens_it_again(kernel: str, tmp_path: Path) -> None:
    """A budget of 20 interrupts, one each millisecond: 20 ms open, 50 ms and more closed."""
    command = (
        "insmod /lib/parport.ko && insmod /lib/parport_pc.ko && "
        "insmod /lib/latency_rig.ko storm=20 && /lib/lrig-test run mode=0 wait_ms=1000"
    )
    told = tried(image_of(kernel, f"sh -c '{command}'", tmp_path), 60)
    assert told.status == 0, told.output
    found = counted(told.output.partition("SUMMARY")[2])
    closings = found["flags"] >> 32
    assert 8 <= closings <= 15
    assert 20 * closings <= found["handled"] <= 20 * (closings + 1) + closings
    assert found["records"] == found["handled"]
    assert told.complaints == []
