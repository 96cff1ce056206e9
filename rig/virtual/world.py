# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench's one time line: emulated microcontroller, wires, target and analyzer.

The loop grants the emulator a stretch of virtual time; the emulator stops early at each stimulus
edge, so that the target's answer reaches the microcontroller's input capture at its exact time.
A target that cannot answer at once, a guest, follows to the emulator's `now` instead, and its
answers reach the input capture late but with their exact time. Everything that happened up to the
emulator's `now` is then final and goes to the analyzer.

Virtual time runs as fast as the machine allows while a pulse train is running, while periods of the
target's own are being recorded, or while the serial line is busy; a slow reader of the samples
holds it back. With nothing to do it keeps to real time.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from time import monotonic

from rig.virtual.analyzer import VirtualAnalyzer
from rig.virtual.clock import PS_PER_S, Clock
from rig.virtual.delays import DelayLines
from rig.virtual.dropper import Dropper
from rig.virtual.emulator import Emulator, Report
from rig.virtual.jumpers import JumperWires
from rig.virtual.sampling import UnevenSamples
from rig.virtual.wired import WiredTarget, WireEdge
from rig.virtual.wiring import Wiring

CPU_HZ = 16_000_000
BUSY_STRIDE = CPU_HZ // 250
IDLE_STRIDE = CPU_HZ // 2000
HOLD_AFTER = CPU_HZ // 1000
"""A train does not outrun a host that owes the microcontroller a word by more than this."""
HOLD_MS = 2000


@dataclass(frozen=True)
class Parts:
    """What is on the bench."""

    emulator: Emulator
    analyzer: VirtualAnalyzer
    target: WiredTarget
    dropper: Dropper
    stimulus_channel: int
    wiring: Wiring
    delays: DelayLines
    jumpers: JumperWires
    samples: UnevenSamples


class World:
    """Advances virtual time until told to stop."""

    def __init__(
        self,
        parts: Parts,
        stimulus_error_ppb: int,
        stop: threading.Event,
        stimulus_drift_ppb_per_s: int = 0,
    ) -> None:
        self._parts = parts
        self._clock = Clock(CPU_HZ, stimulus_error_ppb, drift_ppb_per_s=stimulus_drift_ppb_per_s)
        self._stop = stop
        self._cycle = 0
        self._train = False
        self._looped: list[tuple[int, int, int]] = []
        """Stimulus edges on their way back to the input capture."""
        self._pace = _Pace()

    def run(self) -> None:
        """Loop. Raises BenchError if the emulator dies."""
        busy = True
        while not self._stop.is_set():
            report = self._grant(BUSY_STRIDE if busy else IDLE_STRIDE)
            self._cycle, self._train = report.cycle, report.train_armed
            # An edge may lie on the very cycle of the report: the stretch ends just behind it.
            now_ps = self._clock.time_ps(report.cycle) + 1
            happened = self._happened(report, now_ps)
            arrived = self._parts.delays.through(happened, now_ps)
            analyzer = self._parts.analyzer
            analyzer.emit(self._parts.samples.through(arrived, now_ps, analyzer.capture), now_ps)
            busy = (
                report.train_armed
                or report.transmitting
                or report.pending_input
                or self._parts.target.busy
                or (self._parts.target.eager and self._parts.analyzer.streaming)
            )
            if busy:
                self._pace.reset()
            else:
                self._parts.analyzer.flush()
                self._pace.wait(now_ps, self._stop)

    def _grant(self, stride: int) -> Report:
        target = self._parts.target
        answers = [
            (self._clock.ticks_at_or_after(time_ps), 0, level)
            for time_ps, _, level in target.take_decided()
        ]
        loopback = self._parts.jumpers.loopback
        if self._parts.wiring.capture_open or loopback:
            answers = []
        if loopback:
            answers, self._looped = self._looped, []
        return self._parts.emulator.run(
            self._cycle + min(stride, target.stride_cycles),
            inputs=answers,
            stop_rising=loopback or (target.answers_at_once and target.rising),
            stop_falling=loopback or (target.answers_at_once and not target.rising),
            hold_ms=HOLD_MS if self._train else 0,
            hold_after_cycles=HOLD_AFTER,
        )

    def _happened(self, report: Report, now_ps: int) -> list[WireEdge]:
        """Everything on the wires up to now, in order."""
        target, channel = self._parts.target, self._parts.stimulus_channel
        edges = []
        for cycle, level in report.edges:
            time_ps = self._clock.time_ps(cycle)
            edges.append((time_ps, channel, level))
            if self._parts.jumpers.loopback:
                back_ps = self._parts.jumpers.answer_ps(time_ps)
                self._looped.append((self._clock.ticks_at_or_after(back_ps), 0, level))
            if not self._parts.wiring.interrupt_open:
                target.on_stimulus(time_ps, level)
            if level == target.rising:
                self._parts.dropper.on_stimulus(time_ps)
        target.pass_until(now_ps)
        edges += target.take_edges(now_ps)
        edges.sort()
        return self._parts.wiring.through(self._parts.jumpers.through(edges, now_ps), now_ps)


class _Pace:
    """Keeps virtual time to real time."""

    def __init__(self) -> None:
        self._origin: tuple[int, float] | None = None

    def reset(self) -> None:
        self._origin = None

    def wait(self, now_ps: int, stop: threading.Event) -> None:
        if self._origin is None:
            self._origin = now_ps, monotonic()
        start_ps, start_s = self._origin
        ahead_s = (now_ps - start_ps) / PS_PER_S - (monotonic() - start_s)
        if ahead_s > 0:
            stop.wait(ahead_s)
