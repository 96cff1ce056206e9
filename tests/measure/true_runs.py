# SPDX-License-Identifier: GPL-3.0-or-later
"""A true run of every measurement whose answers are seen from outside, in one form for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rig.analysis.log.responses import are_answers
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.self_measurement import SelfMeasurement
from rig.analysis.model.settings import Limits, Settings
from rig.analysis.model.sources import Schedule, SelfTriggers
from rig.config.virtual.bench import NormalModel
from rig.instruments import LOG_OF_TASK, LOG_SPAN, LOG_TASK, LOG_TRIGGER, LogArray
from rig.measurements.evaluate import Evaluation, evaluate
from rig.measurements.registry import SELF_MEASUREMENTS
from tests.analysis.raw_runs import (
    RATE_HZ,
    RESPONSE,
    STIMULUS,
    TASK,
    Edge,
    MemoryRun,
    log_of,
    settings_of,
    toggles,
)
from tests.analysis.whole_bench import train_of, whole_run
from tests.measure.inside_runs import Known, known_periods, known_run

N = 40
TICK_HZ = 10**9
ORIGIN_TICKS = 7_000_000_123
PPM = 31.0
"""How much faster than nominal the target's counter runs, by the analyzer's time."""
PERIOD_NS = 1_000_000
LIMITS = Limits(missed=0, late=0)


@dataclass(frozen=True)
class TrueRun:
    """Its raw data, and what instruments said of it."""

    edges: tuple[Edge, ...]
    end: int
    records: LogArray
    settings: Settings
    account: InstrumentCounts
    captures: tuple[tuple[int, int], ...] | None = None
    """By the stimulus's input capture, which sees the answers, too: sample, and its own ticks."""

    def evaluated(self) -> Evaluation:
        """By the code that evaluates any run."""
        captured = None
        if self.captures is not None:
            at, ticks = np.array(self.captures).T
            captured = np.rint(np.interp(self.samples(), at, ticks)).astype(np.int64)
        raw = MemoryRun(self.edges, self.end, self.records, captured=captured)
        return evaluate(raw, self.settings, self.account)

    @property
    def answers(self) -> np.ndarray:
        """Rows of the records of answers, shape (n,)."""
        return np.flatnonzero(are_answers(self.records))

    def samples(self, channel: int = RESPONSE) -> list[int]:
        """When this pin changed."""
        return sorted(sample for sample, own, _ in self.edges if own == channel)

    def with_toggles(self, samples: list[int], channel: int = RESPONSE) -> TrueRun:
        """The same with this pin changing at these samples."""
        others = [edge for edge in self.edges if edge[1] != channel]
        return replace(self, edges=tuple(sorted([*others, *toggles(sorted(samples), channel)])))


def _sample_of(time_ns: float) -> int:
    return int(np.ceil(time_ns * RATE_HZ / 1e9))


def _ticks_of(time_ns: float) -> int:
    return ORIGIN_TICKS + round(time_ns * (1 + PPM * 1e-6))


def _latencies_ns(seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    drawn: list[int] = (4_000 + rng.gamma(3, 700, N)).astype(np.int64).tolist()
    return drawn


def _answered(measurement: str, folder: Path) -> TrueRun:
    """Stimuli, and a handler or task that answers each."""
    model = NormalModel(6_000_000, 500_000, 4_000_000)
    run = whole_run(folder, 5, train_of(5, N), model=model, sequence_bits=0)
    raw, settings = run.raw, replace(run.settings, measurement=measurement, limits=LIMITS)
    edges = tuple(zip(raw.index.tolist(), raw.channel.tolist(), raw.level.tolist(), strict=True))
    samples = raw.index[raw.channel == RESPONSE].tolist()
    captures = tuple(zip(samples, raw.captured.tolist(), strict=True))
    return TrueRun(edges, raw.end, raw.records, settings, run.account, captures)


def _dispatched(_measurement: str, folder: Path) -> TrueRun:
    """The same, each interrupting the agent's task, which then changes a pin of its own."""
    own = _answered("interrupt_dispatch", folder)
    rows, task = [], []
    late_samples = [200 + 7 * (number % 13) for number in range(N)]
    for record, sample, late in zip(own.records, own.samples(), late_samples, strict=True):
        number, before, after = (
            int(record[key]) for key in ("handled", "before_ticks", "after_ticks")
        )
        ticks_a_sample = own.settings.tick_hz / own.settings.sample_rate_hz
        later = round(late * ticks_a_sample)
        rows += [
            (number, before, after, LOG_SPAN | LOG_OF_TASK),
            (number, before + later - 50, after + later + 50, LOG_TASK),
        ]
        task.append(sample + late)
    settings = replace(own.settings, wiring=replace(own.settings.wiring, task=TASK))
    edges = tuple(sorted([*own.edges, *toggles(task, TASK)]))
    return replace(own, edges=edges, records=log_of(rows), settings=settings)


def _self_triggered(measurement: str, _folder: Path) -> TrueRun:
    """The target triggers itself each period, and answers."""
    stimulus, answers, rows = [], [], []
    for number, late_ns in enumerate(_latencies_ns(2), 1):
        at_ns = 5e6 + number * PERIOD_NS
        stimulus += [(_sample_of(at_ns), STIMULUS, 1), (_sample_of(at_ns + 2000), STIMULUS, 0)]
        answers.append(_sample_of(at_ns + late_ns))
        for ns, handled, flags in ((at_ns, number - 1, LOG_TRIGGER), (at_ns + late_ns, number, 0)):
            rows.append((handled, _ticks_of(ns - 30), _ticks_of(ns + 30), flags))
    settings = replace(
        settings_of(measurement, limits=LIMITS), source=SelfTriggers(PERIOD_NS, N), tick_hz=TICK_HZ
    )
    account = InstrumentCounts(handled=N, unanswered=0, triggers=N)
    edges = tuple(sorted([*stimulus, *toggles(answers)]))
    return TrueRun(edges, answers[-1] + RATE_HZ // 100, log_of(rows), settings, account)


def _periodic(_measurement: str, _folder: Path) -> TrueRun:
    """A task that answers each period of the target's clock."""
    rows, answers = [], []
    for number, late_ns in enumerate(_latencies_ns(3), 1):
        at_ns = 5e6 + number * PERIOD_NS / (1 + PPM * 1e-6) + late_ns
        answers.append(_sample_of(at_ns))
        rows.append((number, _ticks_of(at_ns - 30), _ticks_of(at_ns + 30), 0))
    settings = settings_of("period", Schedule(PERIOD_NS, N), tick_hz=TICK_HZ, limits=LIMITS)
    account = InstrumentCounts(handled=N, unanswered=0, overruns=0)
    end = answers[-1] + RATE_HZ // 100
    return TrueRun(tuple(toggles(answers)), end, log_of(rows), settings, account)


def _of_known(known: Known) -> TrueRun:
    raw = known.raw
    settings = replace(known.settings, limits=LIMITS)
    return TrueRun(tuple(raw.edges), raw.end, raw.records, settings, known.account)


def _inside(measurement: str, variant: str) -> Callable[[Path], TrueRun]:
    """Values inside the target, the end of each iteration seen on the pin."""

    def made(_folder: Path) -> TrueRun:
        rng = np.random.default_rng(7)
        shape = (N, len(SELF_MEASUREMENTS[measurement].parts))
        values = rng.gamma(3, 700, shape).astype(np.int64) + 400
        return _of_known(known_run(measurement, variant, values))

    return made


def _start_finish(_folder: Path) -> TrueRun:
    rng = np.random.default_rng(8)
    late, longer = rng.gamma(3, 700, (2, N)).astype(np.int64)
    return _of_known(known_periods(late, 50_000 + longer))


def kinds_of(inside: SelfMeasurement) -> tuple[str, ...]:
    """The first of each kind of variant whose log is read in a way of its own."""
    kinds = {
        (variant in inside.clocked, variant in inside.by_answers): variant
        for variant in reversed(inside.variants)
    }
    return tuple(kinds.values())


def _row(make: Callable[[str, Path], TrueRun], measurement: str) -> Callable[[Path], TrueRun]:
    return lambda folder: make(measurement, folder)


TRUE_RUNS: dict[tuple[str, str], Callable[[Path], TrueRun]] = {
    ("interrupt", ""): _row(_answered, "interrupt"),
    ("interrupt", "self-triggered"): _row(_self_triggered, "interrupt"),
    ("interrupt_to_task", ""): _row(_answered, "interrupt_to_task"),
    ("interrupt_to_task", "self-triggered"): _row(_self_triggered, "interrupt_to_task"),
    ("interrupt_dispatch", ""): _row(_dispatched, "interrupt_dispatch"),
    ("period", ""): _row(_periodic, "period"),
    ("start_finish", "task"): _start_finish,
    **{
        (name, variant): _inside(name, variant)
        for name, each in SELF_MEASUREMENTS.items()
        if not each.periodic and not each.spins
        for variant in kinds_of(each)
    },
}
"""By measurement and variant."""
