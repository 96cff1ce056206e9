# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel module's own handlers, asked for by the agent's line protocol, with the bench's edges.

They need the interrupt that parport_pc otherwise holds: these guests load it with irq=none. Slow:
each test boots a kernel.
"""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

from rig.config.virtual.bench import VirtualGuest
from rig.instruments import ArmOptions, LogArray
from rig.target.link import AgentLink
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.image import GuestImage, build_image
from rig.virtual.guest.target import GuestTarget
from rig.virtual.wired_target import WireEdge

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
ROOT = Path(__file__).parents[2]
RESPONSE = 1
COUNT = 200
PERIOD_PS, WIDTH_PS, STRETCH_PS = 700_000_000, 10_000_000, 500_000_000


def image_without_irq(kernel: str) -> GuestImage:
    guest = VirtualGuest(kernel, "kmod", "idle", driver_irq=False)
    return build_image(guest, threading.Event(), print)


class Bench:
    """Lets the guest's time pass on a thread of its own, with pulses while they are asked for."""

    def __init__(self, guest: GuestTarget) -> None:
        self.edges: list[WireEdge] = []
        self._guest, self._left, self._next_ps = guest, 0, 0
        self.idle = threading.Event()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def pulses(self, count: int) -> None:
        """Until all are sent and answered."""
        self.idle.clear()
        self._left = count
        while not self.idle.wait(0.1):
            assert self._thread.is_alive()

    def close(self) -> None:
        self._ended.set()
        self._thread.join(60)

    def _run(self) -> None:
        now_ps = 0
        while not self._ended.is_set():
            end_ps = now_ps + STRETCH_PS
            if self._left and self._next_ps < now_ps:
                self._next_ps = now_ps
            while self._left and self._next_ps + WIDTH_PS < end_ps:
                self._guest.on_stimulus(self._next_ps, 1)
                self._guest.on_stimulus(self._next_ps + WIDTH_PS, 0)
                self._next_ps += PERIOD_PS
                self._left -= 1
            self._guest.pass_until(end_ps)
            self.edges += self._guest.take_edges(end_ps)
            now_ps = end_ps
            if not self._left and now_ps > self._next_ps + PERIOD_PS:
                self.idle.set()


def answered(kernel: str, measurement: str, options: dict[str, str]) -> tuple[LogArray, np.ndarray]:
    """(log, times of the response's edges in ns) of COUNT pulses."""
    for folder in ("qemu", "agent"):
        make = ["make", "--silent", "-C", ROOT / "targets" / folder]
        subprocess.run(make, check=True, timeout=120)
    stop = threading.Event()
    wires = AnswerWires(RESPONSE, ())
    with GuestTarget.boot(image_without_irq(kernel), wires, stop, print) as guest:
        bench = Bench(guest)
        try:
            with AgentLink.open("127.0.0.1", guest.port) as agent:
                agent.arm(ArmOptions(measurement, 4 * COUNT, 0, options))
                bench.pulses(COUNT)
                summary = agent.stop()
                log = agent.log(0, 4 * COUNT)
        finally:
            bench.close()
    assert summary.handled == COUNT
    times_ps = [time_ps for time_ps, channel, _ in bench.edges if channel == RESPONSE]
    return log, np.array(times_ps, np.int64) // 1000


@pytest.mark.parametrize("kernel", ["debian", "debian-rt"])
@pytest.mark.parametrize(
    ("measurement", "options"),
    [
        ("interrupt", {"handler": "hard"}),
        ("interrupt", {"handler": "default"}),
        ("interrupt_to_task", {"handler": "hard", "second_level": "workqueue", "priority": "0"}),
        ("interrupt_to_task", {"handler": "hard", "second_level": "tasklet", "priority": "0"}),
    ],
    ids=["hard", "default", "workqueue", "tasklet"],
)
def test_own_handlers(kernel: str, measurement: str, options: dict[str, str]) -> None:
    log, edge_ns = answered(kernel, measurement, options)
    edge_ns = edge_ns[-len(log) :]  # the kernel tries the pins while it takes the port
    assert len(log) == len(edge_ns) == COUNT
    assert log["handled"].tolist() == list(range(1, COUNT + 1))
    # One constant puts every edge between its record's ticks.
    least = (log["before_ticks"].astype(np.int64) - edge_ns).max()
    most = (log["after_ticks"].astype(np.int64) - edge_ns).min()
    assert 0 <= most - least < 200
