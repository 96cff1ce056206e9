# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of the evaluation of a run, whatever was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.clock_rates import ClockComparison
from rig.analysis.crosscheck.constants import ConstantDelay
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.inference.internal_latency import InternalLatencySummary
from rig.analysis.log.contingency import Evidence
from rig.analysis.measurements.clock_stability import ClockStability
from rig.analysis.measurements.limits import JudgedLimit
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.details import Details
from rig.analysis.model.events import Counts
from rig.analysis.model.witness import Witness
from rig.analysis.statistics.descriptive import DescriptiveStatistics, ExactHistogram
from rig.analysis.statistics.overruns import Overruns
from rig.analysis.train.continuity import Gap
from rig.analysis.uncertainty.measurand import Measurand

EventColumns = dict[str, npt.NDArray[np.int64] | npt.NDArray[np.uint8]]
OnEvents = Callable[[EventColumns], None]


@dataclass(frozen=True)
class Evaluation:
    """All that follows from a run's raw data."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """Reasons for the verdict, one line each; empty for a pass."""
    counts: Counts
    measurands: tuple[Measurand, ...]
    """All that was measured, one at least; the first is the measurement's own."""
    witnesses: tuple[Witness, ...]
    duration_s: float
    """Time from the first stimulus edge to the last."""
    paired_by: str
    """Source of the handler counts: target log, sequence pins, or order alone."""
    gaps: tuple[Gap, ...] = ()
    """Holes in the sample stream that no instrument reported."""
    details: Details | None = None
    """Figures that only this kind of measurement has; None: it has only latencies."""
    overruns: Overruns = field(default_factory=Overruns)
    """Events that were not answered in time."""
    capture: CaptureComparison | None = None
    """Latencies against those of the microcontroller's input capture; None without any."""
    clock_agreement: ClockAgreement | None = None
    """The bracket test of the target's clock; None if it could not be made."""
    internal_latency: InternalLatencySummary | None = None
    """Latency inside the target; None if its log has none."""
    limits: tuple[JudgedLimit, ...] = ()
    """Each limit of the plan, and its judgment."""
    clocks: ClockComparison | None = None
    """Rates of all clocks against each other; None if there was only the analyzer's."""
    delays: tuple[ConstantDelay, ...] = ()
    """Constants that were fitted, and their limits."""
    evidence: tuple[Evidence, ...] = ()
    """Each class of event by all witnesses, of a run with a train."""
    stability: tuple[ClockStability, ...] = ()
    """Allan deviations of each pair of clocks, in runs long enough."""

    @property
    def primary(self) -> Measurand:
        """The measurand that the measurement is for."""
        return self.measurands[0]

    @property
    def figures(self) -> DescriptiveStatistics:
        """The classic figures of the primary measurand."""
        return self.primary.statistics

    @property
    def histogram(self) -> ExactHistogram:
        """The values of the primary measurand."""
        return self.primary.histogram
