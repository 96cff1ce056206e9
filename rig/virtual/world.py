# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual bench's one time line: emulated microcontroller, wires, target and analyzer.

The loop grants the emulator a stretch of virtual time. A target that knows beforehand how long its
next answers take tells the emulator, which makes them itself; for any other the emulator stops
early at each stimulus edge. Either way the answer reaches the microcontroller's input capture at
its exact time.
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

import numpy as np

from rig.virtual.clock import PPB, PS_PER_S, VirtualClock
from rig.virtual.delays import DelayLines
from rig.virtual.emulator import Emulator, EmulatorReport
from rig.virtual.jumpers import JumperWires
from rig.virtual.sample_dropper import SampleDropper
from rig.virtual.sampled_lines import SampledLines
from rig.virtual.sampling import UnevenSamples
from rig.virtual.wired_target import AnswersAhead, WiredTarget, WireEdge, WireEdges
from rig.virtual.wiring import VirtualWiring

BUSY_STRIDE_MS, IDLE_STRIDE_MS = 4, 2
AHEAD_STRIDE_MS = 400
"""The stride with answers known ahead, when there is nothing to stop for."""
HOLD_AFTER_MS = 1
"""The most by which a train outruns a host that owes the microcontroller a word."""
HOLD_MS = 2000


@dataclass(frozen=True)
class BenchParts:
    """The parts of the bench."""

    emulator: Emulator
    clock_hz: int
    """Nominal rate of the emulated chip's clock."""
    analyzer: SampledLines
    target: WiredTarget
    dropper: SampleDropper
    stimulus_channel: int
    wiring: VirtualWiring
    delays: DelayLines
    jumpers: JumperWires
    samples: UnevenSamples

    @property
    def answers_in_emulator(self) -> bool:
        """Whether interrupts reach the target, and its answers the input capture, at once."""
        wiring = self.wiring
        return not (
            wiring.interrupt_open
            or wiring.capture_open
            or wiring.capture_is_late
            or self.jumpers.loopback
        )

    @property
    def wires_are_plain(self) -> bool:
        """Whether the analyzer is shown just what the pins do."""
        return self.wiring.plain and self.jumpers.plain and self.delays.plain and self.samples.plain


class World:
    """Advances virtual time until told to stop."""

    def __init__(
        self,
        parts: BenchParts,
        stimulus_error_ppb: int,
        stop: threading.Event,
        stimulus_drift_ppb_per_s: int = 0,
    ) -> None:
        self._parts = parts
        self._cycles_per_ms = parts.clock_hz // 1000
        self._clock = VirtualClock(
            parts.clock_hz, stimulus_error_ppb, drift_ppb_per_s=stimulus_drift_ppb_per_s
        )
        self._clock_ppb = PPB + stimulus_error_ppb
        self._can_answer_ahead = parts.answers_in_emulator and not stimulus_drift_ppb_per_s
        self._stop = stop
        self._cycle = 0
        self._train = False
        self._looped: list[tuple[int, int, int]] = []
        """Stimulus edges on their way back to the input capture."""
        self._pace = _Pace()

    def run(self) -> None:
        """Run the loop until the end. Raises BenchError if the emulator dies."""
        busy = True
        while not self._stop.is_set():
            ahead = self._answers_ahead()
            report = self._grant(BUSY_STRIDE_MS if busy else IDLE_STRIDE_MS, ahead)
            self._cycle, self._train = report.cycle, report.train_armed
            # An edge may lie on the very cycle of the report: the stretch ends just behind it.
            now_ps = self._clock.time_ps(report.cycle) + 1
            if ahead is None:
                self._show(self._happened(report, now_ps), now_ps)
            else:
                self._show_many(self._answered(report, ahead, now_ps), now_ps)
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

    def _answers_ahead(self) -> AnswersAhead | None:
        """Return the target's next answers, if it knows them and a train runs."""
        if not self._train or not self._can_answer_ahead:
            return None
        return self._parts.target.answers_ahead()

    def _grant(self, stride_ms: int, ahead: AnswersAhead | None) -> EmulatorReport:
        target = self._parts.target
        late_ps = self._parts.wiring.capture_delay_ps
        answers = [
            (self._clock.ticks_at_or_after(time_ps + late_ps(level)), 0, level)
            for time_ps, _, level in target.take_decided()
        ]
        loopback = self._parts.jumpers.loopback
        if self._parts.wiring.capture_open or loopback:
            answers = []
        if loopback:
            answers, self._looped = self._looped, []
        if ahead is not None:
            stride_ms = AHEAD_STRIDE_MS
        stops = loopback or (target.answers_at_once and ahead is None)
        return self._parts.emulator.run(
            self._cycle + min(stride_ms * self._cycles_per_ms, target.stride_cycles),
            inputs=answers,
            stop_rising=stops and (loopback or target.rising),
            stop_falling=stops and (loopback or not target.rising),
            hold_ms=HOLD_MS if self._train else 0,
            hold_after_cycles=HOLD_AFTER_MS * self._cycles_per_ms,
            answers=ahead,
            clock_ppb=self._clock_ppb,
        )

    def _answered(self, report: EmulatorReport, ahead: AnswersAhead, now_ps: int) -> WireEdges:
        """Return the edges, as `_happened`, of a stretch in which the emulator made the answers."""
        target = self._parts.target
        cycles, levels = report.stimuli
        times_ps = self._clock.times_ps_of(cycles)
        interrupts_ps = times_ps[levels == ahead.rising]
        answers_ps = report.answers_ps
        target.answered(interrupts_ps[: len(answers_ps)], answers_ps)
        for time_ps in interrupts_ps[len(answers_ps) :].tolist():
            target.on_stimulus(time_ps, int(ahead.rising))
        if self._parts.dropper.drops:
            for time_ps in interrupts_ps.tolist():
                self._parts.dropper.on_stimulus(time_ps)
        target.pass_until(now_ps)
        channel = np.full(len(times_ps), self._parts.stimulus_channel, np.uint8)
        stimuli = WireEdges(times_ps, channel, levels)
        others = WireEdges.of(target.take_edges(now_ps))
        return WireEdges.joined([stimuli, target.take_many(now_ps), others])

    def _show_many(self, edges: WireEdges, now_ps: int) -> None:
        """Send edges to the analyzer, one by one only where something on the way asks for it."""
        if self._parts.wires_are_plain:
            self._parts.analyzer.emit_many(edges, now_ps)
            return
        parts = self._parts
        wires = parts.wiring.through(parts.jumpers.through(edges.listed(), now_ps), now_ps)
        self._show(wires, now_ps)

    def _show(self, edges: list[WireEdge], now_ps: int) -> None:
        """Send edges on the wires to the analyzer."""
        arrived = self._parts.delays.through(edges, now_ps)
        analyzer = self._parts.analyzer
        analyzer.emit(self._parts.samples.through(arrived, now_ps, analyzer.capture), now_ps)

    def _happened(self, report: EmulatorReport, now_ps: int) -> list[WireEdge]:
        """Return the edges on the wires up to now, in order."""
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
        edges += target.take_many(now_ps).listed()
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
