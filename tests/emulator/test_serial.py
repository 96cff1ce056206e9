# SPDX-License-Identifier: GPL-3.0-or-later
"""The serial port: nothing lost, nothing mixed up, and virtual time that waits for the host."""

from __future__ import annotations

import os
import select
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import serial

from rig.errors import BenchError
from rig.virtual.emulator import Emulator, StopReason

from .port import PATIENCE_S, open_port

Start = Callable[[str], Emulator]

FRAME_CYCLES = 320  # 10 bits at 500 kbaud
SLICE_CYCLES = 16_000  # between two looks at the port
HOLD_AFTER_CYCLES = 1600
GRANT_CYCLES = 1000
"""Shorter than HOLD_AFTER_CYCLES: the last echo is seen before the host's turn becomes a hold."""
FAR_CYCLES = 16_000_000


@pytest.fixture
def echo_port(build: Path) -> Iterator[str]:
    """The port of echo.c on an emulator that runs as fast as it can."""
    command = [build / "rig-emulator", "--firmware", build / "echo.hex", "--mode", "fast"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[1]
        process.terminate()
        assert process.wait(PATIENCE_S) == 0


def test_pyserial_gets_every_byte_back(echo_port: str) -> None:
    with serial.Serial(echo_port, 500_000, timeout=PATIENCE_S) as port:
        data = bytes(range(256)) * 4
        port.write(data)
        assert port.read(len(data)) == data


def test_the_port_may_be_closed_and_opened_again(echo_port: str) -> None:
    for n in range(20):
        with serial.Serial(echo_port, 500_000, timeout=PATIENCE_S) as port:
            data = f"round {n}\r\n".encode()
            port.write(data)
            assert port.read(len(data)) == data


def test_long_data_in_both_directions(echo_port: str) -> None:
    data = np.random.default_rng(1).bytes(200_000)
    with serial.Serial(echo_port, 500_000, timeout=PATIENCE_S) as port:
        writer = threading.Thread(target=port.write, args=(data,))
        writer.start()
        got = port.read(len(data))
        writer.join()
    assert got == data


def test_nothing_is_lost_when_the_host_does_not_read(echo_port: str) -> None:
    data = np.random.default_rng(2).bytes(100_000)
    with open_port(echo_port) as port:
        sent = 0
        # Until nothing more fits anywhere: that is when the emulator has stopped.
        while select.select([], [port.fd], [], 0.3)[1]:
            sent += os.write(port.fd, data[sent : sent + 1000])
        assert 0 < sent < len(data)
        assert port.wait(sent) == data[:sent]


def test_two_emulators_do_not_mix(start: Start) -> None:
    one, other = start("echo"), start("echo")
    assert one.pty != other.pty
    with open_port(one.pty) as one_port, open_port(other.pty) as other_port:
        one_port.write(b"one")
        other_port.write(b"other")
        one.run(50_000)
        assert other_port.read() == b"", "the other has no time yet"
        other.run(50_000)
        assert one_port.read() == b"one"
        assert other_port.read() == b"other"


def test_bytes_take_their_time_on_the_line(start: Start) -> None:
    """A train of n bytes goes in and out again overlapped: n + 1 frames, and some instructions."""
    emulator = start("echo")
    count = 100
    with open_port(emulator.pty) as port:
        began = emulator.run(10_000).cycle
        port.write(b"x" * count)
        report = emulator.run(began + 10)
        while report.bytes_to_host < count or report.transmitting:
            report = emulator.run(report.cycle + 10)
    took = report.cycle - began
    assert (count + 1) * FRAME_CYCLES <= took < (count + 1) * (FRAME_CYCLES + 50)


def test_state_of_the_conversation(start: Start) -> None:
    emulator = start("echo")
    with open_port(emulator.pty) as port:
        silent = emulator.run(10_000)
        assert (silent.host_turn, silent.pending_input, silent.transmitting) == (False,) * 3
        port.write(b"ab")
        first_coming = emulator.run(silent.cycle + 10)
        assert first_coming.pending_input
        assert not first_coming.host_turn
        assert first_coming.bytes_from_host == 2
        first_echoed = emulator.run(silent.cycle + FRAME_CYCLES + 150)
        assert first_echoed.transmitting
        assert first_echoed.pending_input
        both_echoed = emulator.run(silent.cycle + 10_000)
        assert both_echoed.host_turn
        assert (both_echoed.transmitting, both_echoed.pending_input) == (False, False)
        assert both_echoed.bytes_to_host == 2
        assert port.wait(2) == b"ab"


def test_a_hold_stops_time_until_it_runs_out(start: Start) -> None:
    emulator = start("echo")
    hold = {"hold_ms": 20, "hold_after_cycles": HOLD_AFTER_CYCLES}
    with open_port(emulator.pty) as port:
        for n in range(3):
            port.write(b"x")
            began = n * FAR_CYCLES
            report = emulator.run(began + FAR_CYCLES, **hold)
            assert report.reason is StopReason.HOLD
            assert report.host_turn
            longest = 10_000 + 3 * FRAME_CYCLES + HOLD_AFTER_CYCLES + SLICE_CYCLES
            assert 2 * FRAME_CYCLES + HOLD_AFTER_CYCLES <= report.cycle - began < longest
            assert port.read() == b"x"
            excused = emulator.run(began + FAR_CYCLES, **hold)
            assert excused.reason is StopReason.LIMIT, "no second hold until the host speaks"


def test_without_a_hold_time_goes_on(start: Start) -> None:
    emulator = start("echo")
    with open_port(emulator.pty) as port:
        port.write(b"x")
        report = emulator.run(FAR_CYCLES)
        assert report.reason is StopReason.LIMIT
        assert report.host_turn


def test_with_holds_a_slow_host_costs_no_virtual_time(start: Start) -> None:
    """The host answers from a thread, as late as it likes: virtual time shows only the bytes."""
    emulator = start("echo")
    rounds = 50
    finished = threading.Event()

    def converse() -> None:
        with open_port(emulator.pty) as port:
            for n in range(rounds):
                port.write(bytes([n]))
                assert port.wait(1) == bytes([n])
        finished.set()

    host = threading.Thread(target=converse)
    host.start()
    host_cycles = 0
    report = emulator.run(1000)
    while report.bytes_to_host < rounds:
        before = report
        report = emulator.run(
            before.cycle + GRANT_CYCLES, hold_ms=10_000, hold_after_cycles=HOLD_AFTER_CYCLES
        )
        assert report.reason is StopReason.LIMIT
        if before.bytes_to_host > 0:  # until the first byte it is nobody's turn
            host_cycles += report.cycle - before.cycle
    host.join(PATIENCE_S)
    assert finished.is_set()
    # A round is held HOLD_AFTER_CYCLES after the echo at the earliest, a grant later at the latest.
    longest_round = 3 * FRAME_CYCLES + HOLD_AFTER_CYCLES + GRANT_CYCLES
    assert host_cycles < rounds * longest_round + 100_000


def test_a_hold_ends_with_the_control_socket(start: Start) -> None:
    emulator = start("echo")
    failures = []

    def hold() -> None:
        try:
            emulator.run(FAR_CYCLES, hold_ms=60_000, hold_after_cycles=0)
        except BenchError as error:
            failures.append(str(error))

    with open_port(emulator.pty) as port:
        port.write(b"x")
        partner = threading.Thread(target=hold)
        partner.start()
        port.wait(1)
        emulator.close()
        partner.join(PATIENCE_S)
    assert len(failures) == 1
    assert "ended with exit status 0" in failures[0]
