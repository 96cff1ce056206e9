# SPDX-License-Identifier: GPL-3.0-or-later
"""What the evaluation of a run gives, whatever was measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rig.analysis.crosscheck.clock_rates import ClockComparison
from rig.analysis.crosscheck.constants import ConstantDelay
from rig.analysis.crosscheck.witness import CaptureComparison
from rig.analysis.inference.extended import Beyond
from rig.analysis.measurements.clock_stability import Wander
from rig.analysis.measurements.dispatch import DispatchFigures
from rig.analysis.measurements.limits import JudgedLimit
from rig.analysis.measurements.period import PeriodFigures
from rig.analysis.measurements.saturation import SaturationFigures
from rig.analysis.measurements.self_trigger import SelfTriggerFigures
from rig.analysis.measurements.toggle_gap_figures import SpinFigures
from rig.analysis.measurements.values import ValueFigures
from rig.analysis.measurements.verdict import Verdict
from rig.analysis.model.events import Counts
from rig.analysis.model.witness import Witness
from rig.analysis.statistics.descriptive import ExactHistogram, Statistics
from rig.analysis.train.continuity import Gap
from rig.analysis.uncertainty.measurand import Measurand

EventColumns = dict[str, npt.NDArray[np.int64] | npt.NDArray[np.uint8]]
OnEvents = Callable[[EventColumns], None]

Details = (
    PeriodFigures
    | DispatchFigures
    | SelfTriggerFigures
    | SaturationFigures
    | ValueFigures
    | SpinFigures
)


@dataclass(frozen=True)
class Evaluation:
    """All that a run's raw data say."""

    verdict: Verdict
    reasons: tuple[str, ...]
    """Why the verdict is what it is, one line each; empty for a pass."""
    counts: Counts
    figures: Statistics
    witnesses: tuple[Witness, ...]
    capture: CaptureComparison | None
    histogram: ExactHistogram
    duration_s: float
    """From the first stimulus edge to the last."""
    paired_by: str
    """Where handler counts came from: target log, sequence pins, or order alone."""
    gaps: tuple[Gap, ...] = ()
    """Holes in the sample stream that no instrument told of."""
    details: Details | None = None
    """What only this kind of measurement has; None: it has only latencies."""
    beyond: Beyond | None = None
    """Intervals, dependence, tail, clocks and latency inside the target."""
    limits: tuple[JudgedLimit, ...] = ()
    """Each limit of the plan, and what came of it."""
    measurands: tuple[Measurand, ...] = ()
    """All that was measured; the first is what `figures` and `beyond` are of."""
    clocks: ClockComparison | None = None
    """Rates of all clocks against each other; None if there was only the analyzer's."""
    delays: tuple[ConstantDelay, ...] = ()
    """Constants that were fitted, and what they should be."""
    wander: tuple[Wander, ...] = ()
    """Of each pair of clocks, in runs long enough."""
