# SPDX-License-Identifier: GPL-3.0-or-later
"""Handshake lines of a serial port, a 16550 in QEMU: port `serial` and the kernel module."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

import pytest

from rig.config.virtual.bench import VirtualGuest
from rig.instruments import ArmOptions
from rig.resources import find_fixture
from rig.target.link import AgentLink
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.image import build_image
from rig.virtual.guest.target import GuestTarget
from tests.cli.command import RIG
from tests.guest.brackets import answers_of, fit

from .test_handlers import COUNT, RESPONSE, Bench

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module", autouse=True)
def _built(plugin: Path) -> None:
    """The plugin."""


def serial_fixture(name: str, port: str, dtr: str = "sequence0") -> str:
    """A built-in fixture whose guest has a serial port: RTS answers, DTR is one further signal."""
    text = find_fixture(name).read_text()
    text = text.replace('port = "kmod"', f'port = "{port}"')
    if dtr != "trigger":
        text = text.replace("self_trigger = true", "self_trigger = false")
    others = {"sequence0", "sequence1", "sequence2", "task"} - {dtr}
    gone = [f'signal = "{signal}"' for signal in others]
    return "\n\n".join(
        part for part in text.split("\n\n") if not any(signal in part for signal in gone)
    )


@pytest.mark.parametrize(
    ("kernel", "port", "plan"),
    [
        pytest.param("qemu-debian", "serial", "interrupt-to-task", marks=pytest.mark.guest),
        pytest.param("qemu-debian-rt", "serial", "interrupt-to-task", marks=pytest.mark.slow),
        pytest.param("qemu-debian", "kmod-serial", "interrupt", marks=pytest.mark.slow),
        pytest.param("qemu-debian-rt", "kmod-serial", "interrupt", marks=pytest.mark.guest),
        pytest.param("qemu-debian-rt", "kmod-serial", "interrupt-to-task", marks=pytest.mark.slow),
        pytest.param("qemu-debian", "kmod-serial", "period", marks=pytest.mark.slow),
    ],
)
def test_a_run_on_a_serial_port(kernel: str, port: str, plan: str, tmp_path: Path) -> None:
    fixture, out = tmp_path / "serial.toml", tmp_path / "run.h5"
    fixture.write_text(serial_fixture(kernel, port))
    command = [*RIG, "run", plan, "--fixture", fixture, "--count", "200"]
    ended = subprocess.run(
        [*command, "--out", out, "--json"], capture_output=True, text=True, timeout=560, check=False
    )
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    assert result["verdict"] == "pass"
    rate_hz, index, before, after = answers_of(out, RESPONSE)
    clock = fit(index, before, after, rate_hz)
    assert clock.events == 200
    assert clock.slack_ns >= 0


@pytest.mark.slow
@pytest.mark.parametrize(("plan", "dtr"), [("dispatch", "task"), ("self", "trigger")])
def test_dtr_is_the_tasks_pin_or_the_trigger(plan: str, dtr: str, tmp_path: Path) -> None:
    """DTR is high until the module is armed, as of a port that nobody has opened."""
    fixture = tmp_path / "serial.toml"
    fixture.write_text(serial_fixture("qemu-debian-rt", "kmod-serial", dtr))
    command = [*RIG, "run", f"interrupt-{plan}", "--fixture", fixture, "--count", "100"]
    ended = subprocess.run(
        [*command, "--out", tmp_path / "run.h5", "--json"],
        capture_output=True, text=True, timeout=560, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["verdict"] == "pass"


@pytest.mark.slow
def test_every_input_interrupts_once_a_pulse() -> None:
    """CTS, DSR and DCD tell of both edges, RI of the one that ends a ring."""
    stop = threading.Event()
    image = build_image(VirtualGuest("debian", "serial", "idle"), stop, print)
    with GuestTarget.boot(image, AnswerWires(RESPONSE, ()), stop, print) as guest:
        bench = Bench(guest)
        try:
            with AgentLink.open("127.0.0.1", guest.port) as agent:
                for pin in range(4):
                    options = {"interrupt_pin": str(pin)}
                    agent.arm(ArmOptions("interrupt_to_task", 4 * COUNT, 0, options))
                    bench.pulses(COUNT)
                    assert agent.stop().handled == COUNT
                    log = agent.log(0, 4 * COUNT)
                    assert log["handled"].tolist() == list(range(1, COUNT + 1))
        finally:
            bench.close()
