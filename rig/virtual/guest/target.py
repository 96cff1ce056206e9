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
from time import monotonic

from rig.closing import Closing
from rig.errors import BenchError
from rig.instruments import Int64Array
from rig.resources import guest_plugin
from rig.virtual.answer_pins import AnswerWires
from rig.virtual.guest.board import MachineBoard
from rig.virtual.guest.bridge import AgentBridge
from rig.virtual.guest.commands import Say
from rig.virtual.guest.image import GuestImage
from rig.virtual.guest.machine import Machine
from rig.virtual.guest.timeline import TimeLine
from rig.virtual.wired_target import AnswersAhead, WireEdge, WireEdges

SLICE_CYCLES = 8_000
"""The largest distance at which the guest follows the microcontroller, 0.5 ms."""
RESPONSE_DELAY_CYCLES = SLICE_CYCLES + 2_000
"""The delay of the guest's answers to the microcontroller, captured with their own time: a
slice, the instruction that crosses its end, and a margin."""

EDGE_LATE_MAX_NS = 100
"""The bound of an edge's lateness: it is fed between two instructions, some nanoseconds late."""

_BOOT_STRETCH_NS = 20_000_000
_MEETING_STRETCH_NS = 200_000_000
_MEETING_S = 1.0
"""Sleep passes at once. If it does not, the guest is not idle, and its train begins as it is; the
host waits for the microcontroller meanwhile, and not for long."""
_BOOT_LIMIT_NS = 120 * 10**9
_GREETING = b"HELLO\n"
_GREETING_STRETCHES = 25
_GREETINGS = 20
_REPLY_LIMIT_NS = 20 * 10**9
"""The time, its own, after which an agent that sends nothing has hung."""
_LINGER_NS = 50_000_000
"""The time after the last byte on the agent's link in which real time is not yet waited for."""


class GuestTarget(Closing):
    """Implements rig.virtual.wired_target.WiredTarget. A context manager that ends the guest."""

    rising = True
    """Whether the interrupt comes with the line's rising edge."""
    answers_at_once = False
    stride_cycles = SLICE_CYCLES

    def __init__(
        self,
        machine: Machine,
        wires: AnswerWires,
        trigger_channel: int | None = None,
        *,
        idle: bool = False,
    ) -> None:
        """`machine` has booted: the bench's time 0 is its now. `close` ends it.

        `trigger_channel` is that of the interrupt line, if the trigger pin is wired to it. A guest
        that is `idle` sleeps until a train can meet it as it met it in every other run.
        """
        self._machine = machine
        self._time = TimeLine(machine.now_ns)
        self._now_ps = 0
        self._idle, self._met = idle, False
        self._channels = _channels(machine.board, wires, trigger_channel)
        self._response = machine.board.response
        self._trigger = None if trigger_channel is None else machine.board.trigger
        self._driving = [0, 0]
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
        cls,
        image: GuestImage,
        wires: AnswerWires,
        stop: threading.Event,
        say: Say,
        trigger_channel: int | None = None,
    ) -> GuestTarget:
        """Start the machine and wait until its agent answers. Raises BenchError, InputError."""
        _channels(image.board, wires, trigger_channel)  # a mistake is told before the boot
        wired = trigger_channel is not None
        with ExitStack() as stack:
            machine = stack.enter_context(Machine.start(image, guest_plugin(), self_trigger=wired))
            say(f"booting {image.release}")
            _boot(machine, stop)
            _greet(machine, stop)
            stack.pop_all()
        idle = "rig.load=idle" in image.options.split()
        return cls(machine, wires, trigger_channel, idle=idle)

    # --- the wires' side --------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether the host and the agent are talking: no need to keep to real time."""
        return self._bridge.guest_owes or self._machine.now_ns - self._moved_ns < _LINGER_NS

    @property
    def eager(self) -> bool:
        """Whether the agent answers periods."""
        return self._bridge.periods

    def answers_ahead(self) -> AnswersAhead | None:
        """Return None: a real kernel does not tell its answers ahead."""
        return None

    def answered(self, stimulus_ps: Int64Array, response_ps: Int64Array) -> None:
        """Do nothing: no answers are known ahead."""

    def take_many(self, until_ps: int) -> WireEdges:  # noqa: ARG002 - there are none
        """Do nothing: no answers are known ahead."""
        return WireEdges.of(())

    def on_stimulus(self, time_ps: int, level: int) -> None:
        """An edge arrives at the interrupt line."""
        self._arriving.append((time_ps, level))

    def pass_until(self, now_ps: int) -> None:
        """Let the guest follow. Raises BenchError if it cannot."""
        if self._arriving and self._idle and not self._met and not self._bridge.guest_owes:
            self._meet(self._arriving[0][0])
        arriving = [(self._time.guest_ns(time_ps), level) for time_ps, level in self._arriving]
        self._arriving = []
        report = self._machine.run(self._time.guest_ns(now_ps), arriving)
        if report.edge_late_max_ns > EDGE_LATE_MAX_NS:
            raise BenchError(
                f"a stimulus edge reached the guest {report.edge_late_max_ns} ns late; its time "
                "line is broken, this is a fault of the virtual bench"
            )
        if self._trigger is not None:
            self._refuse_contention(self._trigger, arriving, report.writes)
        for time_ns, data in report.writes:
            self._write(self._time.bench_ps(time_ns), data)
        self._now_ps = now_ps
        self._watch_agent()

    def take_edges(self, until_ps: int) -> list[WireEdge]:
        """Edges of the guest's pins before a time, in order."""
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

    def _meet(self, edge_ps: int) -> None:
        """The bench's time stands while the guest's goes on to where the first edge is due."""
        due_ns = self._time.meet(edge_ps, self._now_ps, self._machine.now_ns)
        end_s = monotonic() + _MEETING_S
        while self._machine.now_ns < due_ns and monotonic() < end_s:
            report = self._machine.run(min(due_ns, self._machine.now_ns + _MEETING_STRETCH_NS))
            for _, data in report.writes:
                self._write(self._now_ps, data)
        if self._machine.now_ns < due_ns:
            self._time.go_on(self._now_ps, self._machine.now_ns)
        self._met = True

    def _write(self, time_ps: int, data: int) -> None:
        changed, self._data = data ^ self._data, data
        for pin, channel in self._channels:
            if changed >> pin & 1:
                self._edges.append((time_ps, channel, data >> pin & 1))
                if pin == self._response:
                    self._answers.append((time_ps, channel, data >> pin & 1))

    def _refuse_contention(
        self, pin: int, stimuli: list[tuple[int, int]], writes: list[tuple[int, int]]
    ) -> None:
        """Two outputs that drive the interrupt line at a time: on a bench they would fight."""
        edges = [(time_ns, 0, level) for time_ns, level in stimuli]
        edges += [(time_ns, 1, data >> pin & 1) for time_ns, data in writes]
        for time_ns, source, level in sorted(edges):
            self._driving[source] = level
            if all(self._driving):
                at_ns = self._time.bench_ps(time_ns) // 1000
                raise BenchError(
                    "stimulus and target drive the interrupt line at the same time, "
                    f"{at_ns} ns after the bench's start; a target that triggers itself needs an "
                    "idle stimulus"
                )

    def _watch_agent(self) -> None:
        owes = self._bridge.guest_owes  # first: see the bridge
        now_ns, moved = self._machine.now_ns, self._bridge.moved
        if moved != self._moved:
            self._moved, self._moved_ns = moved, now_ns
            self._met = False
        elif owes and now_ns - self._moved_ns > _REPLY_LIMIT_NS:
            raise BenchError(
                "the guest hangs: its agent has been silent for "
                f"{_REPLY_LIMIT_NS // 10**9} s of its own time after a line of the host"
            )


def _channels(
    board: MachineBoard, wires: AnswerWires, trigger_channel: int | None
) -> tuple[tuple[int, int], ...]:
    """Pin and channel of each wire. Raises InputError if the board lacks a pin."""
    others = [(board.trigger, trigger_channel), (board.task, wires.task)]
    used = [(pin, channel) for pin, channel in others if channel is not None]
    sequence = board.sequence_pins(len(wires.sequence), [pin for pin, _ in used])
    return ((board.response, wires.response), *zip(sequence, wires.sequence, strict=True), *used)


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
    """Greet the agent until it answers: what it is sent before it has opened its port is lost."""
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
