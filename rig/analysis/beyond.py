# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of a run's latencies beyond the classic figures, gathered while they are paired."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.analysis.answers import AnswerLog
from rig.analysis.bracketing import ClockAgreement, FittedClock
from rig.analysis.budget.bench import Bench
from rig.analysis.budget.phase import PhaseTally, places
from rig.analysis.budget.run import Budgets, bench_with_log, run_budgets
from rig.analysis.figures.overruns import OverrunCounter, Overruns
from rig.analysis.figures.sequence import EventSequence
from rig.analysis.figures.summary import Figures, summarize
from rig.analysis.inside import InsideFigures, InsideTally
from rig.analysis.pairing import EventClass, Events
from rig.analysis.raw import Settings
from rig.analysis.statistics import ExactHistogram, statistics
from rig.instruments import Int64Array

TAIL_EVENTS = 10
"""The tail's level is one that an event in this many times n exceeds; docs/statistics.md."""


@dataclass(frozen=True)
class Beyond:
    """Each None if it could not be had."""

    sample_ns: float
    figures: Figures | None
    """In samples."""
    overruns: Overruns
    clock: ClockAgreement | None
    inside: InsideFigures | None
    budgets: Budgets
    """Uncertainty of the figures."""


class BeyondTally:
    """Takes the events in order, in constant memory."""

    def __init__(
        self,
        settings: Settings,
        log: AnswerLog,
        bench: Bench,
        agreement: ClockAgreement | None,
        fitted: FittedClock | None,
    ) -> None:
        self._settings, self._agreement = settings, agreement
        self._bench = bench_with_log(bench, log, settings.tick_hz)
        self._phases = PhaseTally()
        self._sequence, self._overruns = EventSequence(), OverrunCounter()
        self._inside = InsideTally(fitted, log, 1e9 / settings.sample_rate_hz)

    def add(self, events: Events, planned_ticks: Int64Array) -> None:
        """The next events, and when their stimuli were planned, shape (n,); -1: not known."""
        self._add_phases(events, planned_ticks)
        served = events.response >= 0
        latency = events.response - events.stimulus
        self._sequence.add(latency[served], events.stimulus[served])
        self._inside.add(events)
        over = events.kind != EventClass.ANSWERED
        limit_ns = self._settings.limits.max_ns
        if limit_ns is not None:
            over |= served & (latency * 1e9 > limit_ns * self._settings.sample_rate_hz)
        self._overruns.add(np.asarray(over))

    def _add_phases(self, events: Events, planned_ticks: Int64Array) -> None:
        """Of the first stretch: one line fits it, and a longer run only averages out more."""
        known = planned_ticks >= 0
        if self._phases.n == 0 and known.any():
            self._phases.add(places(events.stimulus[known], planned_ticks[known]))

    def result(self, histogram: ExactHistogram) -> Beyond:
        """`histogram`: of the same events' latencies."""
        n, rate_hz = histogram.n, self._settings.sample_rate_hz
        figures = statistics(histogram, rate_hz)
        further = None
        if n:
            further = summarize(histogram, self._sequence, rate_hz, 1 / (TAIL_EVENTS * n))
        worth = None if further is None or further.average is None else further.average.effective_n
        return Beyond(
            1e9 / rate_hz,
            further,
            self._overruns.result(),
            self._agreement,
            self._inside.result(),
            run_budgets(figures, histogram, self._bench, self._phases.coherence(), worth),
        )
