# SPDX-License-Identifier: GPL-3.0-or-later
"""Stimuli that come in holds, trains of one rate each."""

from __future__ import annotations

from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.inference.latency_tally import LatencyTally
from rig.analysis.log.responses import ResponseLog
from rig.analysis.measurements.holds import HoldTally, hold_witness
from rig.analysis.measurements.measured_rates import FIRST_EDGES, hold_rate
from rig.analysis.measurements.pipeline import RecordedRun
from rig.analysis.measurements.stimuli import Stimuli
from rig.analysis.model.rate_steps import RateSteps
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.pairing import Events
from rig.analysis.signals.decoder import Observation
from rig.instruments import Int64Array


class HoldStimuli(Stimuli):
    """Stimuli in trains of one rate each."""

    which_are_lost = False
    """How many interrupts a hold has lost matters, not which. By both readings that is the same: no
    answer is late by the rest between two holds."""
    tally: HoldTally

    def __init__(self, run: RecordedRun, source: RateSteps) -> None:
        super().__init__(run)
        self.source = source
        self._first_edges: list[int] = []

    def scan(self, seen: Observation, responses: int) -> None:
        super().scan(seen, responses)
        wanted = min(self.source.count, FIRST_EDGES) - len(self._first_edges)
        self._first_edges += seen.stimulus[:wanted].tolist()

    def rates(self) -> tuple[ClockRate, ...]:
        return hold_rate(self.source, self._first_edges, self.settings)

    def begin_pairing(self, log: ResponseLog, responses: int, tally: LatencyTally) -> None:  # noqa: ARG002
        found = self.rates()
        self.tally = HoldTally(
            self.source,
            self.settings.sample_rate_hz,
            self.settings.stimulus_clock_hz,
            found[0].ppm if found else 0.0,
        )

    def add(self, events: Events) -> Int64Array:
        self.tally.add(events)
        return super().add(events)

    def end_tally(self) -> Witness:
        """End the last hold, and return whether the firmware has sent the holds that were seen."""
        self.tally.finish()
        return hold_witness(self.source, self.tally, self.account.holds)
