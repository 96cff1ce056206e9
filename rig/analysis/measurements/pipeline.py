# SPDX-License-Identifier: GPL-3.0-or-later
"""The way from a run's raw data to its evaluation, common to all kinds of runs.

The edges are scanned, the clocks aligned, the measurands computed, and the verdict is made of
witnesses and limits. What is particular to a kind of run is in its evaluator's hooks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.clock_rates import (
    ClockComparison,
    ClockRate,
    compare_with_timer,
    with_room,
)
from rig.analysis.crosscheck.constants import ConstantDelay
from rig.analysis.crosscheck.run_brackets import FittedClock, bracket_agreement
from rig.analysis.crosscheck.sample_grid import repeated_samples
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.inference.internal_latency import InternalLatencySummary
from rig.analysis.log.contingency import Evidence
from rig.analysis.log.responses import ResponseLog
from rig.analysis.measurements.clock_stability import ClockStability
from rig.analysis.measurements.evaluation import Evaluation, OnEvents
from rig.analysis.measurements.limits import counted, judge_limits
from rig.analysis.measurements.measured_rates import counter_rate
from rig.analysis.measurements.verdict import verdict_of
from rig.analysis.model.details import Details
from rig.analysis.model.events import Counts
from rig.analysis.model.instrument_counts import InstrumentCounts
from rig.analysis.model.run_data import RawRun
from rig.analysis.model.settings import Settings
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.handler_count import pins_differing
from rig.analysis.signals.decoder import Observation
from rig.analysis.signals.response_times import AnswerTimes
from rig.analysis.signals.spool import Spool
from rig.analysis.signals.stretches import Stretches
from rig.analysis.statistics.overruns import Overruns
from rig.analysis.train.continuity import Gap
from rig.analysis.uncertainty.by_edge import AnswerEdges
from rig.analysis.uncertainty.clock_limits import ClockLimits
from rig.analysis.uncertainty.error_model import BenchErrorModel
from rig.analysis.uncertainty.measurand import Measurand


@dataclass(frozen=True)
class RecordedRun:
    """A run's raw data, and all that is known of how they came about."""

    raw: RawRun
    settings: Settings
    account: InstrumentCounts
    on_events: OnEvents | None = None
    """Function that gets all events in order, in pieces."""
    bench: BenchErrorModel | None = None
    """The errors of the bench; None: nothing is known but the sample rate."""


@dataclass
class AnswerScan:
    """The answers that the first pass over the edges has seen."""

    count: int = 0
    differing: int = 0
    """Number of answers whose sequence pins differ from the log's record of that number."""
    first_sample: int = 0
    """Sample of the first and of the last answer, 0 without any."""
    last_sample: int = 0
    times: AnswerTimes = field(default_factory=AnswerTimes)

    def add(self, seen: Observation, log: ResponseLog, bits: int) -> None:
        """Add the next stretch; `bits`: number of sequence pins."""
        if len(seen.response):
            self.first_sample = self.first_sample if self.count else int(seen.response[0])
            self.last_sample = int(seen.response[-1])
        self.differing += pins_differing(log, self.count, seen, bits)
        self.count += len(seen.response)
        log.reach(self.count)
        self.times.add(seen.response)


@dataclass(frozen=True)
class Aligned:
    """The relation of the clocks of a run to each other."""

    agreement: ClockAgreement | None
    """Agreement of the log's records with their edges; None where nothing can be tested."""
    fitted: FittedClock | None
    """The target's counter, if it could be fitted."""
    clocks: ClockComparison | None
    """Rates of all clocks; None if there was only the analyzer's."""
    edges: AnswerEdges | None
    """The known difference of rising and falling answers; None: nothing is known."""
    bench: BenchErrorModel
    """Error model, with the time base as far as the other clocks confirm it."""


@dataclass(frozen=True)
class RunFindings:
    """The findings of one kind of run, before limits are judged and a verdict is given."""

    measurands: tuple[Measurand, ...]
    """All that was measured; the first is the measurement's own."""
    counts: Counts
    seen: int
    """Number of events, of those that were planned."""
    paired_by: str
    """Source of the handler counts, or what else paired the events."""
    duration_s: float
    planned: int | None = None
    """Number of events that were planned, once the run has ended; None: as the settings say."""
    details: Details | None = None
    aliases: tuple[Measurand, ...] = ()
    """Measurands by a second name, which limits may have."""
    overruns: Overruns = field(default_factory=Overruns)
    counted: Mapping[str, int] | None = None
    """Counts by which limits are judged; None: the counts as they are."""
    possible: Mapping[str, int] | None = None
    """Number of more events of each class that there may be, if some have two readings."""
    witnesses: tuple[Witness, ...] = ()
    own_witnesses: tuple[Witness, ...] = ()
    """Witnesses of what only this kind of run has; they are reported last."""
    caveats: tuple[str, ...] = ()
    """Reasons why a run within its limits proves nothing all the same."""
    losses: tuple[tuple[str, int, str], ...] = ()
    """Signs of missing samples that no instrument reported."""
    gaps: tuple[Gap, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    capture: CaptureComparison | None = None
    delays: tuple[ConstantDelay, ...] = ()
    internal_latency: InternalLatencySummary | None = None
    stability: tuple[ClockStability, ...] = ()
    scatter_samples: float = 0.0
    """Spread of stimulus edges about their train, in samples."""


class Evaluator(ABC):
    """The evaluation of one run; what is particular to its kind is in the hooks."""

    events: ClassVar[str] = "stimuli"
    """Name of the events of such a run."""
    rereads: ClassVar[bool] = True
    """True: there is more than one pass over the edges, so the first keeps what it finds."""
    compares_unfinished: ClassVar[bool] = False
    """True: clocks are compared also where the target's counts of the whole run are missing."""

    def __init__(self, run: RecordedRun) -> None:
        self.raw, self.settings, self.account = run.raw, run.settings, run.account
        self.on_events = run.on_events
        self.bench = run.bench or BenchErrorModel(1e9 / run.settings.sample_rate_hz)
        self.answers = AnswerScan()

    def evaluate(self) -> Evaluation:
        """Evaluate the raw data."""
        with Spool() as spool:
            self.spool = spool
            self.log = ResponseLog(self.raw, spool=spool)
            kept = spool if self.rereads else Spool(0, 0)
            self.stretches = Stretches(self.raw, self.settings, kept)
            self.answers.times = AnswerTimes(spool)
            self.scan()
            aligned = self._align()
            return self._conclude(aligned, self.measure(aligned))

    # --- hooks ------------------------------------------------------------------------------------

    @abstractmethod
    def scan(self) -> None:
        """Make the first pass over the edges, into `answers` and whatever else is counted."""

    @abstractmethod
    def measure(self, aligned: Aligned) -> RunFindings:
        """Return what was measured, once the clocks are known."""

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The holes in the sample stream, known after the scan."""
        return ()

    def answer_edges(self) -> AnswerEdges | None:
        """Return the known difference of rising and falling answers, which the analyzer shows not
        equally late; None: it is not known, or the answers are not all of the edges."""
        return None

    def stimulus_rates(self) -> tuple[ClockRate, ...]:
        """Return the rate of the stimulus's clock, if this run shows it."""
        return ()

    def timer_rates(self) -> tuple[ClockRate, ...]:
        """Return the rate of the target's timer, if it made the events."""
        return ()

    @property
    def ended(self) -> bool:
        """Whether the instruments have reported their counts of the whole run."""
        return self.account.handled is not None

    # --- what all have ----------------------------------------------------------------------------

    def scan_answers(self) -> None:
        """Make a first pass over the answers alone."""
        bits = len(self.settings.wiring.sequence)
        for seen in self.stretches:
            self.answers.add(seen, self.log, bits)

    def _align(self) -> Aligned:
        edges = self.answer_edges()
        agreement, fitted = bracket_agreement(
            self.answers.times, self.log, self.settings, self.account, self.gaps, self.raw, edges
        )
        rates = (*self.stimulus_rates(), *counter_rate(agreement, self.settings))
        known = self.bench.clocks or ClockLimits()
        clocks = compare_with_timer(rates, self.timer_rates(), known, self.settings.sample_rate_hz)
        return Aligned(agreement, fitted, clocks, edges, with_room(self.bench, clocks))

    def _conclude(self, aligned: Aligned, found: RunFindings) -> Evaluation:
        settings, clocks = self.settings, aligned.clocks
        known = found.counted
        limits = judge_limits(
            settings.limits,
            (*found.measurands, *found.aliases),
            counted(found.counts, found.overruns) if known is None else known,
            found.possible,
        )
        witnesses = (
            *self._clock_witness(clocks),
            *found.witnesses,
            *repeated_samples(self.raw, settings.sample_rate_hz, clocks, found.scatter_samples),
            *found.own_witnesses,
        )
        verdict, reasons = verdict_of(
            losses=[*self.raw.losses(), *found.losses],
            account=self.account,
            planned=settings.planned if found.planned is None else found.planned,
            witnesses=witnesses,
            limits=limits,
            n=found.seen,
            events=self.events,
            ended=self.ended,
            caveats=found.caveats,
        )
        return Evaluation(
            verdict=verdict,
            reasons=reasons,
            counts=found.counts,
            measurands=found.measurands,
            witnesses=witnesses,
            duration_s=found.duration_s,
            paired_by=found.paired_by,
            gaps=found.gaps,
            details=found.details,
            overruns=found.overruns,
            capture=found.capture,
            clock_agreement=aligned.agreement,
            internal_latency=found.internal_latency,
            limits=limits,
            clocks=clocks,
            delays=found.delays,
            stability=found.stability,
            evidence=found.evidence,
        )

    def _clock_witness(self, clocks: ClockComparison | None) -> tuple[Witness, ...]:
        has_account = self.compares_unfinished or self.account.handled is not None
        return (clocks.witness,) if clocks is not None and has_account else ()


def planned_counts(n: int, planned: int, glitches: int) -> Counts:
    """Return the counts of a run with `n` of its planned events, which the target itself makes."""
    return Counts(
        n=max(n, planned),
        answered=n,
        late=0,
        missed=max(0, planned - n),
        merged=0,
        duplicate=0,
        spurious=0,
        glitches=glitches,
    )


def tick_rate_witness(settings: Settings) -> tuple[Witness, ...]:
    """Return a witness that disagrees where ticks cannot be converted to times."""
    if settings.tick_hz is not None:
        return ()
    return (Witness("tick rate", False, "the agent did not tell the rate of its counter"),)
