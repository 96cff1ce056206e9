# SPDX-License-Identifier: GPL-3.0-or-later
"""Latencies of a run, gathered while its events are paired: inferences, overruns, and latency
inside the target."""

from __future__ import annotations

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.run_brackets import FittedClock
from rig.analysis.inference.internal_latency import InternalLatencySummary, InternalLatencyTally
from rig.analysis.inference.run_budgets import bench_with_log, run_budgets
from rig.analysis.log.responses import ResponseLog
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.pairing import Events
from rig.analysis.statistics.descriptive import ExactHistogram, statistics
from rig.analysis.statistics.outliers import limit_samples, stand_out
from rig.analysis.statistics.overruns import OverrunCounter, Overruns
from rig.analysis.statistics.sequence import EventSequence
from rig.analysis.statistics.summary import summarize
from rig.analysis.uncertainty.by_edge import AnswerEdges, ByEdge
from rig.analysis.uncertainty.correction import Correction
from rig.analysis.uncertainty.effects import SystematicEffects, by_edge, of_latency, on_counter
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.analysis.uncertainty.measurand import Measurand
from rig.analysis.uncertainty.phase import PhaseTally, places, scatter_samples
from rig.analysis.uncertainty.series import TAIL_EVENTS
from rig.instruments import Int64Array


class LatencyTally:
    """A tally of the events of a run, added in order, in constant memory."""

    def __init__(
        self,
        settings: Settings,
        log: ResponseLog,
        bench: BenchErrorModel,
        agreement: ClockAgreement | None,
        fitted: FittedClock | None,
        edges: AnswerEdges | None = None,
    ) -> None:
        self._settings, self.agreement, self.fitted = settings, agreement, fitted
        self.bench = bench_with_log(bench, log, settings.tick_hz)
        self.edges = edges
        self._by_edge = None if edges is None else ByEdge(edges, settings.sample_rate_hz)
        self._phases = PhaseTally()
        self.scatter_samples = 0.0
        """Spread of stimulus edges about their train, see uncertainty.phase."""
        self._sequence, self._overruns = EventSequence(), OverrunCounter()
        self.has_inside = fitted is not None
        """Whether each event that was answered has a latency inside the target."""
        self._inside = InternalLatencyTally(fitted, log, self.bench)

    def add(self, events: Events, planned_ticks: Int64Array) -> Int64Array:
        """Add the next events, and when their stimuli were planned, shape (n,); -1: not known.

        Returns their latency inside the target in ps, shape (n,); see InternalLatencyTally.
        """
        self._add_phases(events, planned_ticks)
        served = events.response >= 0
        latency = events.response - events.stimulus
        self._sequence.add(latency[served], events.stimulus[served])
        if self._by_edge is not None:
            self._by_edge.add(latency[served], events.answer[served])
        internal_ps = self._inside.add(events)
        limit = limit_samples(self._settings)
        self._overruns.add(stand_out(events.stimulus, events.response, events.kind, limit))
        return internal_ps

    def _add_phases(self, events: Events, planned_ticks: Int64Array) -> None:
        """Add the phases of the first stretch: one line fits it, and more only average out more."""
        known = planned_ticks >= 0
        if self._phases.n == 0 and known.any():
            stimulus, planned = events.stimulus[known], planned_ticks[known]
            self._phases.add(places(stimulus, planned))
            self.scatter_samples = scatter_samples(stimulus, planned)

    def latency(
        self, name: str, histogram: ExactHistogram, other: ExactHistogram | None = None
    ) -> Measurand:
        """Return the latency from stimulus to answer, by this name. `histogram`: of these events.

        `other`: the same by their other reading; None: they have one.
        """
        found = self._latency(name, histogram)
        if other is None or not other.n or not histogram.n:
            return found
        return found.between(self._latency(name, other))

    def _latency(self, name: str, histogram: ExactHistogram) -> Measurand:
        n, rate_hz = histogram.n, self._settings.sample_rate_hz
        figures = statistics(histogram, rate_hz)
        inference = None
        if n and n == self._sequence.n:  # else another reading, by which fewer were served
            inference = summarize(histogram, self._sequence, rate_hz, 1 / (TAIL_EVENTS * n))
        average = None if inference is None else inference.average
        worth = None if average is None else average.effective_n
        budgets = run_budgets(figures, histogram, self.bench, self._phases.coherence(), worth)
        effects = of_latency(self.bench)
        if self._by_edge is not None and budgets:
            effects = by_edge(effects, self._by_edge)
            for figure in ("max", "average"):
                budgets[figure] = self._by_edge.applied(f"{figure}_ns", budgets[figure])
        return Measurand(
            name=name,
            unit_ns=1e9 / rate_hz,
            statistics=figures,
            corrected=Correction.of(effects).figures(figures),
            inference=inference and inference.in_ns(1e9 / rate_hz),
            effects=effects,
            histogram=histogram,
            course=self._sequence.drawn(rate_hz),
            budgets=budgets,
        )

    @property
    def entry_witness(self) -> tuple[Witness, ...]:
        """The witness of handlers that were entered before their stimuli."""
        return self._inside.entry_witness()

    def on_counter(self, tick_hz: int, duration_ns: float) -> SystematicEffects:
        """Return the effects on a time between two readings of the target's counter."""
        return on_counter(self.bench, tick_hz, self.agreement, duration_ns)

    @property
    def overruns(self) -> Overruns:
        """Events that were not answered in time."""
        return self._overruns.result()

    @property
    def internal_latency(self) -> InternalLatencySummary | None:
        """Latency inside the target; None if no event could be mapped."""
        return self._inside.result()
