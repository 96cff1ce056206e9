# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel module in both of Debian's kernels: builds, works in every mode, comes and goes.

Slow: each test boots a kernel. What is tried is in targets/module/tests.
"""

from __future__ import annotations

import re
import subprocess
import threading
from pathlib import Path

import pytest

from rig.config.virtual.bench import VirtualGuest
from rig.resources import module_sources
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import ProgramRunner
from rig.virtual.guest.image import build_image
from rig.virtual.guest.kernel import headers
from rig.virtual.guest.packages import Packages

from .module_guest import image_of, tried

KERNELS = ("debian", "debian-rt")
RELOADS = 100
MODES_WAIT_MS = 100


@pytest.fixture(scope="module", autouse=True)
def _built(plugin: Path) -> None:
    """The plugin."""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kernel", KERNELS)
def test_every_mode_in_every_state_of_the_port(kernel: str, tmp_path: Path) -> None:
    told = tried(image_of(kernel, f"sh /lib/modes.sh /lib {MODES_WAIT_MS}", tmp_path), 60)
    assert told.status == 0, told.output
    assert "MODES all" in told.output
    assert told.output.count("\n== run") == 10
    assert "FAIL" not in told.output
    assert told.complaints == []


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kernel", KERNELS)
def test_it_comes_and_goes_under_measurement(kernel: str, tmp_path: Path) -> None:
    told = tried(image_of(kernel, f"sh /lib/reload.sh /lib {RELOADS}", tmp_path), 300)
    assert told.status == 0, told.output
    assert told.output.strip() == f"RELOADED {RELOADS} times"
    assert told.complaints == []


@pytest.mark.slow
@pytest.mark.guest
@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_level_triggered_shared_line_interrupts_once_a_pulse(
    kernel: str, mode: int, tmp_path: Path
) -> None:
    """Interrupt 9 is ACPI's, which shares it: level-triggered, as a PCI card's line is."""
    command = (
        "insmod /lib/parport.ko && insmod /lib/latency_rig.ko shared=1 irq=9 && "
        f"/lib/lrig-test run mode={mode} wait_ms=200"
    )
    told = tried(image_of(kernel, f"sh -c '{command}'", tmp_path), 60, irq=9, width_ns=100_000)
    assert told.status == 0, told.output
    found = dict(re.findall(r"(handled|dropped)=(\d+)", told.output.partition("SUMMARY")[2]))
    assert 178 <= int(found["handled"]) <= 186  # ten pulses in each 11 ms
    assert told.complaints == []


@pytest.mark.slow
@pytest.mark.guest
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kernel", KERNELS)
def test_each_input_of_a_serial_port_interrupts_once_a_pulse(kernel: str, tmp_path: Path) -> None:
    """By each handler and each edge, of pulses that are over before a thread gets to run."""
    load, run = "insmod /lib/latency_rig.ko base=0x3e8 irq=7", "/lib/lrig-test run"
    command = (
        f"{load}; {run} mode=1; rmmod latency_rig; setserial /dev/ttyS2 uart none || exit 9; "
        f"for line in 0 1 2 3; do {load} interrupt=$line; for mode in 1 2; do for edge in 1 2; do "
        f"{run} mode=$mode flags=$edge wait_ms=200; done; done; rmmod latency_rig; done; "
        "setserial /dev/ttyS2 uart 16550A && stty -F /dev/ttyS2 >/dev/null"
    )
    told = tried(image_of(kernel, f"sh -c '{command}'", tmp_path, "kmod-serial"), 60)
    assert told.status == 0, told.output
    refusals = re.findall("FAIL LRIG_ARM: (.*)", told.output)
    # The driver has it still; then RI, which is told of on its rising edge alone.
    assert [one.strip() for one in refusals] == [
        "Device or resource busy", *["Operation not supported"] * 2
    ]  # fmt: skip
    found = [int(count) for count in re.findall(r"SUMMARY.* handled=(\d+)", told.output)]
    assert len(found) == 14
    assert all(178 <= count <= 186 for count in found), found  # ten pulses in each 11 ms
    assert told.complaints == []


@pytest.mark.slow
@pytest.mark.guest
@pytest.mark.timeout(300)
def test_the_agent_leaves_a_level_triggered_port_alone(tmp_path: Path) -> None:
    """Interrupt 5 is level-triggered on QEMU's PC, as that of a PCI card is."""
    agent = "/rig-agent --port ppdev --stdio --allow-variant --allow-unlocked"
    command = (
        "for name in parport ppdev; do insmod /lib/$name.ko || exit 9; done; "
        "insmod /lib/parport_pc.ko io=0x378 irq=5 || exit 9; "
        f"{agent}; [ $? = 3 ] || exit 8; {agent} --level"
    )
    told = tried(image_of("debian", f"sh -c '{command}'", tmp_path), 60, irq=5)
    assert told.status == 0, told.output
    assert told.output.count("its interrupt is level-triggered") == 1
    assert told.complaints == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_kernel_that_complains_is_noticed(tmp_path: Path) -> None:
    """Else the two tests above would pass whatever a kernel said."""
    trouble = "echo '<4>WARNING: CPU: 0 at here' >/dev/kmsg; sh /lib/reload.sh /lib 1"
    told = tried(image_of("debian", trouble, tmp_path), 60)
    assert told.status == 1
    assert "FAIL turn 1: kernel log" in told.output
    assert [line[-23:] for line in told.complaints] == ["WARNING: CPU: 0 at here"]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kernel", KERNELS)
def test_it_builds_without_a_warning(kernel: str, tmp_path: Path) -> None:
    stop = threading.Event()
    release = build_image(VirtualGuest(kernel, "kmod", "idle"), stop, print).release
    packages = Packages(ProgramRunner(stop))
    kdir = headers(release, packages, packages, Cache.of_user(stop), print)
    folder = module_sources()[0].parent
    built = subprocess.run(
        ["make", "-C", folder, f"KDIR={kdir}", f"OUT={tmp_path}", "W=1"],
        capture_output=True,
        text=True,
        check=True,
        timeout=250,
    )
    assert "latency_rig.ko" in built.stdout
    assert (tmp_path / "latency_rig.ko").is_file()
    assert "warning" not in (built.stdout + built.stderr).lower()
