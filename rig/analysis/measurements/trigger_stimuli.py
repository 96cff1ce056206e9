# SPDX-License-Identifier: GPL-3.0-or-later
"""Stimuli that the target made itself: the trigger's pin writes are in its log."""

from __future__ import annotations

from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.crosscheck.constants import (
    ConstantDelay,
    logged_delay,
    response_path,
    with_wires,
)
from rig.analysis.inference.latency_tally import LatencyTally
from rig.analysis.log.responses import ResponseLog
from rig.analysis.measurements.measured_rates import trigger_rate
from rig.analysis.measurements.pipeline import RecordedRun
from rig.analysis.measurements.self_trigger import (
    BracketTally,
    SelfTriggerFigures,
    inside_latencies,
    self_trigger_witnesses,
)
from rig.analysis.measurements.stimuli import Paired, PrimaryResult, Stimuli
from rig.analysis.model.sources import SelfTriggers
from rig.analysis.pairing.pairing import Events
from rig.analysis.statistics.descriptive import statistics
from rig.analysis.uncertainty.measurand import measurand
from rig.instruments import Int64Array
from rig.limit_names import INTERNAL


class TriggerStimuli(Stimuli):
    """Interrupts that the target made itself, each with a record of its own in the log."""

    _brackets: BracketTally
    _comparable = False

    def __init__(self, run: RecordedRun, source: SelfTriggers) -> None:
        super().__init__(run)
        self._source = source

    def timer_rates(self) -> tuple[ClockRate, ...]:
        return trigger_rate(self._source, self.span_samples, self.count, self.settings)

    @property
    def ended(self) -> bool:
        return self.account.handled is not None

    def begin_pairing(self, log: ResponseLog, responses: int, tally: LatencyTally) -> None:
        path = response_path(tally.bench)
        self._brackets = BracketTally(self.raw, log, self.settings, path, tally.agreement)
        self._comparable = (self.count, responses) == (self._brackets.triggers.count, log.count)

    def add(self, events: Events) -> Int64Array:
        if self._comparable:
            self._brackets.add(events)
        return super().add(events)

    def headline(self, paired: Paired) -> PrimaryResult:
        delays = self._between_triggers_and_answers(paired.latency_tally)
        latency, inside = paired.latency(), inside_latencies(self.raw)
        rate_hz = self.settings.tick_hz or 10**9
        effects = paired.latency_tally.on_counter(rate_hz, paired.duration_ns)
        found = SelfTriggerFigures(
            external=latency.statistics,
            internal=statistics(inside.histogram, rate_hz),
            triggers=self._brackets.triggers.count,
            brackets=self._brackets.brackets(),
        )
        return PrimaryResult(
            measurands=(latency, measurand(INTERNAL, inside, rate_hz, effects)),
            details=found,
            witnesses=self_trigger_witnesses(found, self.account, self.count),
            delays=delays,
        )

    def _between_triggers_and_answers(self, tally: LatencyTally) -> tuple[ConstantDelay, ...]:
        """Return how much later answers reach the analyzer than triggers, by the records of both
        writes. What is not stated of it is added to the budget."""
        found, path, wiring = (
            self._brackets.delays,
            response_path(tally.bench),
            self.settings.wiring,
        )
        trigger, answer = f"D{wiring.stimulus}", f"D{wiring.response}"
        delay = logged_delay(
            "delay between the trigger's and the answer's channel", found, path,
            (
                f"edges of the answer reach the analyzer late (wire or input {answer})",
                f"edges of the trigger reach the analyzer late (wire or input {trigger})",
            ),
        )  # fmt: skip
        if delay is None:
            return ()
        if not path.is_known:
            source = "not stated: as far as the target's log bears it out"
            tally.bench = with_wires(tally.bench, found.largest_ns, source)
        return (delay,)
