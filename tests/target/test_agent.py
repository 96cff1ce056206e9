# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent for real targets, built with sanitizers, as the host meets it: TCP, pipes, serial line.

Its port is the POSIX one: a socket stands for the interrupt line and the pins, so that a test knows
each interrupt and each pin write. With the counter `monotonic_raw` the agent's ticks and the test's
own clock are the same, and the test brackets the agent's brackets.
"""

from __future__ import annotations

import gzip
import os
import platform
import pty
import re
import socket
import subprocess
import termios
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rig import __version__
from rig.errors import BenchError
from rig.instruments import ArmOptions
from rig.target.link import AgentLink
from rig.target.protocol import decode_log_block

AGENT = Path(__file__).parents[2] / "targets" / "agent"
MISSED, COALESCED = 1, 2
BASIC = ("--counter", "monotonic_raw", "--allow-unlocked", "--cpu-dma-latency", "off")
SLEW_PPM = 1000
"""CLOCK_MONOTONIC, by which the agent wakes, may be slewed against CLOCK_MONOTONIC_RAW."""


def now_ns() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


@pytest.fixture(scope="session")
def build(tmp_path_factory) -> Path:
    """The agent, its tests and its fuzzer, with sanitizers, away from the tree."""
    folder = tmp_path_factory.mktemp("agent")
    subprocess.run(
        ["make", "--silent", "-C", AGENT, f"BUILD={folder}", "sanitized", "fuzz"],
        check=True,
        timeout=110,
    )
    return folder / "sanitized"


@pytest.fixture(scope="session")
def program(build) -> Path:
    return build / "rig-agent"


@dataclass
class Running:
    """An agent that listens, and the far end of its interrupt line and pins."""

    process: subprocess.Popen[str]
    port: int
    line: socket.socket

    def connect(self) -> AgentLink:
        return AgentLink.open("127.0.0.1", self.port)

    def pins(self, count: int) -> list[int]:
        """The next pin writes."""
        data = b""
        while len(data) < count:
            more = self.line.recv(count - len(data))
            assert more, "the agent has closed its pins"
            data += more
        return list(data)


@contextmanager
def started(program: Path, folder: Path, *options: str) -> Iterator[Running]:
    """Start an agent with a line of its own; it must end well when asked to."""
    path = folder / "line"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(1)
        listener.settimeout(20)
        words = [program, "--port", "posix", "--device", path, *BASIC, *options]
        with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
            try:
                line, _ = listener.accept()
                with line:
                    line.settimeout(20)
                    yield Running(process, 0, line)
            finally:
                process.terminate()
                _, rest = process.communicate(timeout=20)
            assert (process.returncode, rest) == (0, "")


@contextmanager
def running(program: Path, folder: Path) -> Iterator[Running]:
    """Start an agent on TCP."""
    with started(program, folder, "--tcp", "0") as one:
        assert one.process.stderr is not None
        said = one.process.stderr.readline()
        assert said.startswith("rig-agent: listening on 127.0.0.1:")
        one.port = int(said.rsplit(":", 1)[1])
        yield one


@pytest.fixture
def agent(program, tmp_path) -> Iterator[Running]:
    with running(program, tmp_path) as one:
        yield one


def task(capacity: int, sequence_bits: int = 0, **options: str) -> ArmOptions:
    return ArmOptions("interrupt_to_task", capacity, sequence_bits, {"priority": "0", **options})


# --- measurements ---------------------------------------------------------------------------------


def test_each_interrupt_is_answered_and_its_bracket_holds(agent):
    with agent.connect() as link:
        assert (link.identity.agent, link.identity.version) == ("rig-agent", __version__)
        assert (link.identity.log_format, link.identity.tick_hz) == (3, 10**9)
        link.arm(task(200, sequence_bits=3, edge="rising"))
        sent, seen, pins = [], [], []
        for _ in range(200):
            sent.append(now_ns())
            agent.line.sendall(b"!")
            pins += agent.pins(1)
            seen.append(now_ns())
        summary = link.stop()
        assert (summary.handled, summary.records, summary.dropped) == (200, 200, 0)
        rows = link.log(0, 1000)
    assert rows["sequence"].tolist() == list(range(200))
    assert rows["handled"].tolist() == list(range(1, 201))
    assert not rows["flags"].any()
    assert not rows["reserved"].any()
    assert pins == [(n % 8) << 1 | n % 2 for n in range(1, 201)]
    before, after = rows["before_ticks"].astype(np.int64), rows["after_ticks"].astype(np.int64)
    assert np.all(np.array(sent) <= before)
    assert np.all(before <= after)
    assert np.all(before <= np.array(seen))
    assert np.all(after[:-1] <= before[1:])


def test_single_pins_are_pulsed_for_a_check_of_the_wires(agent):
    """Not while armed, for as long as asked, and the next answer begins from low."""
    with agent.connect() as link:
        start_ns = now_ns()
        link.pulse("sequence1", 3, sequence_bits=2, width_us=2000)
        assert now_ns() - start_ns >= 7 * 2_000_000
        assert agent.pins(7) == [0, 4, 0, 4, 0, 4, 0]
        link.arm(task(10))
        with pytest.raises(BenchError, match="armed; send STOP first"):
            link.pulse("response", 1, sequence_bits=0)
        agent.line.sendall(b"!")
        assert agent.pins(1) == [1]
        link.stop()
        link.pulse("response", 0, sequence_bits=0)
        link.pulse("response", 1, sequence_bits=0)
        assert agent.pins(4) == [0, 0, 1, 0]
        with pytest.raises(BenchError, match="that signal has no pin"):
            link.pulse("sequence2", 1, sequence_bits=2)


def test_interrupts_that_come_together_are_counted(agent):
    """The port takes 256 at a time."""
    with agent.connect() as link:
        link.arm(task(1000))
        agent.line.sendall(b"!" * 5001)
        agent.pins(20)
        summary = link.stop()
        rows = link.log(0, 1000)
    steps = np.diff(rows["handled"].astype(np.int64), prepend=0)
    assert (summary.handled, summary.records) == (5001, 20)
    assert steps.tolist() == [256] * 19 + [137]
    assert np.all(rows["flags"] == COALESCED)
    assert link.account["unanswered"] == "4981"


def test_a_full_log_is_told(agent):
    with agent.connect() as link:
        link.arm(task(3))
        for _ in range(5):
            agent.line.sendall(b"!")
            agent.pins(1)
        summary = link.stop()
        assert (summary.handled, summary.records, summary.dropped) == (5, 3, 2)
        assert link.log(0, 10)["handled"].tolist() == [1, 2, 3]
        assert len(link.log(3, 10)) == 0


def test_a_log_is_read_while_it_is_written(agent):
    """Five times as many records as it has room for, and nothing of them is missing."""
    parts: list[np.ndarray] = []
    with agent.connect() as link:
        room = link.check(task(10**8))
        assert room is not None
        assert room.streams
        assert 1000 < room.records <= 10**8
        link.arm(replace(task(400), stream=True))
        for _ in range(20):
            for _ in range(100):
                agent.line.sendall(b"!")
                agent.pins(1)
            parts.append(link.log(sum(map(len, parts)), 1000))
            assert len(parts[-1]) >= 90  # all but those that may still get a flag
        summary = link.stop()
        parts.append(link.log(sum(map(len, parts)), 1000))
    rows = np.concatenate(parts)
    assert (summary.handled, summary.records, summary.dropped) == (2000, 2000, 0)
    assert rows["sequence"].tolist() == list(range(2000))
    assert rows["handled"].tolist() == list(range(1, 2001))
    assert np.all(rows["before_ticks"] <= rows["after_ticks"])
    assert np.all(rows["after_ticks"][:-1] <= rows["before_ticks"][1:])


@pytest.mark.parametrize("timer", ["nanosleep", "itimer", "timerfd"])
def test_no_period_is_answered_before_it_is_due(agent, timer):
    period_ns = 2_000_000
    options = {"timer": timer, "period_ns": str(period_ns), "priority": "0"}
    with agent.connect() as link:
        start_ns = now_ns()
        link.arm(ArmOptions("period", 1000, 2, options))
        pins = agent.pins(40)
        summary = link.stop()
        end_ns = now_ns()
        rows = link.log(0, 1000)
    steps = np.diff(rows["handled"].astype(np.int64), prepend=0)
    slack = 1 - SLEW_PPM / 1e6
    due = start_ns + rows["handled"] * period_ns * slack
    assert np.all(rows["before_ticks"] >= due)
    assert np.all(rows["after_ticks"] <= end_ns)
    assert np.array_equal(rows["flags"] & MISSED, steps > 1)
    assert summary.handled == rows["handled"][-1]
    assert pins == [
        (int(handled) % 4) << 1 | (n + 1) % 2 for n, handled in enumerate(rows["handled"][:40])
    ]


def test_it_ends_by_itself_after_the_count(agent):
    with agent.connect() as link:
        link.arm(task(10, count="3"))
        agent.line.sendall(b"!")
        agent.pins(1)
        agent.line.sendall(b"!")
        agent.pins(1)
        agent.line.sendall(b"!")
        agent.pins(1)
        agent.line.sendall(b"!")
        assert link.stop().handled == 3


def test_a_long_log_comes_in_blocks(agent):
    with agent.connect() as link:
        link.arm(ArmOptions("period", 1000, 0, {"period_ns": "10000", "priority": "0"}))
        agent.pins(300)
        records = link.stop().records
        parts = [link.log(first, 100) for first in range(0, records, 100)]
        assert all(len(part) == 100 for part in parts[:-1])
        rows = np.concatenate(parts)
        assert rows["sequence"].tolist() == list(range(records))


# --- sessions -------------------------------------------------------------------------------------


def test_environment(agent):
    with agent.connect() as link:
        report = link.environment()
    assert report["release"] == platform.release()
    assert report["version"] == platform.version()
    assert report["command_line"] == Path("/proc/cmdline").read_text().strip()
    assert report["cpu_dma_latency_refused"] == "not asked for"
    assert isinstance(report["memory_locked"], bool)
    (total,) = re.findall(r"MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    assert report["memory_kib"] == int(total)


@pytest.mark.skipif(not Path("/proc/config.gz").exists(), reason="the kernel does not tell it")
def test_options_of_the_kernel_are_those_of_its_configuration(agent):
    with agent.connect() as link:
        report = link.environment()
    text = gzip.decompress(Path("/proc/config.gz").read_bytes())
    lines = len(text.splitlines())
    crc = f"CRC-32 {zlib.crc32(text):08x}"
    assert report["kernel_config"] == f"/proc/config.gz, {lines} lines, {crc}"
    told, known = report["kernel_options"], dict(re.findall(r"CONFIG_(\w+)=(.*)", text.decode()))
    assert 10 < len(told) <= 250
    assert {name: known[name] for name in told} == told
    for name in ("HZ", "SMP", "PREEMPT_RT", "HIGH_RES_TIMERS", "ACPI"):
        assert told.get(name) == known.get(name)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (ArmOptions("interrupt", 10), "cannot measure interrupt; it can measure interrupt_to_task"),
        (ArmOptions("saturation", 10), "measurement must be"),
        (ArmOptions("period", 10), "needs period_ns"),
        (ArmOptions("interrupt_to_task", 0), "capacity must be a number from 1 to"),
        (ArmOptions("interrupt_to_task", 10, 8), "sequence_bits must be"),
        (task(10, color="red"), "unknown word; valid: measurement capacity"),
        (task(10, cpu="4000"), "no task on that cpu"),
        (task(10, self_trigger="1", period_ns="1000000"), "cannot trigger itself"),
        (task(100_000_000), ""),
    ],
)
def test_refusals_say_why_and_leave_it_usable(agent, options, part):
    with agent.connect() as link:
        if part:
            with pytest.raises(BenchError, match="ARM refused") as refusal:
                link.arm(options)
            assert part in str(refusal.value)
        link.arm(task(5))
        agent.line.sendall(b"!")
        agent.pins(1)
        assert link.stop().records == 1


def test_a_host_that_vanishes_while_armed_leaves_no_measurement(agent):
    link = agent.connect()
    link.arm(task(5))
    link._wire.stream.close()  # no QUIT
    with agent.connect() as second:
        second.arm(task(5))
        agent.line.sendall(b"!")
        agent.pins(1)
        assert second.stop().records == 1


def test_lost_interrupt_line_is_told(agent):
    def stop_until_noticed() -> None:
        while True:
            link.stop()
            link.arm(task(5))

    with agent.connect() as link:
        link.arm(task(5))
        agent.line.sendall(b"!")
        agent.pins(1)
        agent.line.shutdown(socket.SHUT_WR)
        with pytest.raises(BenchError, match="the device failed while armed"):
            stop_until_noticed()


def test_pipes(program):
    script = b"HELLO\r\nnonsense\nLOG 0 10\n" + b"x" * 600 + b"\nSTOP\n"
    done = run(program, "--port", "posix", "--stdio", *BASIC, stdin=script)
    assert done.returncode == 0
    assert done.stderr == b""
    hello, nonsense, length, rest = done.stdout.split(b"\n", 3)
    assert hello.startswith(b"OK rig-agent version=")
    assert nonsense.startswith(b"ERR unknown command; valid: HELLO ENV LOAD FREQUENCY CHECK ARM ")
    assert length == b"OK 32"
    assert len(decode_log_block(rest[:32], 0)) == 0
    too_long, stopped, end = rest[32:].split(b"\n")
    assert too_long == b"ERR line longer than 512 bytes"
    assert stopped.startswith(b"OK handled=0 records=0 dropped=0 ")
    assert end == b""


def test_pipes_closed_while_armed_end_it(program):
    script = b"ARM measurement=period capacity=9 period_ns=1000000 priority=0\n"
    done = run(program, "--port", "posix", "--stdio", *BASIC, stdin=script)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"OK\n", b"")


def test_nothing_after_quit(program):
    done = run(program, "--port", "posix", "--stdio", *BASIC, stdin=b"QUIT\nHELLO\n")
    assert (done.returncode, done.stdout) == (0, b"")


def test_serial_line_carries_every_byte(program, tmp_path):
    """Bytes of a log that a terminal which is not raw would change or eat."""
    host, tty = pty.openpty()
    with (
        os.fdopen(host, "r+b", buffering=0) as line,
        os.fdopen(tty),
        started(program, tmp_path, "--serial", os.ttyname(tty)) as agent,
    ):
        while termios.tcgetattr(tty)[3] & termios.ICANON:
            assert agent.process.poll() is None
            time.sleep(0.01)
        line.write(b"HELLO\n")
        assert read_line(line).startswith(b"OK rig-agent ")
        line.write(b"ARM measurement=period capacity=500 period_ns=100000 priority=0\n")
        assert read_line(line) == b"OK"
        agent.pins(100)
        line.write(b"STOP\n")
        assert read_line(line).startswith(b"OK handled=")
        line.write(b"LOG 0 100\n")
        assert read_line(line) == b"OK 4032"
        block = read_bytes(line, 4032)
        assert {0x00, 0x03, 0x04, 0x0A, 0x0D, 0x11, 0x13, 0x1A, 0x1C} <= set(block)
        assert decode_log_block(block, 0)["sequence"].tolist() == list(range(100))
        line.write(b"QUIT\nHELLO\n")  # a line has no end: the next host greets again
        assert read_line(line).startswith(b"OK rig-agent ")


def read_line(line) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        data += line.read(1)
    return data.strip()


def read_bytes(line, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += line.read(size - len(data))
    return data


# --- the program ----------------------------------------------------------------------------------


def run(program, *words, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [program, *words], input=stdin, capture_output=True, timeout=60, check=False
    )


@pytest.mark.parametrize("port", ["posix", "ppdev", "kmod"])
def test_lines_of_a_chip_are_refused_for_another_port(program, port):
    done = run(program, "--stdio", "--pins", "response=1", "--port", port)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"rig-agent: --pins names lines of a GPIO chip or a serial port: give --port gpio "
        b"or serial, or leave it out with --port: %s; see rig-agent --help\n" % port.encode()
    )


def test_help_names_every_port(program):
    done = run(program, "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    for port in (b"ppdev", b"ioport", b"gpio", b"kmod", b"posix"):
        assert b"  " + port + b" " in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        ([], 2, "--port is missing"),
        (["--port", "posix"], 2, "give one of --stdio, --serial, --tcp"),
        (["--port", "posix", "--stdio", "--tcp", "1"], 2, "give one of"),
        (
            ["--port", "qnx", "--stdio"],
            2,
            "no port qnx; valid: ppdev ioport gpio serial kmod posix",
        ),
        (["--port", "posix", "--stdio", "more"], 2, "not an option: more"),
        (["--port", "posix", "--tcp", "70000"], 3, "--tcp must be PORT or ADDRESS:PORT"),
        (["--port", "posix", "--tcp", "localhost:1"], 3, "numeric IPv4 address"),
        (["--port", "posix", "--serial", "/dev/null"], 3, "/dev/null: "),
        (["--port", "posix", "--serial", "/dev/null", "--baud", "300"], 3, "no such rate"),
        (["--port", "posix", "--stdio", "--counter", "hpet"], 3, "--counter must be"),
        (["--port", "posix", "--stdio", "--device", "/nowhere"], 3, "/nowhere: No such file"),
        (["--port", "ppdev", "--stdio", "--device", "/nowhere9"], 3, "ppdev loaded?"),
        (["--port", "ppdev", "--stdio", "--device", "/dev/null"], 3, "is it a parallel port?"),
        (["--port", "gpio", "--stdio", "--device", "/dev/null"], 3, "is it a GPIO chip?"),
        (["--port", "kmod", "--stdio", "--device", "/nowhere"], 3, "load the kernel module"),
    ],
)
def test_wrong_use_is_one_clear_line(program, words, code, part):
    done = run(program, *words)
    assert done.returncode == code
    assert done.stdout == b""
    assert part in done.stderr.decode()
    assert done.stderr.startswith(b"rig-agent: ")
    assert done.stderr.count(b"\n") == 1


# --- hostile hosts --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def long_lived(program, tmp_path_factory) -> Iterator[Running]:
    with running(program, tmp_path_factory.mktemp("line")) as one:
        yield one


def means_nothing(pieces: list[bytes]) -> bool:
    commands = (b"HELLO", b"ENV", b"ARM", b"STOP", b"LOG", b"QUIT")
    return not any(command in b"".join(pieces) for command in commands)


@given(st.lists(st.binary(max_size=700), max_size=5).filter(means_nothing))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_garbage_does_no_harm(long_lived, pieces):
    with socket.create_connection(("127.0.0.1", long_lived.port), 20) as host:
        for piece in pieces:
            host.sendall(piece)
        host.shutdown(socket.SHUT_WR)
        reply = b""
        while data := host.recv(65536):
            reply += data
    lines = b"".join(pieces).count(b"\n")
    assert reply.count(b"ERR ") == lines
    with long_lived.connect() as link:
        assert link.identity.agent == "rig-agent"


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_mutilated_lines_each_get_one_answer(build, seed):
    done = run(build / "fuzz", str(seed), "20000")
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert int(done.stdout.split()[1]) > 1000, "too few lines were good enough to arm"
