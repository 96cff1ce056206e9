# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel module's log is read while the module writes it: a ring that begins anew many times.

Slow: it boots a kernel.
"""

from __future__ import annotations

import subprocess
import threading

import numpy as np
import pytest

from rig.config.virtual.bench import VirtualGuest
from rig.errors import BenchError
from rig.instruments import ArmOptions
from rig.target.link import AgentLink
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.image import build_image
from rig.virtual.guest.target import GuestTarget
from tests.guest.test_handlers import RESPONSE, ROOT, Bench

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
COUNT, RING = 6000, 2000
PERIODS = {"period_ns": "100000", "count": str(COUNT)}
"""Less than the kernel takes to pass 4 KiB, all that it would keep, to the serial port at once."""


def test_every_period_of_a_long_run_is_in_the_log() -> None:
    subprocess.run(["make", "--silent", "-C", ROOT / "targets/qemu"], check=True, timeout=120)
    image = build_image(VirtualGuest("debian", "kmod", "idle"), threading.Event(), print)
    wires, parts = AnswerWires(RESPONSE, ()), []
    with GuestTarget.boot(image, wires, threading.Event(), print) as guest:
        bench = Bench(guest)
        try:
            with AgentLink.open("127.0.0.1", guest.port) as agent:
                room = agent.check(ArmOptions("period", 10**8, 0, PERIODS))
                assert room is not None
                assert room.streams
                assert 10**6 < room.records < 256 * 2**20 / 2 / 40
                with pytest.raises(BenchError, match="leave out timer"):
                    agent.check(ArmOptions("period", 1, 0, PERIODS | {"timer": "itimer"}))
                agent.arm(ArmOptions("period", RING, 0, PERIODS, stream=True))
                read = 0
                while read < COUNT - RING // 2:
                    parts.append(agent.log(read, 200))
                    read += len(parts[-1])
                with pytest.raises(BenchError, match="the log cannot be read"):
                    agent.log(0, 1)
                summary = agent.stop()
                while read < summary.records:
                    parts.append(agent.log(read, COUNT))
                    read += len(parts[-1])
        finally:
            bench.close()
    log = np.concatenate(parts)
    assert (summary.dropped, len(log)) == (0, summary.records)
    assert log["sequence"].tolist() == list(range(len(log)))
    assert np.all(np.diff(log["handled"].astype(np.int64)) == 1)
    assert np.all(log["after_ticks"][:-1] < log["before_ticks"][1:])
    edges = sum(channel == RESPONSE for _, channel, _ in bench.edges)
    assert edges >= len(log)
