# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of a run's stimuli beside their edges, and what the run was made to find by them.

That depends on where they come from: a planned train, the target itself, a search for the highest
rate, or nobody knows where.
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
    """What pairing stimuli and answers has given."""

    latency_tally: LatencyTally
    histogram: ExactHistogram
    """Latencies in samples."""
    responses: int
    duration_ns: float
    """From the first stimulus edge to the last."""
    other: ExactHistogram | None = None
    """Latencies by the other reading, where some events have two."""

    def latency(self, name: str = LATENCY) -> Measurand:
        """From stimulus to answer, by this name."""
        return self.latency_tally.latency(name, self.histogram, self.other)


@dataclass(frozen=True)
class PrimaryResult:
    """What the run was made to find: the latency of its measurement, and what else it shows."""

    measurands: tuple[Measurand, ...]
    """The first is what the measurement is for."""
    aliases: tuple[Measurand, ...] = ()
    """One of the others by a second name."""
    details: Details | None = None
    """What only this kind of measurement has."""
    witnesses: tuple[Witness, ...] = ()
    caveats: tuple[str, ...] = ()
    delays: tuple[ConstantDelay, ...] = ()
    """Constants that were fitted on the way."""


class Stimuli:
    """Stimuli of which only the edges are known, as in a capture from elsewhere."""

    planned: int | None = None
    """Pulses of the planned train; None: not known beforehand."""
    which_are_lost: bool = True
    """It matters which interrupts got no answer, not only how many."""

    def __init__(self, run: RecordedRun) -> None:
        self.raw, self.settings, self.account = run.raw, run.settings, run.account
        self.count = 0
        """Stimulus edges."""
        self.first_sample = 0
        """Sample of the first and of the last, 0 without any."""
        self.last_sample = 0

    def open(self, spool: Spool) -> None:
        """The evaluation begins; `spool` keeps what several passes need."""

    def scan(self, seen: Observation, responses: int) -> None:  # noqa: ARG002
        """First pass: the next stretch; `responses`: answers up to its end."""
        if len(seen.stimulus):
            self.first_sample = self.first_sample if self.count else int(seen.stimulus[0])
            self.last_sample = int(seen.stimulus[-1])
        self.count += len(seen.stimulus)

    def end_scan(self, end_sample: int) -> None:
        """No more stretches."""

    @property
    def span_samples(self) -> int:
        """From the first stimulus edge to the last."""
        return self.last_sample - self.first_sample

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Holes in the sample stream that the stimuli show."""
        return ()

    def rates(self) -> tuple[ClockRate, ...]:
        """How fast the stimulus's clock ran by the analyzer's, if they show it."""
        return ()

    def timer_rates(self) -> tuple[ClockRate, ...]:
        """The same of the target's timer, if it made them."""
        return ()

    @property
    def ended(self) -> bool:
        """Who makes the stimuli gave an account of all of them."""
        return self.account.sent is not None

    def begin_pairing(self, log: ResponseLog, responses: int, tally: LatencyTally) -> None:
        """The edges are scanned, the clocks are aligned, and events come next."""

    def add(self, events: Events) -> Int64Array:
        """The next events. Returns when each was planned, in ticks, shape (n,); -1: not known."""
        return np.full(len(events.stimulus), -1, np.int64)

    @property
    def capture(self) -> CaptureComparison | None:
        """Answers by the stimulus's input capture; None: there is nothing to compare."""
        return None

    def losses(self) -> tuple[tuple[str, int, str], ...]:
        """The gaps as signs of loss, with the events whose latency they may falsify."""
        return ()

    def evidence(self, counts: Counts, log: ResponseLog) -> tuple[Evidence, ...]:  # noqa: ARG002
        """Each class of event by all witnesses; none where nothing says how many were sent."""
        return ()

    def followed(self) -> FollowedClock | None:
        """The stimulus's clock by the analyzer's; None: it is not known what it was to do."""
        return None

    def headline(self, paired: Paired) -> PrimaryResult:
        """What the run was made to find, if its measurement says nothing else."""
        return PrimaryResult((paired.latency(),))
