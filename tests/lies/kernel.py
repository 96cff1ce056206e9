# SPDX-License-Identifier: GPL-3.0-or-later
"""What a kernel's handler does beyond a modelled target: the task that it interrupted goes on, and
interrupts are made by the target's own trigger pin, wired to its own line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rig.config.virtual.bench import VirtualTarget
from rig.instruments import LOG_OF_TASK, LOG_SPAN, LOG_TASK, LOG_TRIGGER, TargetSummary
from rig.virtual.clock import LEAD_PS, PeriodSchedule
from rig.virtual.target import ENTRY_PS, ModelledTarget
from rig.virtual.truth import ANSWERED, TRUTH, TruthLog
from tests.lies.agent import LyingPins
from tests.lies.lie import folder, truth_path

STIMULUS = 0
"""Channel of the interrupt line."""
EXIT_PS, TASK_PS = 300_000, 400_000
"""From the handler's pin to its exit, and from there to the task, at the least."""
PULSE_PS = 10_000_000


class RunTruth(TruthLog):
    """Keeps what was true of the run that goes on."""

    def __init__(self, path: Any) -> None:
        super().__init__(path)
        self.rows: list[list[int]] = []

    def add(self, row: list[int]) -> None:
        """As `TruthLog.add`."""
        self.rows.append(row)
        super().add(row)


class ToldTarget(ModelledTarget):
    """Answers as a kernel does, and writes the truth of each run when it is stopped."""

    def __init__(self, target: VirtualTarget, *others: Any, **more: Any) -> None:
        self._draws = np.random.default_rng(target.seed + 1)
        self._dispatches = False
        self._triggers: PeriodSchedule | None = None
        self._triggered = self._count = 0
        super().__init__(target, *others, **more)

    def begin(self, words: Mapping[str, str]) -> None:
        """Behind ARM, by its words."""
        with self._lock:
            self._dispatches = words["measurement"] == "interrupt_dispatch"
            self._triggers, self._triggered = None, 0
            if words.get("self_trigger") == "1":
                start_ps, period_ns = self._now_ps + LEAD_PS, int(words["period_ns"])
                self._triggers = PeriodSchedule(self._clock, self._tick_hz, start_ps, period_ns)
                self._count = int(words["count"])

    def _reset(self, capacity: int, sequence_bits: int, *, stream: bool = False) -> None:
        self._triggers = None
        if hasattr(self, "_truth") and isinstance(self._truth, RunTruth):
            self._truth.rows.clear()
        super()._reset(capacity, sequence_bits, stream=stream)

    def answers_ahead(self) -> None:
        """One by one, so that each can be answered falsely."""

    @property
    def eager(self) -> bool:
        """Also if it makes interrupts."""
        return super().eager or (self.armed and self._triggers is not None)

    def pass_until(self, now_ps: int) -> None:
        """As `ModelledTarget.pass_until`; its own interrupts come when they are due."""
        super().pass_until(now_ps)
        with self._lock:
            schedule = self._triggers
            while self.armed and schedule is not None and self._triggered < self._count:
                due_ps = schedule.due_ps(self._triggered + 1)
                if due_ps >= now_ps + LEAD_PS:
                    return
                self._trigger(due_ps + self._model.draw(due_ps))

    def _trigger(self, at_ps: int) -> None:
        self._triggered += 1
        before, after = self._stamps(at_ps)
        self._log.add(self._handled, before, after, LOG_TRIGGER)
        self._truth.add([at_ps, -1, before, after, self._handled, ANSWERED, 0, 0])
        assert isinstance(self._pins, LyingPins)
        self._pins.drive(at_ps, STIMULUS, 1)
        self._pins.drive(at_ps + PULSE_PS, STIMULUS, 0)
        self._interrupt(at_ps)

    def _stamps(self, at_ps: int) -> tuple[int, int]:
        shown_ps = at_ps - int(self._draws.random() * self._toggle_ps)
        after_ps = shown_ps + self._toggle_ps
        return self._clock.ticks(shown_ps), self._clock.ticks_at_or_after(after_ps)

    def _interrupt(self, time_ps: int) -> None:
        if not self._dispatches:
            super()._interrupt(time_ps)
            return
        latency_ps = self._model.draw(time_ps)
        self._handled += 1
        at_ps, entry_ps = time_ps + latency_ps, time_ps + min(ENTRY_PS, latency_ps // 2)
        exit_ps = at_ps + EXIT_PS
        before, after = self._clock.ticks(entry_ps), self._clock.ticks(exit_ps)
        self._log.add(self._handled, before, after, LOG_SPAN | LOG_OF_TASK)
        assert isinstance(self._pins, LyingPins)
        self._pins.write(at_ps, self._handled & ((1 << self._bits) - 1))
        on_ps = exit_ps + TASK_PS + self._model.draw(exit_ps)
        task_ps = on_ps + int(self._draws.random() * self._toggle_ps)
        begun = self._clock.ticks(on_ps)
        done = self._clock.ticks_at_or_after(on_ps + self._toggle_ps)
        self._log.add(self._handled, begun, done, LOG_TASK)
        self._pins.write_task(task_ps, self._handled & 1)
        self._truth.add([time_ps, at_ps, before, after, self._handled, ANSWERED, 0, 0])
        self._truth.add([exit_ps, on_ps, after, begun, self._handled, ANSWERED, 0, 0])
        self._truth.add([at_ps, task_ps, after, begun, self._handled, ANSWERED, 0, 0])

    @property
    def triggered(self) -> int | None:
        """Interrupts that it made itself; None: it makes none."""
        return None if self._triggers is None else self._triggered

    def stop(self) -> TargetSummary:
        """As `ModelledTarget.stop`."""
        end = super().stop()
        if isinstance(self._truth, RunTruth):
            np.save(truth_path(folder()), np.array([tuple(r) for r in self._truth.rows], TRUTH))
        return end
