# SPDX-License-Identifier: GPL-3.0-or-later
"""Stimuli of a search for the highest rate: trains of one rate each, which answers decided upon."""

from __future__ import annotations

from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.inference.latency_tally import LatencyTally
from rig.analysis.log.responses import ResponseLog
from rig.analysis.measurements.measured_rates import FIRST_EDGES, hold_rate
from rig.analysis.measurements.pipeline import RecordedRun
from rig.analysis.measurements.saturation import (
    HoldTally,
    find,
    hold_witness,
    saturation_caveats,
    spacing,
)
from rig.analysis.measurements.stimuli import Paired, PrimaryResult, Stimuli
from rig.analysis.model.rate_search import RateSearch
from rig.analysis.pairing.pairing import Events
from rig.analysis.signals.decoder import Observation
from rig.analysis.uncertainty.effects import on_analyzer
from rig.instruments import Int64Array


class HoldStimuli(Stimuli):
    """Trains of one rate each, of a search for the highest rate."""

    which_are_lost = False
    """A search wants to know how many interrupts a hold has lost, not which. By both readings that
    is the same: no answer is late by the rest between two holds."""
    _tally: HoldTally

    def __init__(self, run: RecordedRun, search: RateSearch) -> None:
        super().__init__(run)
        self._search = search
        self._first_edges: list[int] = []

    def scan(self, seen: Observation, responses: int) -> None:
        super().scan(seen, responses)
        wanted = min(self._search.count, FIRST_EDGES) - len(self._first_edges)
        self._first_edges += seen.stimulus[:wanted].tolist()

    def rates(self) -> tuple[ClockRate, ...]:
        return hold_rate(self._search, self._first_edges, self.settings)

    def begin_pairing(self, log: ResponseLog, responses: int, tally: LatencyTally) -> None:  # noqa: ARG002
        found = self.rates()
        self._tally = HoldTally(
            self._search,
            self.settings.sample_rate_hz,
            self.settings.stimulus_clock_hz,
            found[0].ppm if found else 0.0,
        )

    def add(self, events: Events) -> Int64Array:
        self._tally.add(events)
        return super().add(events)

    def headline(self, paired: Paired) -> PrimaryResult:
        tally, search = self._tally, self._search
        tally.finish()
        effects = on_analyzer(paired.latency_tally.bench)
        found = find(search, tally.holds, effects)
        return PrimaryResult(
            measurands=(paired.latency(), spacing(search, found, effects)),
            details=found,
            witnesses=(hold_witness(search, tally, self.account.holds),),
            caveats=saturation_caveats(search, found),
        )
