# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest as a target: what its port writes are on the bench's wires, and on its time line."""

from __future__ import annotations

import socket
import time
from pathlib import Path

import pytest

from rig.errors import BenchError
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.target import GuestTarget

from .conftest import FakeStart

WIRES = AnswerWires(5, (6, 7))
"""Response on channel 5, two bits of the sequence on 6 and 7."""


def test_writes_are_edges_of_the_wired_pins_at_bench_time(start_fake: FakeStart) -> None:
    # The kernel has left 4 in the register; the bench begins at the guest's 1000 ns.
    machine = start_fake("500 w 0 255; 600 w 0 4; 1100 w 0 3; 1150 w 0 11; 1200 w 0 2; 1300 w 0 2")
    machine.run(1000)
    with GuestTarget(machine, WIRES) as guest:
        assert guest.take_edges(1) == [(0, 7, 1)]
        guest.pass_until(150_500)  # up to 151 ns: a nanosecond is not divided
        assert guest.take_edges(100_000) == []
        assert guest.take_edges(150_500) == [(100_000, 5, 1), (100_000, 6, 1), (100_000, 7, 0)]
        assert guest.take_decided() == [(100_000, 5, 1)]
        guest.pass_until(500_000)
        assert guest.take_edges(500_000) == [(200_000, 5, 0)]
        assert guest.take_decided() == [(200_000, 5, 0)]
        assert guest.take_decided() == []


def test_stimuli_reach_the_guest_at_bench_time(start_fake: FakeStart, tmp_path: Path) -> None:
    log = tmp_path / "irq"
    machine = start_fake("10 w 2 16", log)
    machine.run(1000)
    with GuestTarget(machine, WIRES) as guest:
        guest.on_stimulus(5_000, 1)
        guest.on_stimulus(14_001, 0)
        guest.pass_until(20_000)
    assert log.read_text() == "1005 1\n1015 0\n"


def test_a_silent_agent_is_found_out_by_its_own_time(start_fake: FakeStart) -> None:
    with (
        GuestTarget(start_fake(), WIRES) as guest,
        socket.create_connection(("127.0.0.1", guest.port), 10) as host,
    ):
        guest.pass_until(100 * 10**12)  # it owes nothing: it may be silent for long
        host.sendall(b"HELLO\n")
        while not guest.busy:
            time.sleep(0.01)
        guest.pass_until(101 * 10**12)
        guest.pass_until(120 * 10**12)
        with pytest.raises(BenchError, match="the guest hangs: its agent has been silent for 20 s"):
            guest.pass_until(122 * 10**12)
