# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest whose trigger pin is wired to its own interrupt line: inside and outside see one event.

In the stand-in for QEMU each time is known; a real kernel's ticks are the bench's time but for a
constant.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from rig.config.fixture import parse_fixture
from rig.config.virtual.bench import VirtualGuest
from rig.errors import BenchError, InputError
from rig.instruments import ArmOptions, Int64Array, LogArray
from rig.resources import find_fixture
from rig.target.link import AgentLink
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.board import PC
from rig.virtual.guest.image import build_image
from rig.virtual.guest.machine import Machine
from rig.virtual.guest.target import GuestTarget
from rig.virtual.wired_target import WireEdge

from .conftest import NO_IMAGE, PLUGIN_SOURCE
from .test_arm64 import needs_arm64

LINE, RESPONSE = 0, 1
"""Channels of the interrupt line and of the response."""
WIRES = AnswerWires(RESPONSE, ())
ENABLE = "w 2 16"
"""Interrupt enable in the control register."""


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    agent = PLUGIN_SOURCE.parent / "agent"
    for folder in (PLUGIN_SOURCE, agent):
        subprocess.run(["make", "--silent", "-C", folder], check=True, timeout=120)


@contextmanager
def wired(
    monkeypatch: pytest.MonkeyPatch, folder: Path, plugin: Path, script: str, log: Path
) -> Iterator[Machine]:
    """A machine whose guest is a script, and whose D6 is wired to nACK."""
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("FAKE_SCRIPT", script)
    monkeypatch.setenv("FAKE_LOG", str(log))
    with Machine.start(NO_IMAGE, plugin, self_trigger=True) as machine:
        yield machine


def test_the_pin_raises_the_interrupt_at_its_time(
    monkeypatch: pytest.MonkeyPatch, fake_folder: Path, plugin: Path, tmp_path: Path
) -> None:
    # A pulse before the interrupt is enabled; one of 40 ns, with other pins; one that stays.
    script = f"20 w 0 64; 30 w 0 0; 100 {ENABLE}; 204 w 0 65; 244 w 0 1; 250 w 0 3; 300 w 0 255"
    log = tmp_path / "irq"
    with wired(monkeypatch, fake_folder, plugin, script, log) as machine:
        writes = machine.run(1000).writes
    assert log.read_text() == "204 1\n244 0\n300 1\n"
    assert writes == [(20, 64), (30, 0), (204, 65), (244, 1), (250, 3), (300, 255)]


def test_the_line_is_high_while_either_drives_it(
    monkeypatch: pytest.MonkeyPatch, fake_folder: Path, plugin: Path, tmp_path: Path
) -> None:
    script = f"10 {ENABLE}; 150 w 0 64; 250 w 0 0"
    log = tmp_path / "irq"
    with wired(monkeypatch, fake_folder, plugin, script, log) as machine:
        machine.run(1000, [(100, 1), (200, 0)])
    assert log.read_text() == "100 1\n250 0\n"


def test_its_edges_are_the_stimulus_on_the_bench(
    monkeypatch: pytest.MonkeyPatch, fake_folder: Path, plugin: Path, tmp_path: Path
) -> None:
    script = f"10 {ENABLE}; 1100 w 0 64; 1150 w 0 65; 1200 w 0 1"
    with wired(monkeypatch, fake_folder, plugin, script, tmp_path / "irq") as machine:
        machine.run(1000)
        with GuestTarget(machine, WIRES, LINE) as guest:
            guest.pass_until(500_000)
            expected = [(100_000, LINE, 1), (150_000, RESPONSE, 1), (200_000, LINE, 0)]
            assert guest.take_edges(500_000) == expected
            assert guest.take_decided() == [(150_000, RESPONSE, 1)]


def test_two_that_drive_the_line_at_once_end_the_run(
    monkeypatch: pytest.MonkeyPatch, fake_folder: Path, plugin: Path, tmp_path: Path
) -> None:
    script = "1100 w 0 64; 1200 w 0 0; 1400 w 0 64"
    with wired(monkeypatch, fake_folder, plugin, script, tmp_path / "irq") as machine:
        machine.run(1000)
        with GuestTarget(machine, WIRES, LINE) as guest:
            guest.on_stimulus(210_000, 1)
            guest.on_stimulus(390_000, 0)
            guest.pass_until(395_000)
            guest.on_stimulus(399_000, 1)
            with pytest.raises(
                BenchError, match="drive the interrupt line at the same time, 400 n"
            ):
                guest.pass_until(500_000)


def test_its_own_interrupts_are_no_storm(
    monkeypatch: pytest.MonkeyPatch, fake_folder: Path, plugin: Path, tmp_path: Path
) -> None:
    pulses = "; ".join(f"{100 + n} w 0 {64 * (n % 2)}" for n in range(1000))
    script = f"10 {ENABLE}; {pulses}"
    with wired(monkeypatch, fake_folder, plugin, script, tmp_path / "irq") as machine:
        assert len(machine.run(10_000).writes) == 1000


def test_a_trigger_that_is_no_pin_is_refused(plugin: Path, fake_folder: Path) -> None:
    for option in ("trigger=8", "trigger=", "trigger=-1", "x=1"):
        command = [fake_folder / PC.qemu, "-plugin", f"file={plugin},fd=0,{option}"]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
        assert ended.returncode == 1
        assert ended.stderr.startswith("rig-qemu: ")


def test_a_sequence_wire_at_the_trigger_pin_is_refused() -> None:
    assert PC.sequence_pins(5, (6,)) == (1, 2, 3, 4, 5)
    assert PC.sequence_pins(7) == (1, 2, 3, 4, 5, 6, 7)
    with pytest.raises(InputError, match=r"has 5 pins for them that no trigger .*; wire seq.*4 at"):
        PC.sequence_pins(6, (6, 7))


def test_the_key_of_the_fixture() -> None:
    text = find_fixture("qemu-debian").read_text().replace("self_trigger = true", "")
    for line, expected in (("", False), ("self_trigger = true", True)):
        written = text.replace("[virtual.guest]", f"[virtual.guest]\n{line}")
        virtual = parse_fixture(written, "f").virtual
        assert virtual is not None
        assert isinstance(virtual.target, VirtualGuest)
        assert virtual.target.self_trigger is expected
    wrong = text.replace("[virtual.guest]", "[virtual.guest]\nself_trigger = 1")
    with pytest.raises(InputError, match=r"self_trigger: .*; valid: true or false"):
        parse_fixture(wrong, "f")


# --- in a real kernel ----------------------------------------------------------------------------

GUEST, SLOW = pytest.mark.guest, pytest.mark.slow
TRIGGER_RECORD = 0x10
COUNT = 200
PERIOD_NS = 1_000_000
STRETCH_PS = 500_000_000


def triggered_by_itself(guest: GuestTarget, measurement: str) -> tuple[LogArray, list[WireEdge]]:
    """The log, its ticks as nanoseconds, and all edges, of a guest that triggered itself."""
    ended = threading.Event()
    edges: list[WireEdge] = []

    def pass_time() -> None:
        now_ps = 0
        while not ended.is_set():
            now_ps += STRETCH_PS
            guest.pass_until(now_ps)
            edges.extend(guest.take_edges(now_ps))

    bench = threading.Thread(target=pass_time)
    bench.start()
    try:
        with AgentLink.open("127.0.0.1", guest.port) as agent:
            options = {"self_trigger": "1", "period_ns": str(PERIOD_NS), "count": str(COUNT)}
            options["trigger_pin"] = "6"
            agent.arm(ArmOptions(measurement, 4 * COUNT, 0, options))
            while sum(channel == RESPONSE for _, channel, _ in edges) < COUNT:
                ended.wait(0.02)
                assert bench.is_alive()
            assert agent.stop().handled == COUNT
            log = np.concatenate([agent.log(first, 1000) for first in range(0, 2 * COUNT, 1000)])
            tick_ns = 10**9 // agent.identity.tick_hz
    finally:
        ended.set()
        bench.join(60)
    log["before_ticks"] *= tick_ns
    # A tick that has begun may be anywhere in it.
    log["after_ticks"] = log["after_ticks"] * tick_ns + tick_ns - 1
    return log, edges


def edge_times_ns(edges: list[WireEdge], channel: int, levels: tuple[int, ...]) -> Int64Array:
    found = [time_ps for time_ps, at, level in edges if at == channel and level in levels]
    return np.array(found, np.int64) // 1000


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    ("guest", "measurement", "width_ns"),
    [
        pytest.param(VirtualGuest("debian", "kmod", "idle", True), "interrupt", 100, marks=GUEST),
        pytest.param(
            VirtualGuest("debian-rt", "ppdev", "idle", True),
            "interrupt_to_task",
            10_000,
            marks=SLOW,
        ),
        pytest.param(
            VirtualGuest("debian-arm64", "gpio", "idle", True),
            "interrupt_to_task",
            40_000,
            marks=[SLOW, needs_arm64],
        ),
    ],
)
def test_inside_and_outside_are_one_event(
    guest: VirtualGuest, measurement: str, width_ns: int
) -> None:
    stop = threading.Event()
    image = build_image(guest, stop, print)
    with GuestTarget.boot(image, WIRES, stop, print, LINE) as target:
        log, edges = triggered_by_itself(target, measurement)
    is_trigger = log["flags"] & TRIGGER_RECORD != 0
    triggers, answers = log[is_trigger], log[~is_trigger]
    rising_ns = edge_times_ns(edges, LINE, (1,))
    response_ns = edge_times_ns(edges, RESPONSE, (0, 1))
    assert len(triggers) == len(rising_ns) == len(answers) == len(response_ns) == COUNT
    # One constant puts every edge of either wire between its record's ticks.
    edge_ns = np.concatenate([rising_ns, response_ns])
    records = np.concatenate([triggers, answers])
    before_ns, after_ns = (
        records[name].astype(np.int64) for name in ("before_ticks", "after_ticks")
    )
    assert 0 <= (after_ns - edge_ns).min() - (before_ns - edge_ns).max() < width_ns
    # Both tell of the same latency, but for what a pin write takes.
    latency_ns = response_ns - rising_ns
    inside_ns = (answers["before_ticks"] - triggers["before_ticks"]).astype(np.int64)
    assert 0 < latency_ns.min() <= latency_ns.max() < PERIOD_NS // 2
    assert abs(inside_ns - latency_ns).max() < width_ns
    assert abs(np.diff(rising_ns) - PERIOD_NS).max() < PERIOD_NS // 2
