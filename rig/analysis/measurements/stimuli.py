# SPDX-License-Identifier: GPL-3.0-or-later
"""Stimuli of a run: what is known of them beside their edges, and the results made by them.

That depends on where they come from: a planned train, the target itself, a search for the highest
rate, or an unknown source.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.crosscheck.constants import ConstantDelay
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.inference.latency_tally import LatencyTally
from rig.analysis.log.contingency import Evidence
from rig.analysis.log.responses import ResponseLog
from rig.analysis.measurements.clock_stability import FollowedClock
from rig.analysis.measurements.pipeline import RecordedRun
from rig.analysis.model.details import Details
from rig.analysis.model.events import Counts
from rig.analysis.model.witness import Witness
from rig.analysis.pairing.pairing import Events
from rig.analysis.signals.decoder import Observation
from rig.analysis.signals.spool import Spool
from rig.analysis.statistics.descriptive import ExactHistogram
from rig.analysis.train.continuity import Gap
from rig.analysis.uncertainty.measurand import Measurand
from rig.instruments import Int64Array
from rig.limit_names import LATENCY


@dataclass(frozen=True)
class Paired:
    """The result of pairing stimuli and answers."""

    latency_tally: LatencyTally
    histogram: ExactHistogram
    """Latencies in samples."""
    responses: int
    duration_ns: float
    """Time from the first stimulus edge to the last."""
    other: ExactHistogram | None = None
    """Latencies by the other reading, where some events have two."""

    def latency(self, name: str = LATENCY) -> Measurand:
        """Return the latency from stimulus to answer as a measurand of this name."""
        return self.latency_tally.latency(name, self.histogram, self.other)


@dataclass(frozen=True)
class PrimaryResult:
    """The results that a run was made for: its latency, and what else it shows."""

    measurands: tuple[Measurand, ...]
    """All that was measured; the first is the measurement's own."""
    aliases: tuple[Measurand, ...] = ()
    """Measurands by a second name."""
    details: Details | None = None
    """Figures that only this kind of measurement has."""
    witnesses: tuple[Witness, ...] = ()
    caveats: tuple[str, ...] = ()
    delays: tuple[ConstantDelay, ...] = ()
    """Constants that were fitted."""


class Stimuli:
    """Stimuli of which only the edges are known, as in a capture from elsewhere."""

    planned: int | None = None
    """Pulses of the planned train; None: not known beforehand."""
    which_are_lost: bool = True
    """True: it matters which interrupts got no answer, not only how many."""

    def __init__(self, run: RecordedRun) -> None:
        self.raw, self.settings, self.account = run.raw, run.settings, run.account
        self.count = 0
        """Number of stimulus edges."""
        self.first_sample = 0
        """Sample of the first and of the last, 0 without any."""
        self.last_sample = 0

    def open(self, spool: Spool) -> None:
        """Begin the evaluation; `spool` keeps what several passes need."""

    def scan(self, seen: Observation, responses: int) -> None:  # noqa: ARG002
        """Add the next stretch of the first pass; `responses`: number of answers up to its end."""
        if len(seen.stimulus):
            self.first_sample = self.first_sample if self.count else int(seen.stimulus[0])
            self.last_sample = int(seen.stimulus[-1])
        self.count += len(seen.stimulus)

    def end_scan(self, end_sample: int) -> None:
        """End the first pass."""

    @property
    def span_samples(self) -> int:
        """The samples from the first stimulus edge to the last."""
        return self.last_sample - self.first_sample

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Holes in the sample stream that the stimuli show."""
        return ()

    def rates(self) -> tuple[ClockRate, ...]:
        """Return the rate of the stimulus's clock by the analyzer's, if the stimuli show it."""
        return ()

    def timer_rates(self) -> tuple[ClockRate, ...]:
        """Return the rate of the target's timer, if it made the stimuli."""
        return ()

    @property
    def ended(self) -> bool:
        """Whether the source of the stimuli has reported how many it sent."""
        return self.account.sent is not None

    def begin_pairing(self, log: ResponseLog, responses: int, tally: LatencyTally) -> None:
        """Prepare for events: the edges are scanned, and the clocks are aligned."""

    def add(self, events: Events) -> Int64Array:
        """Add events, and return when each was planned, in ticks, shape (n,); -1: not known."""
        return np.full(len(events.stimulus), -1, np.int64)

    @property
    def capture(self) -> CaptureComparison | None:
        """The comparison with the stimulus's input capture; None: there is nothing to compare."""
        return None

    def losses(self) -> tuple[tuple[str, int, str], ...]:
        """Return the gaps as signs of loss, with the events whose latency they may falsify."""
        return ()

    def evidence(self, counts: Counts, log: ResponseLog) -> tuple[Evidence, ...]:  # noqa: ARG002
        """Return each class of event by all witnesses; none where the number sent is not known."""
        return ()

    def followed(self) -> FollowedClock | None:
        """Return the stimulus's clock by the analyzer's; None: its plan is not known."""
        return None

    def headline(self, paired: Paired) -> PrimaryResult:
        """Return the results that the run was made for: latency, unless a subclass has others."""
        return PrimaryResult((paired.latency(),))
