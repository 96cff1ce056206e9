# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures on ICP1 against the edges that were fed, to the cycle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from rig.virtual.emulator import INPUTS_MAX, Emulator

from .port import Port, open_port, run_for_lines

Start = Callable[[str], Emulator]

CANCELER_OFF, CANCELER_ON = b"\x00", b"\x80"
FIRST_EDGE_TICKS = 10_000  # of capture.c
SERVE_CYCLES = 400
"""More than capture.c needs from one capture to being ready for the next."""
BATCH = 14
"""Captures that fit into the ring of capture.c."""


@dataclass(frozen=True)
class Captured:
    cycle: int
    rising: bool
    level: int


class Firmware:
    """capture.c, started, with the cycle of its timer's tick 0 known from its first compare."""

    def __init__(self, emulator: Emulator, port: Port, canceler: bytes) -> None:
        self.emulator = emulator
        self.port = port
        port.write(canceler)
        report = emulator.run(40_000)
        assert port.read() == b"GO\n"
        self.now = report.cycle
        self.zero_cycle = report.edges[0][0] - FIRST_EDGE_TICKS

    def feed(self, edges: list[tuple[int, int]], expected: int) -> list[Captured]:
        """Feed edges (cycle, level) and return the captures, also more than were expected."""
        inputs = [(at, 0, level) for at, level in edges]
        self.now = self.emulator.run(edges[-1][0] + 100, inputs=inputs).cycle
        text = b""
        quiet_until = self.now + 8_000
        while text.count(b"\n") < expected or self.now < quiet_until:
            assert self.now < edges[-1][0] + 10**6, text
            self.now = self.emulator.run(self.now + 16_000).cycle
            text += self.port.read()
        return [
            Captured(int(ticks, 16) + self.zero_cycle, marks[0:1] == b"R", int(marks[1:2]))
            for ticks, marks in (line.split() for line in text.splitlines())
        ]


def test_captures_are_exact_at_every_phase(start: Start) -> None:
    """Every phase against instructions, and against the timer's overflow, several times over."""
    emulator = start("capture")
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_OFF)
        level = 0
        for n in range(60):
            overflow = firmware.zero_cycle + 65_536 * (firmware.now // 65_536 + 2)
            first = overflow - 3 * SERVE_CYCLES + n - 30
            edges = []
            for i in range(BATCH):
                level ^= 1
                edges.append((first + i * (SERVE_CYCLES + 1), level))
            captured = firmware.feed(edges, BATCH)
            assert captured == [Captured(at, up == 1, up) for at, up in edges]


def test_a_capture_around_an_overflow_keeps_its_cycle(start: Start) -> None:
    emulator = start("capture")
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_OFF)
        for offset in range(-12, 12):
            overflow = firmware.zero_cycle + 65_536 * (firmware.now // 65_536 + 2)
            up, down = (overflow + offset, 1), (overflow + offset + 5000, 0)
            captured = firmware.feed([up, down], 2)
            assert [c.cycle for c in captured] == [up[0], down[0]]


def test_noise_canceler_needs_four_cycles_and_takes_four(start: Start) -> None:
    emulator = start("capture")
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_ON)
        for width in (1, 2, 3):
            at = firmware.now + 1000
            assert firmware.feed([(at, 1), (at + width, 0)], 0) == []
        at = firmware.now + 1000
        # Long enough by just so much; the fall comes too soon for the firmware to capture it too.
        assert firmware.feed([(at, 1), (at + 4, 0)], 1) == [Captured(at + 4, True, 0)]
        at = firmware.now + 1000
        assert firmware.feed([(at, 1), (at + 1000, 0)], 1) == [Captured(at + 1004, False, 0)]


def cancel_noise(edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The noise canceler cycle by cycle: four samples in a row, equal to each other, pass."""
    changes = dict(edges)
    raw = accepted = equal = 0
    passed = []
    for at in range(edges[0][0] - 8, edges[-1][0] + 8):
        if equal >= 4 and raw != accepted:
            accepted = raw
            passed.append((at, accepted))
        if at in changes and changes[at] != raw:
            raw = changes[at]
            equal = 0
        equal += 1
    return passed


@st.composite
def noisy_lines(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Edges from cycle 0: slow ones, each among glitches of a few cycles. Ends low."""
    at = 0
    level = 0
    edges = []
    for _ in range(draw(st.integers(1, 3)) * 2):
        for _ in range(draw(st.integers(0, 2))):
            width = draw(st.integers(1, 3))
            edges += [(at, level ^ 1), (at + width, level)]
            at += width + draw(st.integers(4, 40))
        level ^= 1
        edges.append((at, level))
        at += draw(st.integers(SERVE_CYCLES, 3 * SERVE_CYCLES))
    return edges


def test_noise_canceler_on_noisy_lines(start: Start) -> None:
    emulator = start("capture")
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_ON)

        @settings(max_examples=60, database=None)
        @given(noisy_lines())
        def check(line: list[tuple[int, int]]) -> None:
            edges = [(firmware.now + 1000 + at, level) for at, level in line]
            expected = cancel_noise(edges)
            captured = firmware.feed(edges, len(expected))
            assert [(c.cycle, int(c.rising)) for c in captured] == expected

        check()


def test_an_edge_just_past_keeps_its_cycle(start: Start) -> None:
    """A response closer than an instruction: queued after the stop at the stimulus edge."""
    emulator = start("capture")
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_OFF)
        past = 0
        for n in range(40):
            report = emulator.run(firmware.now + 200_000, stop_rising=True, stop_falling=True)
            assert report.edges
            stimulus = report.edges[-1][0]
            latency = n % 4
            past += stimulus + latency < report.cycle
            captured = firmware.feed([(stimulus + latency, 1), (stimulus + 5000, 0)], 2)
            assert [c.cycle - stimulus for c in captured] == [latency, 5000]
        assert past > 0


def test_inputs_are_sorted_kept_over_grants_and_may_repeat_a_level(start: Start) -> None:
    emulator = start("capture")
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_OFF)
        at = firmware.now
        late_first = [(at + 9000, 0, 0), (at + 1000, 0, 1)]
        emulator.run(at + 10, inputs=late_first)
        emulator.run(at + 20, inputs=[(at + 5000, 0, 1), (at + 12_000, 0, 0)])
        lines = run_for_lines(emulator, port, 2, at + 100_000)
        cycles = [int(line.split()[0], 16) + firmware.zero_cycle for line in lines]
        assert cycles == [at + 1000, at + 9000]


def test_as_many_inputs_as_a_grant_can_carry(start: Start) -> None:
    emulator = start("capture")
    with open_port(emulator.pty) as port:
        firmware = Firmware(emulator, port, CANCELER_OFF)
        first = firmware.now + 1000
        inputs = [(first + 10_000 * n, 0, (n + 1) % 2) for n in range(INPUTS_MAX)]
        emulator.run(first, inputs=inputs)
        text = b""
        for n in range(0, INPUTS_MAX + 100, 10):
            emulator.run(first + 10_000 * n)
            text += port.read()
        ticks = [int(line.split()[0], 16) for line in text.splitlines()]
        assert [t + firmware.zero_cycle for t in ticks] == [at for at, _, _ in inputs]
