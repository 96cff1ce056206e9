# SPDX-License-Identifier: GPL-3.0-or-later
"""Stimuli of a planned train, which shows holes in the samples and has an input capture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.inference.latency_tally import LatencyTally
from rig.analysis.log.captured import CapturedAnswers
from rig.analysis.log.contingency import Evidence, train_evidence
from rig.analysis.log.responses import ResponseLog
from rig.analysis.measurements.clock_stability import FollowedClock, PlannedTimes
from rig.analysis.measurements.measured_rates import train_rate
from rig.analysis.measurements.pipeline import RecordedRun
from rig.analysis.measurements.stimuli import Stimuli
from rig.analysis.model.events import Counts
from rig.analysis.pairing.gap_losses import EventsAcrossGaps, gap_losses
from rig.analysis.pairing.pairing import Events
from rig.analysis.signals.decoder import Observation
from rig.analysis.signals.spool import Spool
from rig.analysis.train.continuity import Alignment, Continuity, Gap
from rig.analysis.train.local_rate import LocalRate, RateKnots, local_rate
from rig.analysis.train.planned_ticks import PlannedTicks
from rig.analysis.uncertainty.by_edge import AnswerEdges, answer_levels, first_answer_level
from rig.instruments import Int64Array
from rig.stimulus.train import Train


class TrainStimuli(Stimuli):
    """Pulses of the stimulus microcontroller, each planned to the tick."""

    _alignment: Alignment
    _captured: CapturedAnswers

    def __init__(self, run: RecordedRun, train: Train) -> None:
        super().__init__(run)
        self.planned = train.count
        self._train = train
        settings = run.settings
        rates_hz = settings.sample_rate_hz, settings.stimulus_clock_hz
        drift_ppm_per_s = settings.clocks.stimulus_ppm_per_s
        self._continuity = Continuity(train, *rates_hz, run.account.sent, drift_ppm_per_s)
        self._knots = RateKnots(*rates_hz)
        self._edges: AnswerEdges | None = None
        self._rate: LocalRate | None = None
        self._first_level: int | None = None
        self._compared: CaptureComparison | None = None
        self._at_pin: CaptureComparison | None = None

    def open(self, spool: Spool) -> None:
        self._captured = CapturedAnswers(self.raw, spool)

    def scan(self, seen: Observation, responses: int) -> None:
        super().scan(seen, responses)
        self._continuity.feed(seen.stimulus)
        self._captured.reach(responses)
        self._knots.add(seen.stimulus)

    def end_scan(self, end_sample: int) -> None:
        self._alignment = self._continuity.finish(end_sample)
        self._straddlers = EventsAcrossGaps(self.gaps)
        self._times = PlannedTimes(self.gaps[0].first_sample if self.gaps else None)
        self._ticks = PlannedTicks(self._train, self._alignment)

    @property
    def gaps(self) -> tuple[Gap, ...]:
        return self._alignment.gaps

    def rates(self) -> tuple[ClockRate, ...]:
        return train_rate(self._alignment, self.settings)

    def begin_pairing(self, log: ResponseLog, responses: int, tally: LatencyTally) -> None:  # noqa: ARG002
        self._edges = tally.edges
        if self._captured.count == responses > 0 and self.count > 1:
            settings, alignment = self.settings, self._alignment
            self._compared = self._at_pin = CaptureComparison.begin(
                settings.sample_rate_hz,
                settings.stimulus_clock_hz,
                samples=alignment.span_samples,
                ticks=alignment.span_ticks,
            )
            if not self.gaps:  # behind one, levels are not known
                self._first_level = first_answer_level(self.raw, settings)
            self._rate = local_rate(settings, self._train, alignment, self._knots)

    def add(self, events: Events) -> Int64Array:
        planned = self._ticks.of(events.first, len(events.stimulus))
        self._times.add(events.stimulus, planned)
        comparable = (events.answer >= 0) & (planned >= 0) & ~self._straddlers.find(events)
        self._compare(events, planned, comparable)
        return planned

    def _compare(
        self, events: Events, planned: Int64Array, comparable: npt.NDArray[np.bool_]
    ) -> None:
        if self._compared is None or self._rate is None or not comparable.any():
            return
        answer = events.answer[comparable]
        first = int(answer[0])
        ticks = self._captured.read(first, int(answer[-1]) + 1 - first)[answer - first]
        latency_samples = events.response[comparable] - events.stimulus[comparable]
        local = self._rate.at(events.stimulus[comparable], latency_samples)
        late = ticks - planned[comparable]
        levels = None if self._first_level is None else answer_levels(answer, self._first_level)
        self._compared = self._compared.add(latency_samples, late, local, levels=levels)
        if self._edges is not None and self._at_pin is not None:
            later_ns = self._edges.shown_later_ns(answer)
            self._at_pin = self._at_pin.add(latency_samples, late, local, later_ns, levels)

    @property
    def capture(self) -> CaptureComparison | None:
        """The comparison that agrees better: what makes rising answers later than falling ones may
        lie before the input capture or behind it."""
        both = (each for each in (self._compared, self._at_pin) if each is not None and each.n)
        return min(both, key=lambda each: each.agreement, default=None)

    def losses(self) -> tuple[tuple[str, int, str], ...]:
        return tuple(gap_losses(self.gaps, self._straddlers, self.settings.sample_rate_hz))

    def evidence(self, counts: Counts, log: ResponseLog) -> tuple[Evidence, ...]:
        return train_evidence(self._train, self.account, counts, log)

    def followed(self) -> FollowedClock | None:
        return self._times.followed(self.settings)
