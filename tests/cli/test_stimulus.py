# SPDX-License-Identifier: GPL-3.0-or-later
"""`rig stimulus`: avrdude's command line by a program in its place, the probe by real firmware."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rig.resources import emulator_binary, firmware_image
from rig.services.stimulus_loopback import SECONDS_MIN, loopback_findings
from rig.services.stimulus_probe import ClockError
from rig.stimulus.device import SerialStimulus
from rig.stimulus.port import SerialPort
from rig.stimulus.train import Burst
from tests.chip import CHIP
from tests.cli.command import rig

AVRDUDE = """\
#!/bin/sh
echo "$*" >> "{calls}"
case "$*" in
*115200*) {at_115200} ;;
*) {at_57600} ;;
esac
"""
NOT_IN_SYNC = "echo 'avrdude: stk500_getsync() attempt 10 of 10: not in sync: resp=0x00'; exit 1"


@pytest.fixture
def avrdude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Put a program in its place; returns the arguments of each call so far."""
    calls = tmp_path / "calls"

    def put(at_115200: str = "exit 0", at_57600: str = "exit 0") -> None:
        program = tmp_path / "avrdude"
        program.write_text(AVRDUDE.format(calls=calls, at_115200=at_115200, at_57600=at_57600))
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    put.calls = lambda: calls.read_text().splitlines() if calls.exists() else []  # type: ignore[attr-defined]
    return put


@pytest.fixture
def port(tmp_path: Path) -> Iterator[str]:
    """A serial port whose name is one argument, whatever is in it."""
    master, line = pty.openpty()
    path = tmp_path / "ttyUSB0; touch $HOME"
    path.symlink_to(os.ttyname(line))
    yield str(path)
    os.close(master)
    os.close(line)


def words(baud: int, port: str) -> str:
    image = firmware_image(CHIP.name)
    return f"-p m328p -c arduino -P {port} -b {baud} -U flash:w:{image}:i"


def test_flash_tries_the_rates_of_both_boot_loaders(avrdude, port) -> None:
    avrdude(at_115200=NOT_IN_SYNC)
    ended = rig("stimulus", "flash", "--port", port)
    assert ended.returncode == 0, ended.stderr
    assert avrdude.calls() == [words(115_200, port), words(57_600, port)]
    assert "flashed and verified at 57600 baud" in ended.stdout


def test_flash_stops_at_the_first_that_works(avrdude, port) -> None:
    avrdude()
    assert rig("stimulus", "flash", "--port", port).returncode == 0
    assert avrdude.calls() == [words(115_200, port)]


def test_a_port_that_a_run_has_is_not_flashed(avrdude, port) -> None:
    """avrdude would open it all the same."""
    avrdude()
    with SerialPort(port, 500_000, 1.0):
        ended = rig("stimulus", "flash", "--port", port)
    assert ended.returncode == 3
    assert (
        ended.stderr
        == f"rig: {port}: not flashed: another program uses it: end that one, then try again\n"
    )
    assert avrdude.calls() == []


@pytest.mark.parametrize(
    ("said", "calls", "text"),
    [
        (NOT_IN_SYNC, 2, "no boot loader answers at 115200 and 57600 baud"),
        (
            "printf 'avrdude OS error: one\\navrdude error: two\\n\\navrdude done.'; exit 1",
            1,
            "avrdude ended with 1: avrdude OS error: one",
        ),
        (
            "echo 'Device signature = 0x1e9516 (probably m328pb)'; exit 1",
            1,
            "-p m328pb",
        ),
        (
            "echo 'strange\\033[2J'; exit 7",
            1,
            "avrdude ended with 7: strange\\x1b",
        ),
        ("exit 1", 1, "it said nothing"),
    ],
)
def test_what_avrdude_says_becomes_one_line(
    avrdude, port, said: str, calls: int, text: str
) -> None:
    avrdude(said, said)
    ended = rig("stimulus", "flash", "--port", port)
    assert ended.returncode == 3
    assert len(avrdude.calls()) == calls
    assert text in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_no_avrdude(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = rig("stimulus", "flash", "--port", "/dev/ttyACM0")
    assert ended.returncode == 3
    assert ended.stderr == "rig: avrdude is not installed; apt-get install avrdude\n"


@contextmanager
def emulated(clock_hz: int, *options: str) -> Iterator[str]:
    """The shipped firmware on a chip with this clock, in real time; the name of its port."""
    command = [
        emulator_binary(), "--firmware", firmware_image(CHIP.name), "--mode", "paced",
        "--clock-hz", str(clock_hz), *options,
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[1]
        finally:
            process.terminate()


def test_probe_of_the_real_firmware() -> None:
    with emulated(CHIP.clock_hz) as port:
        ended = rig("stimulus", "probe", "--port", port)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "the one that comes with this rig" in ended.stdout
    assert "16 MHz" in ended.stdout
    assert "D9 to the target's interrupt line" in ended.stdout


LOOPED = "--echo-cycles", "6"
"""The stimulus pin on the response pin."""


def test_loopback_of_the_real_firmware() -> None:
    with emulated(CHIP.clock_hz, *LOOPED) as port:
        # 100 edges: the chip keeps 128, however slow this computer is.
        ended = rig("stimulus", "probe", "--port", port, "--loopback", "0.05")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "100 of 100 edges, 0 replies damaged on the serial line, each 11 to 11" in ended.stdout
    shortest = dict.fromkeys(("periodic", "burst"), 20) | {"uniform": 80, "poisson": 100}
    for pattern, us in (shortest | {"ramp": 100}).items():
        count = 12_500 // us
        assert re.search(f"{pattern} train +{count:,} pulses at {us} us, none late", ended.stdout)


def test_loopback_without_its_wire() -> None:
    with emulated(CHIP.clock_hz) as port:
        ended = rig("stimulus", "probe", "--port", port, "--loopback", "0.05")
    assert ended.returncode == 3
    assert "none of 100 edges of its own was captured" in ended.stdout
    assert "D9 to D8 by a wire" in ended.stdout


def test_pulses_that_leave_late_are_told(monkeypatch) -> None:
    """Bursts of few pulses without a longer gap behind them are more than the firmware can."""
    without_gap = {"burst_count": 2, "burst_spacing_ticks": 320, "period_ticks": 640}
    monkeypatch.setattr(Burst, "fastest", lambda *_: without_gap)
    with emulated(CHIP.clock_hz, *LOOPED) as port, SerialStimulus.open(port, CHIP) as stimulus:
        found = list(loopback_findings(stimulus, CHIP, SECONDS_MIN))
    (late,) = [each for each in found if each.mend]
    assert late.what == "burst train"
    assert re.match("625 pulses at 20 us of 625, [0-9,]+ edges late by up to", late.state)
    assert late.needed


@pytest.mark.parametrize("seconds", ["0", "nan", "1e9", "long"])
def test_a_time_that_cannot_be(seconds: str) -> None:
    ended = rig("stimulus", "probe", "--loopback", seconds)
    assert ended.returncode == 2
    assert "valid: 0.05 to 3600" in ended.stderr


def test_a_clock_that_is_none_of_a_crystal_is_refused() -> None:
    with emulated(15 * CHIP.clock_hz // 16) as port:
        ended = rig("stimulus", "probe", "--port", port)
    assert ended.returncode == 3, ended.stdout
    assert "LGT8F328P" in ended.stdout


@pytest.mark.parametrize(
    ("ppm", "within_ppm", "believable"),
    [(19_000, 100, True), (-19_000, 100, True), (20_200, 300, True), (-20_500, 300, False)],
)
def test_two_percent_and_what_is_not_known(ppm, within_ppm, believable) -> None:
    assert ClockError(ppm, within_ppm).is_believable is believable


def test_nobody_there() -> None:
    ended = rig("stimulus", "probe", "--port", "/dev/rig-none")
    assert ended.returncode == 3
    assert "cannot be opened" in ended.stderr
