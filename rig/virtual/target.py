# SPDX-License-Identifier: GPL-3.0-or-later
"""The modelled target: answers stimulus edges after a drawn latency, and tells the truth apart."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from rig.closing import Closing
from rig.config.virtual.bench import FaultSettings, VirtualTarget
from rig.instruments import LOG_ENTRY, LOG_OF, Int64Array, LogArray, TargetSummary
from rig.measurements.registry import SELF_MEASUREMENTS
from rig.virtual.answer_pins import AnswerPins, AnswerWires
from rig.virtual.busy_loop import BusyLoopTask, SpinMeans
from rig.virtual.clock import LEAD_PS, Counter, PeriodSchedule
from rig.virtual.fault_injection import FaultInjector
from rig.virtual.models import build_model
from rig.virtual.period_search import PeriodSearchTask
from rig.virtual.planned_answers import GivenAhead, entry_leads
from rig.virtual.self_measuring import InsideTask, Means
from rig.virtual.service import Service
from rig.virtual.target_log import TargetLog
from rig.virtual.task_set import TaskSetTask
from rig.virtual.tasks_beside import TasksBeside, clock_ns
from rig.virtual.truth import ANSWERED, MERGED, MISSED, TRUTH, TruthLog
from rig.virtual.wired_target import AnswersAhead, WireEdge, WireEdges

COUNT_MAX = 2**63 - 1
BOOT_TICKS = 3_600_000_000_000
"""The counter's start: the target has been up for a while."""
HOLD_S = 0.5
"""The longest time for which virtual time stands still, as the host does not read the log."""
BREATH_PS = 20_000_000
"""The time from one answer to the next: the handler is not entered again sooner."""
LEAD_MAX_TICKS = 1 << 32
PULSES_MAX, PULSE_WIDTH_US_MAX = 100, 100_000
PS_PER_US = 1_000_000
GLITCH_AFTER_PS = 15_000_000
ENTRY_PS = 500_000
"""The time from a taken interrupt to the handler's first instruction, unless it answers sooner."""

_Task = InsideTask | BusyLoopTask | TaskSetTask | PeriodSearchTask
_OWN_FORMS: dict[str, type[TaskSetTask | PeriodSearchTask]] = {
    "periodic_tasks": TaskSetTask,
    "period_search": PeriodSearchTask,
}
"""Tasks whose log has a form of its own."""

_NAMES = TRUTH.names or ()
_KIND, _DUPLICATES, _GLITCHES = (_NAMES.index(n) for n in ("kind", "duplicates", "glitches"))


class ModelledTarget(Closing):
    """Interrupt handler, answering pins and log of a target that exists only as a distribution.

    A rig.virtual.wired_target.WiredTarget for the bench's loop; the agent's thread calls the rest.
    """

    answers_at_once = True
    stride_cycles = 1 << 32  # the emulator stops at each edge anyway
    busy = False

    def __init__(
        self,
        target: VirtualTarget,
        misbehavior: FaultSettings,
        wires: AnswerWires,
        truth: TruthLog,
        cores_ahead_ps: Sequence[int] = (0,),
    ) -> None:
        rng = np.random.default_rng(target.seed)
        self._model = build_model(target.model, rng)
        self._rng = rng
        self._tick_hz = target.clock_hz
        self._counter = Counter(target, BOOT_TICKS)
        self._clock = self._counter.clock
        self._cores_ahead_ps, self._ahead_ps = tuple(cores_ahead_ps), cores_ahead_ps[0]
        self._toggle_ps = target.toggle_time_ps
        self._misbehavior = misbehavior
        self._faults = FaultInjector(misbehavior, rng)
        self._service = Service(target.service_time_ps)
        self._logs_entry = target.logs_entry
        self._pins = AnswerPins(wires)
        self._truth = truth
        self._lock = threading.Lock()
        self._ahead = GivenAhead(self._lock)
        self._log = TargetLog()
        self.log_records = target.log_records
        self._log_read = threading.Condition(self._lock)
        self.glitches = 0
        self.armed = False
        self.rising = True
        self._now_ps = 0
        self._reset(0, 0)

    def _reset(self, capacity: int, sequence_bits: int, *, stream: bool = False) -> None:
        self._log.begin(capacity, streamed=stream)
        self._bits = sequence_bits
        self._handled = 0
        self._free_ps = self._masked_ps = 0
        self._pending: list[int] | None = None
        self._faults.idle()
        self._service.idle()
        self._schedule: PeriodSchedule | None = None
        self._next_period, self._periods = 1, 0
        self._inside: _Task | None = None
        self._beside: TasksBeside | None = None

    def close(self) -> None:
        """Drop the log; may be called twice."""
        self._log.close()

    # --- the agent's side -------------------------------------------------------------------

    @property
    def processors(self) -> int:
        """Number of its processors, from 0."""
        return len(self._cores_ahead_ps)

    def arm(
        self,
        capacity: int,
        sequence_bits: int,
        *,
        rising: bool,
        cpu: int = 0,
        stream: bool = False,
        words: Mapping[str, str] | None = None,
    ) -> None:
        """Attach the handler. Raises ValueError for what the agent cannot do.

        `words`: those of an agent that has periodic tasks to run meanwhile.
        """
        start_ps = self._now_ps + LEAD_PS
        beside = None if words is None else TasksBeside(words, self._model.draw, start_ps)
        capacity += beside.records if beside else 0
        self._check(capacity, sequence_bits)
        if cpu >= len(self._cores_ahead_ps):
            raise ValueError(f"cpu {cpu} is not there; 0 to {len(self._cores_ahead_ps) - 1} are")
        with self._lock:
            self._ahead.settle()
            self._ahead_ps = self._cores_ahead_ps[cpu]
            self._reset(capacity, sequence_bits, stream=stream)
            self.armed, self.rising, self._beside = True, rising, beside

    def arm_periods(
        self,
        capacity: int,
        sequence_bits: int,
        *,
        period_ns: int,
        count: int,
        stream: bool = False,
    ) -> None:
        """Start a task that answers so many periods. Raises ValueError as `arm`."""
        self._check(capacity, sequence_bits)
        if not 10_000 <= period_ns <= 10**11 or not 1 <= count <= COUNT_MAX:
            raise ValueError(f"period_ns {period_ns} or count {count} is out of range")
        with self._lock:
            self._ahead.settle()
            self._reset(capacity, sequence_bits, stream=stream)
            start_ps = self._now_ps + LEAD_PS
            self._schedule = PeriodSchedule(self._clock, self._tick_hz, start_ps, period_ns)
            self._periods = count
            self.armed = True

    def arm_inside(
        self, name: str, capacity: int, sequence_bits: int, words: Mapping[str, str]
    ) -> None:
        """Start a measurement inside the target. Raises ValueError as `arm`."""
        self._check(capacity, sequence_bits)
        with self._lock:
            self._ahead.settle()
            count, start_ps = int(words.get("count", "0")), self._now_ps + LEAD_PS
            task: _Task
            if name in _OWN_FORMS:
                task = _OWN_FORMS[name](self._inside_means(), words, start_ps)
            elif SELF_MEASUREMENTS[name].spins:
                task = BusyLoopTask(self._spin_means(), words, start_ps, count)
            else:
                task = InsideTask(self._inside_means(), name, words, start_ps, count)
            self._reset(capacity, sequence_bits, stream=words.get("stream") == "1")
            self._inside, self.armed = task, True

    def _inside_means(self) -> Means:
        return Means(self._model.draw, self._clock, self._note, self._show, self._truth.add)

    def _spin_means(self) -> SpinMeans:
        return SpinMeans(
            self._model.draw, self._tick_hz, self._toggle_ps, self._toggle,
            self._log.add, self._truth.add,
        )  # fmt: skip

    def ended(self) -> bool:
        """Return whether a measurement inside the target has come to its count."""
        with self._lock:
            return self._inside is None or self._inside.over

    def _note(self, iteration: int, before: int, after: int, flags: int, task: int = 0) -> None:
        self._handled = iteration
        self._log.add(iteration, before, after, flags | (LOG_OF if task else 0), task)

    def _show(self, iteration: int, value_end_ps: int, flags: int) -> int:
        """Write an iteration to the pins; the agent reads its counter again before that."""
        self._handled = iteration
        at_ps = max(value_end_ps + self._toggle_ps + PS_PER_US, self._free_ps)
        before, after = self._answer(at_ps, flags)
        self._truth.add([value_end_ps, at_ps, before, after, iteration, ANSWERED, 0, 0])
        return at_ps + self._toggle_ps

    def _check(self, capacity: int, sequence_bits: int) -> None:
        if not 0 < capacity <= self.log_records:
            raise ValueError(f"capacity {capacity} is out of range 1 to {self.log_records}")
        if not 0 <= sequence_bits <= self._pins.sequence_wired:
            raise ValueError(
                f"{sequence_bits} sequence bits, {self._pins.sequence_wired} are wired"
            )

    def pulse(self, signal: str, count: int, width_us: int, sequence_bits: int) -> None:
        """Bring all answering pins low, then give one so many pulses; they come when time passes.

        Raises ValueError as the agent refuses it.
        """
        self._check(1, sequence_bits)
        names = ["response", *(f"sequence{bit}" for bit in range(sequence_bits))]
        if signal not in names:
            raise ValueError(f"signal must be one of {', '.join(names)}")
        if not 0 <= count <= PULSES_MAX or not 1 <= width_us <= PULSE_WIDTH_US_MAX:
            raise ValueError(f"count {count} or width_us {width_us} is out of range")
        with self._lock:
            if self.armed:
                raise ValueError("armed; send STOP first")
            at_ps = max(self._now_ps + LEAD_PS, self._free_ps)
            self._pins.idle(at_ps)
            width_ps = width_us * PS_PER_US
            self._free_ps = self._pins.pulse(at_ps, names.index(signal), count, width_ps)

    def set_counter_rate(self, factor: Fraction) -> None:
        """Set the counter's rate from now on. Raises ValueError while armed."""
        with self._lock:
            if self.armed:
                raise ValueError("armed; send STOP first")
            self._clock = self._counter.go_on(self._now_ps, factor)

    def stop(self) -> TargetSummary:
        """Detach the handler."""
        with self._lock:
            self._ahead.settle()
            if self.armed and self._beside is not None:
                self._log_tasks(self._beside)
            self.armed = False
            self._log_read.notify_all()
            records, dropped = self._log.count, self._log.dropped
            if isinstance(self._inside, TaskSetTask | PeriodSearchTask):
                return TargetSummary(self._inside.handled, records, dropped, self._inside.missed)
            return TargetSummary(self._handled, records, dropped)

    def log(self, first: int, count: int) -> LogArray:
        """Records of the log, fewer at its end."""
        with self._lock:
            if self.armed and not self._log.streamed:
                raise ValueError("armed; send STOP first")
            records = self._log.read(first, count, release=self.armed)
            self._log_read.notify_all()
            return records

    # --- the wires' side --------------------------------------------------------------------

    def answers_ahead(self) -> AnswersAhead | None:
        """Return the next answers; None if they depend on earlier interrupts, or on chance."""
        with self._lock:
            plain = self._faults.none and not self._service.limited
            depends = self.eager or self._beside is not None or not plain
            if not self.armed or depends or self._ahead.waiting:
                return None
            latency_ps = self._model.ahead()
            if not len(latency_ps):
                return None
            self._ahead.give()
            apart_ps = max(self._toggle_ps, BREATH_PS)
            level = self._pins.next_level
            return AnswersAhead(latency_ps, self._free_ps, apart_ps, self.rising, level)

    def answered(self, stimulus_ps: Int64Array, response_ps: Int64Array) -> None:
        """Take what came of the answers given ahead."""
        with self._lock:
            count = len(stimulus_ps)
            if count:
                latency_ps = self._model.ahead()[:count]
                self._model.skip(count)
                self._log_many(stimulus_ps, response_ps, latency_ps)
            self._ahead.happened()

    def _log_many(
        self, stimulus_ps: Int64Array, response_ps: Int64Array, latency_ps: Int64Array
    ) -> None:
        """Log interrupts as `_interrupt` does one."""
        count = len(stimulus_ps)
        handled = np.arange(self._handled + 1, self._handled + count + 1)
        early_ps = (self._rng.random(count) * self._toggle_ps).astype(np.int64)
        shown_ps = response_ps - early_ps + self._ahead_ps
        before = self._clock.ticks_of(shown_ps)
        after = self._clock.ticks_at_or_after_of(shown_ps + self._toggle_ps)
        flags = lead_ticks = np.zeros_like(before)
        if self._logs_entry:
            entry_ps = stimulus_ps + np.minimum(ENTRY_PS, latency_ps // 2) + self._ahead_ps
            flags, lead_ticks = entry_leads(self._clock, entry_ps, before, LEAD_MAX_TICKS)
        self._log.add_many(handled, before, after, flags, lead_ticks)
        self._truth.add_many(stimulus_ps, response_ps, (before, after), handled)
        self._pins.write_many(response_ps, handled & ((1 << self._bits) - 1))
        self._handled = int(handled[-1])
        self._free_ps = int(response_ps[-1]) + max(self._toggle_ps, BREATH_PS)

    def on_stimulus(self, time_ps: int, level: int) -> None:
        """A stimulus edge arrives at the interrupt pin."""
        with self._lock:
            timed = self._schedule is not None or self._inside is not None
            if self.armed and not timed and level == self.rising:
                self._interrupt(time_ps)

    @property
    def eager(self) -> bool:
        """Whether the target answers periods, or measures by itself."""
        return self.armed and (self._schedule is not None or self._inside is not None)

    def pass_until(self, now_ps: int) -> None:
        """Decide answers to periods, ahead; those to stimuli were decided at their edges."""
        with self._lock:
            self._now_ps = now_ps
            self._log_read.wait_for(self._log_has_room, HOLD_S)
            if self.armed and self._schedule is not None:
                self._wake_until(self._schedule, now_ps + LEAD_PS)
            if self.armed and self._inside is not None:
                self._inside.pass_until(now_ps + LEAD_PS)

    def _log_has_room(self) -> bool:
        """Return whether the host reads fast enough; virtual time waits for it."""
        return not self.armed or self._log.has_room

    def take_edges(self, until_ps: int) -> list[WireEdge]:
        """Edges of the answering pins before a time, in order."""
        with self._lock:
            return self._pins.take_edges(until_ps)

    def take_many(self, until_ps: int) -> WireEdges:
        """Return the edges of interrupts that were answered ahead, before a time, in order."""
        with self._lock:
            return self._pins.take_many(until_ps)

    def take_decided(self) -> list[WireEdge]:
        """Edges of the response pin decided since the last call, mostly still to come."""
        with self._lock:
            return self._pins.take_decided()

    # --- what happens inside ----------------------------------------------------------------

    def _interrupt(self, time_ps: int) -> None:
        if time_ps < self._masked_ps and self._pending is not None:
            # The line is still pending: this one is not seen as an interrupt of its own.
            self._pending[_KIND] = MERGED
            self._pending = [time_ps, *self._pending[1:]]
            self._pending[_KIND] = ANSWERED
            self._pending[_DUPLICATES] = self._pending[_GLITCHES] = 0
            self._truth.add(self._pending)
            return
        what = self._faults.choose()
        latency_ps = self._model.draw(time_ps)
        self._handled += 1
        if what == "miss":
            self._truth.add([time_ps, -1, 0, 0, self._handled, MISSED, 0, 0])
            return
        start_ps = self._service.take(time_ps)
        if what == "merge":
            start_ps = max(start_ps, time_ps + self._misbehavior.merge_mask_ps)
        self._masked_ps = start_ps
        entry_ps = start_ps + min(ENTRY_PS, latency_ps // 2)
        if what == "late":
            latency_ps += self._misbehavior.late_by_ps
        at_ps = max(start_ps + latency_ps, self._free_ps)
        if self._beside is not None:
            at_ps = self._beside.free_ps(at_ps)
        before, after = self._answer(at_ps, entry_ps=entry_ps)
        self._service.answered(start_ps, at_ps)
        if self._beside is not None:
            self._beside.answered(start_ps, at_ps, self._toggle_ps)
        self._pending = [time_ps, at_ps, before, after, self._handled, ANSWERED, 0, 0]
        self._truth.add(self._pending)
        if what == "duplicate":
            self._pending[_DUPLICATES] = 1
            again_ps = max(at_ps + self._misbehavior.duplicate_after_ps, self._free_ps)
            self._answer(again_ps, entry_ps=entry_ps)
        if what == "glitch":
            self._pending[_GLITCHES] = 1
            self._glitch(at_ps + GLITCH_AFTER_PS)

    def _log_tasks(self, tasks: TasksBeside) -> None:
        """Log what the tasks beside interrupts have done."""
        for value in tasks.values(self._now_ps):
            number = self._handled + value.number
            before, after = clock_ns(value.begin_ps), clock_ns(value.end_ps)
            self._log.add(number, before, after, value.flags)
            self._truth.add([value.begin_ps, value.end_ps, before, after, number, ANSWERED, 0, 0])

    def _wake_until(self, schedule: PeriodSchedule, end_ps: int) -> None:
        """Answer the periods that are due before a time."""
        while (
            self._next_period <= self._periods
            and (due_ps := schedule.due_ps(self._next_period)) < end_ps
        ):
            what = self._faults.choose()
            latency_ps = self._model.draw(due_ps)
            self._handled = self._next_period
            self._next_period += 1
            if what == "miss":
                self._truth.add([due_ps, -1, 0, 0, self._handled, MISSED, 0, 0])
                continue
            if what == "late":
                latency_ps += self._misbehavior.late_by_ps
            at_ps = max(due_ps + latency_ps, self._free_ps)
            row = [due_ps, at_ps, *self._answer(at_ps), self._handled, ANSWERED, 0, 0]
            self._truth.add(row)
            if what == "duplicate":
                row[_DUPLICATES] = 1
                self._answer(max(at_ps + self._misbehavior.duplicate_after_ps, self._free_ps))
            if what == "glitch":
                row[_GLITCHES] = 1
                self._glitch(at_ps + GLITCH_AFTER_PS)
            self._skip_until(schedule, at_ps)

    def _skip_until(self, schedule: PeriodSchedule, now_ps: int) -> None:
        """Miss what was due before the task waits again, as an agent's schedule does."""
        while self._next_period <= self._periods:
            due_ps = schedule.due_ps(self._next_period)
            if due_ps > now_ps:
                return
            self._handled = self._next_period
            self._next_period += 1
            self._truth.add([due_ps, -1, 0, 0, self._handled, MISSED, 0, 0])

    def _answer(
        self, at_ps: int, flags: int = 0, *, entry_ps: int | None = None
    ) -> tuple[int, int]:
        """Write the pins once and log it; ticks before and after the write.

        `entry_ps`: when the handler was entered; None: the log does not tell.
        """
        before, after = self._write_pins(at_ps)
        lead_ticks = 0
        if entry_ps is not None and self._logs_entry:
            lead_ticks = before - self._clock.ticks(entry_ps + self._ahead_ps)
            flags |= LOG_ENTRY if 0 <= lead_ticks < LEAD_MAX_TICKS else 0
        self._log.add(self._handled, before, after, flags, lead_ticks if flags & LOG_ENTRY else 0)
        breath_ps = 0 if self._service.limited else BREATH_PS
        self._free_ps = at_ps + max(self._toggle_ps, breath_ps)
        return before, after

    def _toggle(self, number: int, at_ps: int) -> tuple[int, int]:
        """Write the pins once, and log nothing."""
        self._handled, self._free_ps = number, at_ps + self._toggle_ps
        return self._write_pins(at_ps)

    def _write_pins(self, at_ps: int) -> tuple[int, int]:
        before_ps = at_ps - int(self._rng.random() * self._toggle_ps)
        shown_ps = before_ps + self._ahead_ps
        before = self._clock.ticks(shown_ps)
        after = self._clock.ticks_at_or_after(shown_ps + self._toggle_ps)
        self._pins.write(at_ps, self._handled & ((1 << self._bits) - 1))
        return before, after

    def _glitch(self, at_ps: int) -> None:
        self.glitches += 1
        self._pins.toggle(at_ps)
        end_ps = at_ps + self._misbehavior.glitch_width_ps
        self._pins.toggle(end_ps)
        self._free_ps = end_ps + BREATH_PS
