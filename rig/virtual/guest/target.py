# SPDX-License-Identifier: GPL-3.0-or-later
"""The guest as a target on the virtual bench's one time line.

The microcontroller runs ahead by a slice, for its train does not depend on the answers; the guest
follows to the same time, and what its pins did meanwhile goes to the analyzer at its exact time.
"""

from __future__ import annotations

import socket
import threading
from collections import deque
from contextlib import ExitStack

from rig.closing import Closing
from rig.errors import BenchError
from rig.resources import guest_plugin
from rig.virtual.guest.bridge import AgentBridge
from rig.virtual.guest.image import GuestImage
from rig.virtual.guest.kernel import Say
from rig.virtual.guest.machine import Machine
from rig.virtual.target import AnswerWires
from rig.virtual.wired import WireEdge

SLICE_CYCLES = 8_000
"""The guest follows the microcontroller at this distance at most, 0.5 ms."""
RESPONSE_DELAY_CYCLES = SLICE_CYCLES + 2_000
"""So much later do the guest's answers reach the microcontroller, captured with their own time: a
slice, the instruction that crosses its end, and a margin."""

EDGE_LATE_MAX_NS = 100
"""An edge is fed between two instructions, a few nanoseconds late."""

PS_PER_NS = 1000
_BOOT_STRETCH_NS = 20_000_000
_BOOT_LIMIT_NS = 120 * 10**9
_GREETING = b"HELLO\n"
_GREETING_STRETCHES = 25
_GREETINGS = 20
_REPLY_LIMIT_NS = 20 * 10**9
"""An agent that says nothing for so much of its own time has hung."""
_LINGER_NS = 50_000_000
"""After the last byte on the agent's link, virtual time does not wait for real time yet."""


class GuestTarget(Closing):
    """Implements rig.virtual.wired.WiredTarget. A context manager that ends the guest."""

    rising = True
    """The port's interrupt comes with nACK's rising edge."""
    answers_at_once = False
    stride_cycles = SLICE_CYCLES

    def __init__(self, machine: Machine, wires: AnswerWires) -> None:
        """`machine` has booted: the bench's time 0 is its now. `close` ends it."""
        self._machine = machine
        self._origin_ns = machine.now_ns
        self._channels = (wires.response, *wires.sequence)
        self._data = 0
        self._arriving: list[tuple[int, int]] = []
        self._edges: deque[WireEdge] = deque()
        self._answers: list[WireEdge] = []
        self._moved, self._moved_ns = 0, 0
        self._write(0, machine.data)  # the kernel has tried the pins while it booted
        self._bridge = AgentBridge(machine.serial)
        self.port = self._bridge.port
        self.pid = machine.pid

    @classmethod
    def boot(
        cls, image: GuestImage, wires: AnswerWires, stop: threading.Event, say: Say
    ) -> GuestTarget:
        """Start the machine and wait until its agent answers. Raises BenchError, InputError."""
        with ExitStack() as stack:
            machine = stack.enter_context(Machine.start(image, guest_plugin()))
            say(f"booting {image.release}")
            _boot(machine, stop)
            _greet(machine, stop)
            stack.pop_all()
        return cls(machine, wires)

    # --- the wires' side --------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """The host and the agent are talking: no need to keep to real time."""
        return self._bridge.guest_owes or self._machine.now_ns - self._moved_ns < _LINGER_NS

    def on_stimulus(self, time_ps: int, level: int) -> None:
        """An edge arrives at nACK."""
        self._arriving.append((self._guest_ns(time_ps), level))

    def pass_until(self, now_ps: int) -> None:
        """Let the guest follow. Raises BenchError if it cannot."""
        arriving, self._arriving = self._arriving, []
        report = self._machine.run(self._guest_ns(now_ps), arriving)
        if report.edge_late_max_ns > EDGE_LATE_MAX_NS:
            raise BenchError(
                f"a stimulus edge reached the guest {report.edge_late_max_ns} ns late; its time "
                "line is broken, this is a fault of the virtual bench"
            )
        for time_ns, data in report.writes:
            self._write((time_ns - self._origin_ns) * PS_PER_NS, data)
        self._watch_agent()

    def take_edges(self, until_ps: int) -> list[WireEdge]:
        """Edges of the answering pins before a time, in order."""
        taken = []
        while self._edges and self._edges[0][0] < until_ps:
            taken.append(self._edges.popleft())
        return taken

    def take_decided(self) -> list[WireEdge]:
        """Edges of the response pin since the last call, all of them past."""
        answers, self._answers = self._answers, []
        return answers

    def close(self) -> None:
        """End the guest; may be called twice."""
        self._bridge.close()
        self._machine.close()

    # --- what happens inside ----------------------------------------------------------------

    def _guest_ns(self, time_ps: int) -> int:
        return self._origin_ns - (-time_ps // PS_PER_NS)

    def _write(self, time_ps: int, data: int) -> None:
        """Bit 0 of the data register is the response, those above it the sequence."""
        changed, self._data = data ^ self._data, data
        for bit, channel in enumerate(self._channels):
            if changed >> bit & 1:
                self._edges.append((time_ps, channel, data >> bit & 1))
        if changed & 1:
            self._answers.append((time_ps, self._channels[0], data & 1))

    def _watch_agent(self) -> None:
        now_ns, moved = self._machine.now_ns, self._bridge.moved
        if moved != self._moved:
            self._moved, self._moved_ns = moved, now_ns
        elif self._bridge.guest_owes and now_ns - self._moved_ns > _REPLY_LIMIT_NS:
            raise BenchError(
                "the guest hangs: its agent has been silent for "
                f"{_REPLY_LIMIT_NS // 10**9} s of its own time after a line of the host"
            )


def _boot(machine: Machine, stop: threading.Event) -> None:
    while not machine.console.ready:
        if stop.is_set():
            raise BenchError("the virtual bench was ended while its guest booted")
        if machine.now_ns > _BOOT_LIMIT_NS:
            words = machine.console.last_words(0)
            raise BenchError(
                f"the guest has not booted after {_BOOT_LIMIT_NS // 10**9} s of its own time; "
                f"its last words: {words or 'none'}"
            )
        machine.run(machine.now_ns + _BOOT_STRETCH_NS)


def _greet(machine: Machine, stop: threading.Event) -> None:
    """Until the agent has opened its port, what it is told is lost: greet it until it answers."""
    serial = machine.serial
    heard = b""
    serial.setblocking(False)
    for _ in range(_GREETINGS):
        serial.send(_GREETING)
        for _ in range(_GREETING_STRETCHES):
            if stop.is_set():
                raise BenchError("the virtual bench was ended while its guest booted")
            machine.run(machine.now_ns + _BOOT_STRETCH_NS)
            heard += _available(serial)
            if heard.endswith(b"\n"):
                # Two greetings may have been answered: let the other answer pass too.
                machine.run(machine.now_ns + _BOOT_STRETCH_NS)
                _available(serial)
                serial.setblocking(True)
                return
    raise BenchError(f"the guest has booted, but its agent does not answer; it said {heard[:80]!r}")


def _available(serial: socket.socket) -> bytes:
    try:
        return serial.recv(1 << 16)
    except BlockingIOError:
        return b""
