# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluation of interrupts, in runs with stimuli that are answered.

There are three passes over the edges, each in bounded memory: count and look for holes, find merged
interrupts, pair.
"""

from __future__ import annotations

import numpy as np

from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.crosscheck.constants import capture_delay, response_path, with_capture_room
from rig.analysis.crosscheck.witness import CaptureComparison, count_witness, witnesses
from rig.analysis.inference.latency_tally import LatencyTally
from rig.analysis.measurements.clock_stability import clock_stabilities, followed
from rig.analysis.measurements.evaluation import OnEvents
from rig.analysis.measurements.limits import counted
from rig.analysis.measurements.pipeline import Aligned, Evaluator, RecordedRun, RunFindings
from rig.analysis.measurements.stimuli import Paired, PrimaryResult, Stimuli
from rig.analysis.model.events import Counts, EventClass, ExtraClass
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.handler_count import HandlerCountSource, unmatched
from rig.analysis.pairing.merging import counted_stretches, merge_profile
from rig.analysis.pairing.other_reading import OtherReading
from rig.analysis.pairing.pairing import Events, Pairer, latencies
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.train.continuity import Gap
from rig.analysis.uncertainty.by_edge import AnswerEdges


class InterruptEvaluator(Evaluator):
    """The evaluator of answers to stimuli; what is known of the stimuli depends on their source."""

    compares_unfinished = True

    def __init__(self, run: RecordedRun, stimuli: Stimuli) -> None:
        super().__init__(run)
        self.stimuli = stimuli

    def headline(self, paired: Paired, aligned: Aligned) -> PrimaryResult:  # noqa: ARG002
        """Return the results that the run was made for."""
        return self.stimuli.headline(paired)

    # --- hooks of the skeleton --------------------------------------------------------------------

    def scan(self) -> None:
        self.stimuli.open(self.spool)
        bits, end = len(self.settings.wiring.sequence), 0
        for seen in self.stretches:
            self.answers.add(seen, self.log, bits)
            self.stimuli.scan(seen, self.answers.count)
            end = seen.end_sample
        self.stimuli.end_scan(end)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return self.stimuli.gaps

    def answer_edges(self) -> AnswerEdges | None:
        """Return the known levels of the answers; None where some edges may be missing."""
        return None if self.gaps else AnswerEdges.of(self.raw, self.settings, self.bench)

    def stimulus_rates(self) -> tuple[ClockRate, ...]:
        return self.stimuli.rates()

    def timer_rates(self) -> tuple[ClockRate, ...]:
        # Without an account nothing bears out that the target made them.
        return () if self.account.handled is None else self.stimuli.timer_rates()

    @property
    def ended(self) -> bool:
        return self.stimuli.ended

    def measure(self, aligned: Aligned) -> RunFindings:
        source = HandlerCountSource.choose(
            self.settings, self.log, self.answers.count, self.answers.differing
        )
        tally, contradiction = self._pair(aligned, source)
        capture, channels = self.stimuli.capture, self.settings.wiring
        delay = capture_delay(
            capture,
            tally.latency_tally.bench,
            (channels.stimulus, channels.response),
            some_late=self.account.stimulus_late > 0,
        )
        tally.latency_tally.bench = with_capture_room(tally.latency_tally.bench, delay)
        headline = self.headline(self._paired(tally), aligned)
        delays = (*filter(None, (delay,)), *headline.delays)
        counts = tally.counts(self.stretches.glitches)
        overruns = tally.latency_tally.overruns
        return RunFindings(
            measurands=headline.measurands,
            aliases=headline.aliases,
            counts=counts,
            seen=counts.n,
            paired_by=source.name,
            duration_s=self.stimuli.span_samples / self.settings.sample_rate_hz,
            details=headline.details,
            overruns=overruns,
            counted=tally.other.judged(counted(counts, overruns)),
            possible=tally.other.possible,
            witnesses=(
                *self._seen(counts, capture),
                *contradiction,
                *_of_clock(aligned),
                *tally.latency_tally.entry_witness,
                *(each.witness for each in delays),
            ),
            own_witnesses=headline.witnesses,
            caveats=(*headline.caveats, *self._ambiguity(source, tally.other)),
            losses=self.stimuli.losses(),
            gaps=self.gaps,
            evidence=self.stimuli.evidence(counts, self.log),
            capture=capture,
            delays=delays,
            internal_latency=tally.latency_tally.internal_latency,
            stability=clock_stabilities(
                followed(aligned.fitted, self.answers.times, aligned.agreement),
                self.stimuli.followed(),
                self.settings.sample_rate_hz,
            ),
            scatter_samples=tally.latency_tally.scatter_samples,
        )

    def _pair(
        self, aligned: Aligned, source: HandlerCountSource
    ) -> tuple[_Tally, tuple[Witness, ...]]:
        """Return the tally of all events, and a witness if merged ones contradict themselves."""
        settings, agreement = self.settings, aligned.agreement
        profile, contradiction = merge_profile(
            self.stretches, settings, self.account, source, agreement, response_path(self.bench)
        )
        latency_tally = LatencyTally(
            settings, self.log, aligned.bench, agreement, aligned.fitted, aligned.edges
        )
        self.stimuli.begin_pairing(self.log, self.answers.count, latency_tally)
        tally = _Tally(self.stimuli, latency_tally)
        pairer = Pairer(profile, source.coalesced)
        for observation, counts in counted_stretches(self.stretches, source):
            events = pairer.feed(observation.stimulus, observation.response, counts)
            tally.add(events, self.on_events)
        tally.add(pairer.finish(), self.on_events)
        return tally, contradiction

    def _paired(self, tally: _Tally) -> Paired:
        return Paired(
            latency_tally=tally.latency_tally,
            histogram=tally.histogram,
            responses=self.answers.count,
            duration_ns=1e9 * self.stimuli.span_samples / self.settings.sample_rate_hz,
            other=tally.other.histogram(tally.histogram),
        )

    def _seen(self, counts: Counts, capture: CaptureComparison | None) -> tuple[Witness, ...]:
        """Compare the edges with the counts of firmware, input capture and agent."""
        responses = self.answers.count
        unanswered = counts.missed + counts.merged + counts.ambiguous
        found = witnesses(
            self.raw, self.log, self.account, self.stimuli.count, responses,
            self.answers.differing, capture,
            unmatched(self.raw, self.log, self.settings, self.account, responses),
            self.stimuli.planned,
        )  # fmt: skip
        return (*found, *count_witness(self.log, self.account, unanswered))

    def _ambiguity(self, source: HandlerCountSource, other: OtherReading) -> tuple[str, ...]:
        return other.caveats(source.by_log) if self.stimuli.which_are_lost else ()


class _Tally:
    """The counts, values and latencies of the events of the last pass."""

    def __init__(self, stimuli: Stimuli, latency_tally: LatencyTally) -> None:
        self._stimuli, self.latency_tally = stimuli, latency_tally
        self.histogram = ExactHistogram()
        self.other = OtherReading()
        self._classes = np.zeros(len(EventClass), np.int64)
        self._extras = np.zeros(len(ExtraClass), np.int64)

    def add(self, events: Events, on_events: OnEvents | None) -> None:
        self._classes += np.bincount(events.kind, minlength=len(EventClass))
        self._extras += np.bincount(events.extra_kind, minlength=len(ExtraClass))
        self.histogram.add(latencies(events))
        self.other.add(events)
        planned = self._stimuli.add(events)
        internal_ps = self.latency_tally.add(events, planned)
        if on_events is not None:
            on_events(
                {
                    "planned_ticks": planned,
                    "stimulus_sample": events.stimulus,
                    "response_sample": events.response,
                    "response_edge": events.answer,
                    "status": events.kind,
                    **(
                        {"internal_latency_ps": internal_ps}
                        if self.latency_tally.has_inside
                        else {}
                    ),
                }
            )

    def counts(self, glitches: int) -> Counts:
        classes, extras = self._classes.tolist(), self._extras.tolist()
        return Counts(
            n=sum(classes),
            answered=classes[EventClass.ANSWERED],
            late=classes[EventClass.LATE],
            missed=classes[EventClass.MISSED],
            merged=classes[EventClass.MERGED],
            duplicate=extras[ExtraClass.DUPLICATE],
            spurious=extras[ExtraClass.SPURIOUS],
            glitches=glitches,
            ambiguous=classes[EventClass.AMBIGUOUS],
        )


def _of_clock(aligned: Aligned) -> tuple[Witness, ...]:
    return () if aligned.agreement is None else (aligned.agreement.witness,)
