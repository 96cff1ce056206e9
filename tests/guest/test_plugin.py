# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin inside a stand-in for QEMU whose guest is a script: every time is known."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from rig.errors import BenchError, InputError
from rig.virtual.guest.machine import QEMU, Machine

from .conftest import FakeStart, compile_fake

ENABLE = "w 2 16"
"""Interrupt enable in the control register."""


def irq_edges(log: Path) -> list[tuple[int, int]]:
    return [(int(t), int(level)) for t, level in map(str.split, log.read_text().splitlines())]


def run_long(machine: Machine) -> None:
    """Until something else in the machine has been noticed."""
    for until in range(100, 10**7, 100):
        machine.run(until)


def test_pin_writes_come_back_with_their_time(start_fake: FakeStart) -> None:
    machine = start_fake("100 w 0 1; 104 w 0 3; 999 w 0 2; 1000 w 0 255; 5000 w 0 0")
    assert machine.now_ns == 0
    first = machine.run(1000)
    # What comes at the granted time itself comes behind it.
    assert (first.now_ns, first.writes) == (1000, [(100, 1), (104, 3), (999, 2)])
    assert machine.run(4999).writes == [(1000, 255)]
    assert machine.run(4999).writes == []
    assert machine.run(10_000).writes == [(5000, 0)]
    assert machine.data == 0


def test_time_stands_until_it_is_granted(start_fake: FakeStart, tmp_path: Path) -> None:
    machine = start_fake(f"10 {ENABLE}", tmp_path / "irq")
    for until in (7, 8, 1_000_000, 1_000_004):
        assert machine.run(until).now_ns == until


def test_edges_raise_the_interrupt_at_their_time_while_enabled(
    start_fake: FakeStart, tmp_path: Path
) -> None:
    log = tmp_path / "irq"
    machine = start_fake(f"100 {ENABLE}; 900 w 2 12; 2000 {ENABLE}", log)
    machine.run(1000, [(50, 1), (60, 0), (150, 1), (250, 0), (850, 1)])
    machine.run(1500, [(1200, 0), (1300, 1)])
    machine.run(3000, [(1600, 0), (2500, 1), (3000, 0)])
    expected = [(150, 1), (250, 0), (850, 1), (900, 0), (2500, 1), (3000, 0)]
    assert irq_edges(log) == expected


def test_enabling_at_high_nack_raises_it_as_the_port_does(
    start_fake: FakeStart, tmp_path: Path
) -> None:
    log = tmp_path / "irq"
    start_fake(f"100 {ENABLE}", log).run(200, [(50, 1)])
    assert irq_edges(log) == [(100, 1)]


def test_an_interrupt_storm_ends_the_run(start_fake: FakeStart) -> None:
    toggles = "; ".join(f"{100 + n} w 2 {16 * (n % 2)}" for n in range(1000))
    machine = start_fake(toggles)
    with pytest.raises(BenchError, match="interrupt storm in the guest: 500 interrupts for 1 edge"):
        machine.run(10_000, [(10, 1)])


def test_a_flood_of_pin_writes_ends_the_run(start_fake: FakeStart) -> None:
    machine = start_fake("5 r 65536; 15 r 65537")
    assert len(machine.run(10).writes) == 65536
    with pytest.raises(BenchError, match="floods its pins: more than 65536 writes"):
        machine.run(20)


@pytest.mark.parametrize(
    ("instruction", "accounted"),
    [
        (b"\xf4", True),  # hlt
        (b"\x0f\x01\xc9", True),  # mwait
        (b"\x7f\x20\x03\xd5", True),  # wfi
        (b"\x90", False),
        (b"\xf4\x90", False),
    ],
)
def test_instructions_are_in_the_clock_before_the_guest_halts(
    instruction: bytes,
    accounted: bool,
    start_fake: FakeStart,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else QEMU's main thread, which lets idle time pass, may let too much of it pass."""
    monkeypatch.setenv("FAKE_BLOCK", os.fsdecode(instruction))
    log = tmp_path / "log"
    start_fake(log=log).run(10)
    assert log.read_text() == ("accounted\n" if accounted else "")


@pytest.mark.parametrize(("processors", "left"), [(1, ""), (2, "left 250\nleft 500\n")])
def test_the_turn_of_one_of_several_processors_ends_after_250_instructions(
    processors: int, left: str, start_fake: FakeStart, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Else one that spins until another has done something would keep it from ever running."""
    monkeypatch.setenv("FAKE_BLOCK", "\x7f")
    monkeypatch.setenv("FAKE_PROCESSORS", str(processors))
    log = tmp_path / "log"
    start_fake(log=log).run(10)
    assert log.read_text() == left


def test_a_panic_on_the_console_ends_the_run(start_fake: FakeStart) -> None:
    machine = start_fake("10 p [    1.5] Kernel panic - not syncing: Attempted to kill init!")
    with pytest.raises(BenchError, match="the guest failed: Kernel panic - not syncing: Attem"):
        run_long(machine)


@pytest.mark.parametrize(
    ("edges", "until"), [([(20, 1), (10, 0)], 100), ([(101, 1)], 100), ([(10, 2)], 100)]
)
def test_impossible_edges_are_refused(
    start_fake: FakeStart, edges: list[tuple[int, int]], until: int
) -> None:
    machine = start_fake()
    with pytest.raises(BenchError, match="exit status 3: rig-qemu: grant at 0 ns refused: edge"):
        machine.run(until, edges)


def test_the_guest_ends_with_the_bench(start_fake: FakeStart) -> None:
    machine = start_fake()
    machine.run(100)
    machine.close()
    machine.close()
    with pytest.raises(ProcessLookupError):
        os.kill(machine.pid, 0)


def test_a_killed_qemu_is_told(start_fake: FakeStart) -> None:
    machine = start_fake()
    os.kill(machine.pid, signal.SIGKILL)
    with pytest.raises(BenchError, match=rf"{QEMU} \(pid {machine.pid}\) was killed by SIGKILL"):
        run_long(machine)


def test_a_missing_symbol_is_named(plugin: Path, tmp_path: Path, start_fake: FakeStart) -> None:
    folder = compile_fake(tmp_path, "-DFAKE_WITHOUT_SET_IRQ")
    with pytest.raises(BenchError, match="does not export qemu_set_irq; install Debian 12's"):
        start_fake(folder=folder)


def test_another_series_of_qemu_is_refused(tmp_path: Path, start_fake: FakeStart) -> None:
    folder = compile_fake(tmp_path, '-DFAKE_VERSION="9.1.0"')
    with pytest.raises(InputError, match=r"is of version 9\.1, but .* made for 7\.2"):
        start_fake(folder=folder)


def test_a_missing_qemu_is_one_line(tmp_path: Path, start_fake: FakeStart) -> None:
    with pytest.raises(InputError) as error:
        start_fake(folder=tmp_path)
    assert str(error.value) == (
        f"{QEMU} not found, a guest needs it; install it with `apt-get install qemu-system-x86`"
    )


def test_a_plugin_without_a_socket_is_refused(plugin: Path, fake_folder: Path) -> None:
    for option in (f"file={plugin}", f"file={plugin},fd=x", f"file={plugin},fd=99"):
        command = [fake_folder / QEMU, "-plugin", option]
        ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
        assert ended.returncode == 1
        assert ended.stderr == "rig-qemu: give fd=N, an open stream socket to the bench\n"


def test_garbage_from_the_bench_ends_qemu(plugin: Path, fake_folder: Path) -> None:
    for garbage in (b"GRNT" + bytes(12), b"LGRT" + b"\xff" * 12):
        ours, theirs = socket.socketpair()
        option = f"file={plugin},fd={theirs.fileno()}"
        with (
            ours,
            subprocess.Popen(
                [fake_folder / QEMU, "-plugin", option],
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
            ) as process,
        ):
            theirs.close()
            ours.sendall(garbage)
            _, said = process.communicate(timeout=20)
            assert process.returncode == 3
            assert said.startswith(b"rig-qemu: grant refused: ")
