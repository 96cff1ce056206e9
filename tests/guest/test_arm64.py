# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm64 guest: its packages and its agent, made on a system of another kind, and whole runs
through the GPIO character device."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rig.config.fixture import parse_fixture
from rig.config.virtual.bench import VirtualGuest
from rig.errors import BenchError, InputError
from rig.instruments import ArmOptions
from rig.record.reader import RunFile
from rig.resources import find_fixture, find_plan
from rig.target.link import AgentLink
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.agent import COMPILERS, foreign_agent
from rig.virtual.guest.board import VIRT
from rig.virtual.guest.cache import Cache
from rig.virtual.guest.commands import ProgramRunner
from rig.virtual.guest.image import GuestImage, build_image
from rig.virtual.guest.kernel import arm64_image_of
from rig.virtual.guest.machine import Machine
from rig.virtual.guest.packages import Packages
from rig.virtual.guest.target import GuestTarget
from tests.cli.command import RIG
from tests.guest.brackets import answers_of, fit
from tests.guest.test_handlers import COUNT, Bench

from .conftest import PLUGIN_SOURCE

COMPILER, COMPILER_PACKAGES = COMPILERS["arm64"]
needs_arm64 = pytest.mark.skipif(
    not (shutil.which(VIRT.qemu) and shutil.which(COMPILER)),
    reason=f"needs the packages {VIRT.qemu_package} {COMPILER_PACKAGES}",
)
RESPONSE = 1
"""Channel of the built-in fixtures."""
TICK_THIRDS, SAMPLE_THIRDS = 48, 125
"""Thirds of a nanosecond: ticks of 62.5 MHz, samples of 24 MHz."""


def commands() -> ProgramRunner:
    return ProgramRunner(threading.Event())


# --- packages of another architecture ------------------------------------------------------------

APT = """#!/bin/sh
echo "$(basename "$0") $*" >>"$LOG"
case "$0 $*" in
    *dpkg*) echo amd64 ;;
    *update*) [ -z "$OFFLINE" ] || { echo "no route" >&2; exit 100; } ;;
    *linux-image-amd64) printf 'Package: linux-image-amd64\\nVersion: %s\\n' "$KERNEL" ;;
    *Architecture=arm64*show*busybox-static) printf 'Package: x\\nVersion: 1:2\\n' ;;
    *) exit 100 ;;
esac
"""


@pytest.fixture
def apt_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What apt and dpkg are called with; they answer as APT says."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("apt-get", "apt-cache", "dpkg"):
        (folder / name).write_text(APT)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    monkeypatch.setenv("KERNEL", "6.1.10-1")
    monkeypatch.delenv("OFFLINE", raising=False)
    return tmp_path / "log"


def test_foreign_packages_have_lists_of_their_own(
    apt_log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path / "cache")
    said: list[str] = []
    for _ in range(2):
        foreign = Packages(commands()).foreign("arm64", cache, said.append)
        package = foreign.find("busybox-static")
    assert package.folder_name == "busybox-static_1-2_arm64"
    assert said == ["downloading the package lists of arm64"]
    calls = apt_log.read_text().splitlines()
    assert sum(" update" in call for call in calls) == 1
    foreign_calls = [call for call in calls if "busybox" in call or " update" in call]
    assert all(f"Dir::State={cache.folder}/" in call for call in foreign_calls)
    # A newer kernel in the system's own lists: the foreign ones are as old as those were.
    monkeypatch.setenv("KERNEL", "6.1.11-1")
    Packages(commands()).foreign("arm64", cache, said.append)
    assert len(said) == 2


def test_lists_that_cannot_be_had_are_one_line(
    apt_log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OFFLINE", "1")
    cache = Cache(tmp_path / "cache")
    with pytest.raises(BenchError, match=r"the package lists of arm64 cannot be .*\(.*no route\)"):
        Packages(commands()).foreign("arm64", cache, print)
    assert [path.name for path in cache.folder.iterdir()] == ["lock"]


def test_a_package_the_lists_lack_says_what_to_remove(apt_log: Path, tmp_path: Path) -> None:
    foreign = Packages(commands()).foreign("arm64", Cache(tmp_path / "cache"), print)
    with pytest.raises(BenchError, match=r"does not know the package x, .*; remove /.*/apt-arm64_"):
        foreign.find("x")


def test_the_systems_own_architecture_is_not_foreign(apt_log: Path, tmp_path: Path) -> None:
    packages = Packages(commands())
    assert packages.foreign("amd64", Cache(tmp_path / "cache"), print) is packages


# --- agent and kernel ----------------------------------------------------------------------------


def test_a_missing_cross_compiler_names_its_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError) as error:
        foreign_agent("arm64", Cache(tmp_path / "cache"), commands(), print)
    assert str(error.value) == (
        "aarch64-linux-gnu-gcc not found, a guest needs it; "
        "install it with `apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross`"
    )


@needs_arm64
def test_the_agent_is_built_for_the_guests_processor_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    said: list[str] = []
    for _ in range(2):
        program = foreign_agent("arm64", cache, commands(), said.append)
    assert said == ["building the agent for arm64"]
    # ELF, 64 bits, little-endian; machine 183 is AArch64.
    assert program[:6] == b"\x7fELF\x02\x01"
    assert struct.unpack_from("<H", program, 18) == (183,)


def test_what_is_no_arm64_kernel_is_told() -> None:
    image = bytes(56) + b"ARM\x64" + bytes(100)
    assert arm64_image_of(image, "vmlinuz") == image
    for other in (b"", bytes(4096), b"\x1f\x8b" + image):
        with pytest.raises(BenchError, match="vmlinuz: not a plain arm64 kernel"):
            arm64_image_of(other, "vmlinuz")


@pytest.mark.parametrize(
    "pins", ["", "response", "response=", "response=x", "trigger=65535", "sequence=0:", "x=1"]
)
def test_pins_that_make_no_sense_end_the_agent(pins: str) -> None:
    folder = PLUGIN_SOURCE.parent / "agent"
    subprocess.run(["make", "--silent", "-C", folder], check=True, timeout=120)
    command = [folder / "build/rig-agent", "--port", "gpio", "--stdio", f"--pins={pins}"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    assert ended.returncode == 3
    assert ended.stderr == (
        "rig-agent: --pins must be such as response=4,interrupt=5,trigger=6,sequence=0:1:2\n"
    )


def test_a_missing_qemu_names_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=r"^qemu-system-aarch64 not .*install qemu-system-arm`$"):
        Machine.start(GuestImage("none", tmp_path, b"", "", VIRT), tmp_path)


# --- fixtures ------------------------------------------------------------------------------------


def test_ports_belong_to_architectures() -> None:
    text = find_fixture("qemu-debian-arm64").read_text()
    for line in ('port = "gpio"', ""):
        virtual = parse_fixture(text.replace('port = "gpio"', line), "f").virtual
        assert virtual is not None
        assert isinstance(virtual.target, VirtualGuest)
        assert (virtual.target.port, virtual.target.architecture) == ("gpio", "arm64")
    with pytest.raises(InputError, match=r"port: .*ppdev.*valid: gpio, kmod"):
        parse_fixture(text.replace('port = "gpio"', 'port = "ppdev"'), "f")


def test_no_line_of_the_controller_has_two_uses() -> None:
    words = dict(word.split("=") for word in VIRT.agent_pins.split(","))
    module = dict(word.split("=") for word in VIRT.module_words.split(";"))
    assert module["sequence"] == words["sequence"].replace(":", ",")
    assert all(module[name] == words[name] for name in ("response", "interrupt", "trigger"))
    assert int(module["task"]) == VIRT.task
    assert words["sequence"] == ":".join(map(str, VIRT.sequence))
    assert (int(words["response"]), int(words["trigger"])) == (VIRT.response, VIRT.trigger)
    power_key = 3
    lines = [*VIRT.sequence, VIRT.response, int(words["interrupt"]), VIRT.trigger, VIRT.task]
    assert sorted([*lines, power_key]) == list(range(8))
    # The kernel writes them in order of their numbers: the sequence before the response.
    assert max(VIRT.sequence) < VIRT.response


def test_more_sequence_wires_than_lines_are_refused() -> None:
    assert VIRT.sequence_pins(3, (6, 7)) == (0, 1, 2)
    with pytest.raises(InputError, match=r"4 sequence wires, but .* GPIO controller has 3 pins"):
        VIRT.sequence_pins(4)


# --- whole runs ----------------------------------------------------------------------------------


def bracket_slack_ns(path: Path) -> tuple[int, float]:
    """(events, slack): as in test_guest.py, with a counter whose ticks are 16 ns."""
    with RunFile(path) as file:
        blocks = list(file.edge_blocks())
        log = file.log(0, file.log_count)
    index = np.concatenate([b.index[b.channel == RESPONSE] for b in blocks])
    assert len(index) == len(log)
    before, after = (log[name].astype(np.int64) for name in ("before_ticks", "after_ticks"))
    least = (before * TICK_THIRDS - index * SAMPLE_THIRDS).max()
    most = ((after + 1) * TICK_THIRDS - (index - 1) * SAMPLE_THIRDS).min()
    return len(index), (most - least) / 3


@needs_arm64
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "fixture",
    [
        pytest.param("qemu-debian-arm64", marks=pytest.mark.guest),
        pytest.param("qemu-debian-arm64-rt", marks=pytest.mark.slow),
    ],
)
def test_a_run_on_a_real_arm64_kernel(fixture: str, plugin: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.h5"
    command = [*RIG, "run", "interrupt-to-task", "--fixture", fixture, "--count", "200"]
    ended = subprocess.run(
        [*command, "--out", out, "--json"], capture_output=True, text=True, timeout=560, check=False
    )
    assert ended.returncode == 0, ended.stderr
    result = json.loads(ended.stdout)
    assert result["verdict"] == "pass"
    inside = result["internal_latency"]
    stages = inside["stages"]  # parted by the time stamp that the kernel gave each event
    assert stages["n"] == 200
    parts_ns = [stages[name]["average_ns"] for name in ("to_entry", "from_entry")]
    assert sum(parts_ns) == pytest.approx(inside["average_ns"])
    assert 0 < parts_ns[0] < parts_ns[1]  # a handler, and behind it a thread and a task
    count, slack_ns = bracket_slack_ns(out)
    assert count == 200
    assert 0 <= slack_ns < 40_000


@needs_arm64
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("fixture", "measurement", "handler"),
    [
        pytest.param("qemu-debian-arm64", "interrupt", "hard", marks=pytest.mark.guest),
        pytest.param("qemu-debian-arm64-rt", "interrupt", "hard", marks=pytest.mark.slow),
        pytest.param("qemu-debian-arm64-rt", "interrupt", "default", marks=pytest.mark.slow),
        pytest.param("qemu-debian-arm64-rt", "interrupt-to-task", "hard", marks=pytest.mark.slow),
    ],
)
def test_the_kernel_module_answers_on_lines_of_a_chip(
    fixture: str, measurement: str, handler: str, plugin: Path, tmp_path: Path
) -> None:
    bench, plan, out = tmp_path / "bench.toml", tmp_path / "plan.toml", tmp_path / "run.h5"
    bench.write_text(find_fixture(fixture).read_text().replace('port = "gpio"', 'port = "kmod"'))
    text = find_plan(measurement).read_text()
    agent = f'[agent]\nhandler = "{handler}"\n'
    plan.write_text(text.replace("[agent]\n", agent) if "[agent]\n" in text else text + agent)
    ended = subprocess.run(
        [*RIG, "run", plan, "--fixture", bench, "--count", "200", "--out", out, "--json"],
        capture_output=True, text=True, timeout=560, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["verdict"] == "pass"
    # Here the log counts nanoseconds.
    rate_hz, index, before, after = answers_of(out, RESPONSE)
    clock = fit(index, before, after, rate_hz)
    assert clock.events == 200
    assert 0 <= clock.slack_ns < 20_000


@needs_arm64
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_write_that_is_read_back_ends_later(plugin: Path) -> None:
    """On this chip nothing is posted: what shows is that the second call is inside the bracket."""
    stop = threading.Event()
    image = build_image(VirtualGuest("debian-arm64", "gpio", "idle"), stop, print)
    widths = {}
    for flush in ("off", "on"):
        words = replace(image, options=f"{image.options} rig.agent=--flush={flush}")
        with GuestTarget.boot(words, AnswerWires(RESPONSE, ()), stop, print) as guest:
            bench = Bench(guest)
            try:
                with AgentLink.open("127.0.0.1", guest.port) as agent:
                    told = agent.environment()["gpio_writes_read_back"]
                    assert told == (flush == "on")
                    agent.arm(ArmOptions("interrupt_to_task", 4 * COUNT, 0, {}))
                    bench.pulses(COUNT)
                    assert agent.stop().handled == COUNT
                    log = agent.log(0, 4 * COUNT)
            finally:
                bench.close()
        widths[flush] = np.median((log["after_ticks"] - log["before_ticks"]).astype(np.int64))
    assert widths["on"] > 1.5 * widths["off"]


@needs_arm64
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_kernel_handler_is_refused(plugin: Path, tmp_path: Path) -> None:
    command = [
        *RIG,
        "run",
        "interrupt",
        "--fixture",
        "qemu-debian-arm64",
        "--out",
        tmp_path / "r.h5",
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=560, check=False)
    assert ended.returncode == 6
    assert "a handler in the kernel needs port kmod" in ended.stderr
