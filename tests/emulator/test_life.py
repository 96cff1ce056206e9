# SPDX-License-Identifier: GPL-3.0-or-later
"""How the emulator starts, refuses and ends: one line, an exit status, no orphan."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import textwrap
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from rig.errors import BenchError, InputError
from rig.virtual.emulator import Emulator

from .port import PATIENCE_S

Start = Callable[[str], Emulator]

END = ":00000001FF\n"


PPB = 10**9
WITH_ANSWERS = struct.pack("<4sHHQII", b"GRNT", 8, 0, 9, 0, 0)


def record(address: int, data: bytes, kind: int = 0) -> str:
    body = bytes([len(data), address >> 8, address & 255, kind]) + data
    return f":{(body + bytes([-sum(body) & 255])).hex().upper()}\n"


def words(*opcodes: int) -> str:
    """Firmware of these instructions, from the reset vector on."""
    return record(0, struct.pack(f"<{len(opcodes)}H", *opcodes)) + END


LOOP, SLEEP = 0xCFFF, 0x9588
SLEEP_ENABLE = (0xE001, 0xBF03)  # ldi r16, 1; out SMCR, r16


@pytest.fixture
def hex_file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "firmware.hex"
        path.write_text(text)
        return path

    return write


def wait_gone(pid: int) -> None:
    try:
        psutil.Process(pid).wait(PATIENCE_S)
    except psutil.NoSuchProcess:
        return
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "empty"),
        (END, "no data record"),
        (record(0, b"\x00\x00"), "no end record"),
        ("hello\n" + END, "line 1: not an Intel hex record"),
        (":0\n" + END, "line 1: not an Intel hex record"),
        (":00\n" + END, "line 1: the record is not as long as it says"),
        (record(0, b"\x00\x00") + ":FF00000000\n" + END, "line 2: the record is not as long"),
        (record(0, b"\x00\x00")[:-3] + "55\n" + END, "line 1: wrong checksum"),
        (record(0x7FFF, b"\x00\x00") + END, "line 1: the data lie outside the flash"),
        (record(0, b"\xff\xff", 4) + record(0xFFFF, b"\x00") + END, "line 2: the data lie outside"),
        (record(0, b"\xff", 2) + END, "line 1: an address record must hold two bytes"),
        (record(0, b"", 9) + END, "line 1: unknown record type"),
        (":" + "00" * 400 + "\n", "line 1: not an Intel hex record"),
    ],
)
def test_a_wrong_hex_file_is_refused(
    build: Path, hex_file: Callable[[str], Path], text: str, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        Emulator.start(build / "rig-emulator", hex_file(text))


def test_a_missing_hex_file_is_refused(build: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere\.hex: No such file"):
        Emulator.start(build / "rig-emulator", tmp_path / "nowhere.hex")


def test_a_missing_emulator_is_told(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="build it with `make`"):
        Emulator.start(tmp_path / "rig-emulator", tmp_path / "x.hex")


@pytest.mark.parametrize(
    ("opcodes", "death"),
    [
        ((0xFFFF, 0xFFFF), "exit status 3: the firmware crashed"),  # runs off the flash
        ((0x9300, 0xFFFF, LOOP), "exit status 3: the firmware crashed"),  # sts 0xFFFF, r16
        ((0x9100, 0xFFFF, LOOP), "exit status 3: the firmware crashed"),  # lds r16, 0xFFFF
        ((*SLEEP_ENABLE, SLEEP, LOOP), "exit status 3: the firmware sleeps with interrupts off"),
        # ldi r17, WDCE|WDE; sts WDTCSR, r17; ldi r16, WDE; sts WDTCSR, r16
        (
            (0xE118, 0x9310, 0x0060, 0xE008, 0x9300, 0x0060, LOOP),
            "exit status 3: the firmware was reset by its watchdog",
        ),
    ],
)
def test_a_dying_firmware_is_told(
    build: Path, hex_file: Callable[[str], Path], opcodes: tuple[int, ...], death: str
) -> None:
    with (
        Emulator.start(build / "rig-emulator", hex_file(words(*opcodes))) as emulator,
        pytest.raises(BenchError, match=death),
    ):
        emulator.run(10**8)


def test_a_killed_emulator_is_told(start: Start) -> None:
    emulator = start("echo")
    emulator.run(100)
    os.kill(emulator.pid, signal.SIGKILL)
    with pytest.raises(BenchError, match="was killed by SIGKILL"):
        emulator.run(200)


def test_close_reaps_and_may_be_repeated(start: Start) -> None:
    emulator = start("echo")
    emulator.close()
    assert not psutil.pid_exists(emulator.pid)
    emulator.close()


@pytest.mark.parametrize(
    ("grant", "complaint"),
    [
        (b"GRNX" + bytes(20), "does not start with GRNT"),
        (struct.pack("<4sHHQII", b"GRNT", 16, 0, 0, 0, 0), "unknown flags"),
        (WITH_ANSWERS + struct.pack("<QQQHBB4x", PPB, 0, 0, 4097, 1, 1), "more than 4096 answers"),
        (
            WITH_ANSWERS + struct.pack("<QQQHBB4x", 2 * PPB, 0, 0, 0, 1, 1),
            "off by more than a tenth",
        ),
        (WITH_ANSWERS + struct.pack("<QQQHBB4x", 0, 0, 0, 0, 1, 1), "off by more than a tenth"),
        (WITH_ANSWERS + struct.pack("<QQQHBB4x", PPB, 0, 0, 0, 2, 1), "level that is not 0 or 1"),
        (WITH_ANSWERS + struct.pack("<QQQHBB4xQ", PPB, 0, 0, 0, 1, 1, 7), "bytes after its end"),
        (struct.pack("<4sHHQII", b"GRNT", 0, 4097, 0, 0, 0), "more than 4096 inputs"),
        (struct.pack("<4sHHQII", b"GRNT", 4, 0, 0, 60_001, 0), "more than 60000 ms"),
        (struct.pack("<4sHHQIIQBB6x", b"GRNT", 0, 1, 9, 0, 0, 5, 1, 1), "line or level"),
        (struct.pack("<4sHHQIIQBB6x", b"GRNT", 0, 1, 9, 0, 0, 5, 0, 2), "line or level"),
        (struct.pack("<4sHHQII", b"GRNT", 0, 0, 9, 0, 0) + b"more", "bytes after its end"),
    ],
)
def test_a_malformed_grant_is_refused(build: Path, grant: bytes, complaint: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        command = [build / "rig-emulator", f"--firmware={build / 'echo.hex'}", "--mode=lockstep"]
        process = subprocess.Popen(
            [*command, f"--control-fd={theirs.fileno()}"],
            pass_fds=(theirs.fileno(),),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        ours.sendall(grant)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 3
    assert complaint in errors
    assert errors.count("\n") == 1


def test_a_grant_may_come_in_pieces(build: Path) -> None:
    ours, theirs = socket.socketpair()
    grant = struct.pack("<4sHHQIIQBB6x", b"GRNT", 0, 1, 1000, 0, 0, 500, 0, 1)
    command = [build / "rig-emulator", f"--firmware={build / 'echo.hex'}", "--mode=lockstep"]
    with (
        ours,
        subprocess.Popen(
            [*command, f"--control-fd={theirs.fileno()}"],
            pass_fds=(theirs.fileno(),),
            stdout=subprocess.DEVNULL,
        ) as process,
    ):
        theirs.close()
        ours.settimeout(PATIENCE_S)
        for n in range(len(grant)):
            ours.sendall(grant[n : n + 1])
        report = ours.recv(100)
        assert report.startswith(b"RPRT")
        assert 1000 <= struct.unpack_from("<Q", report, 8)[0] < 1020
        ours.close()
        assert process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "no firmware"),
        (["--mode=warp"], "give fast, paced or lockstep"),
        (["--firmware=x", "--mode=lockstep"], "--control-fd belongs to --mode lockstep"),
        (["--firmware=x", "--control-fd=5"], "--control-fd belongs to --mode lockstep"),
        (["--firmware=x", "--mode=lockstep", "--control-fd=77"], "not an open stream socket"),
        (["--duration-ms=soon"], "give a whole number"),
        (["--duration-ms=-1"], "give a whole number"),
        (["--bogus"], "bogus"),
        (["stray"], "stray: not an option"),
        (["--firmware=x", "--clock-hz=5"], "--clock-hz 5: give a whole number from 1000000"),
        (["--firmware=x", "--mcu=z80"], "z80: this libsimavr does not know it"),
        (["--firmware=x", "--mcu=attiny85"], "attiny85: its timer 1 or UART 0 is not like"),
    ],
)
def test_wrong_options_are_refused(build: Path, options: list[str], complaint: str) -> None:
    done = subprocess.run(
        [build / "rig-emulator", *options],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stdout == ""


def test_an_unwritable_edge_log_is_refused(build: Path, tmp_path: Path) -> None:
    command = [build / "rig-emulator", "--firmware", build / "echo.hex"]
    done = subprocess.run(
        [*command, "--edge-log", tmp_path / "no" / "log"],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2
    assert "give a file that can be written" in done.stderr


@pytest.mark.parametrize("mode", ["fast", "paced"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(build: Path, mode: str, number: signal.Signals) -> None:
    command = [build / "rig-emulator", "--firmware", build / "echo.hex", "--mode", mode]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(PATIENCE_S) == 0


def test_a_signal_ends_lockstep_cleanly(start: Start) -> None:
    emulator = start("echo")
    os.kill(emulator.pid, signal.SIGTERM)
    with pytest.raises(BenchError, match="ended with exit status 0"):
        emulator.run(10**12)


PARENT = """
    import subprocess, sys, time
    from pathlib import Path
    from rig.virtual.emulator import Emulator

    build = Path(sys.argv[1])
    binary, firmware = build / "rig-emulator", build / "echo.hex"
    if sys.argv[2] == "lockstep":
        emulator = Emulator.start(binary, firmware)
        print(emulator.pid, flush=True)
        while True:
            emulator.run(10**15)
    child = subprocess.Popen([binary, "--firmware", firmware, "--mode", sys.argv[2]],
                             stdout=subprocess.PIPE)
    child.stdout.readline()
    print(child.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("mode", ["fast", "paced", "lockstep"])
def test_no_orphan_when_the_parent_is_killed(build: Path, mode: str) -> None:
    command = [sys.executable, "-c", textwrap.dedent(PARENT), build, mode]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        parent.kill()
    wait_gone(pid)


def test_duration_echo_and_edge_log(build: Path, tmp_path: Path) -> None:
    log = tmp_path / "edges.txt"
    echo = 777
    command = [build / "rig-emulator", "--firmware", build / "train.hex", "--duration-ms", "500"]
    subprocess.run(
        [*command, "--edge-log", log, "--echo-cycles", str(echo)],
        check=True,
        timeout=PATIENCE_S,
        stdout=subprocess.DEVNULL,
    )
    edges: dict[str, list[tuple[int, int]]] = {"S": [], "R": []}
    for line in log.read_text().splitlines():
        cycle, name, level = line.split()
        edges[name].append((int(cycle), int(level)))
    assert len(edges["S"]) > 200
    assert all(a[0] < b[0] and a[1] != b[1] for a, b in pairwise(edges["S"]))
    assert edges["S"][-1][0] < 500 * 16_000 + 20
    assert edges["R"] == [(at + echo, level) for at, level in edges["S"]][: len(edges["R"])]
    assert len(edges["R"]) >= len(edges["S"]) - 2
