# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate of each clock by the analyzer's: from a train, a log, a search or a schedule.

All rates are against what both clocks declare: +1 ppm is a clock that counts one tick in a million
more than it should while the analyzer counts its own samples.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rig.analysis.clocks.agreement import ClockAgreement
from rig.analysis.crosscheck.clock_rates import ClockRate
from rig.analysis.measurements.period import PeriodSide
from rig.analysis.model.rate_steps import RateSteps
from rig.analysis.model.settings import Settings
from rig.analysis.model.sources import SelfTriggers
from rig.analysis.train.continuity import Alignment
from rig.analysis.uncertainty.clock_limits import COUNTER, STIMULUS, TIMER
from rig.analysis.uncertainty.error_model import PPM
from rig.instruments import Int64Array

FIRST_EDGES = 1 << 12
"""Most stimuli of the first hold that its rate is taken from."""
_FEWEST_EDGES = 3
_THRICE = 3.0


def train_rate(alignment: Alignment, settings: Settings) -> tuple[ClockRate, ...]:
    """Return the stimulus clock's rate by its train; nothing if that is not in the edges."""
    if alignment.span_samples <= 0 or alignment.span_ticks <= 0:
        return ()
    return (_stimulus(alignment.span_samples, alignment.span_ticks, settings),)


def hold_rate(
    source: RateSteps, first_stimuli: Sequence[int] | Int64Array, settings: Settings
) -> tuple[ClockRate, ...]:
    """Return the stimulus clock's rate by the first of several holds, whose rate is known.

    `first_stimuli`: samples of its edges, which are used up to the first that is missing.
    """
    edges = np.asarray(first_stimuli, np.int64)
    if len(edges) < _FEWEST_EDGES:
        return ()
    intervals = np.diff(edges)
    usual = float(np.median(intervals))
    off = np.abs(intervals - usual) > 2 + 2 * usual / source.first_ticks
    even = int(np.argmax(off)) if off.any() else len(intervals)
    if not even or usual <= 0:
        return ()
    return (_stimulus(int(edges[even] - edges[0]), even * source.first_ticks, settings),)


def _stimulus(samples: int, ticks: int, settings: Settings) -> ClockRate:
    """Return the rate by a train's length by either clock, known to a sample and a tick."""
    seconds = samples / settings.sample_rate_hz
    ratio = ticks / settings.stimulus_clock_hz / seconds
    within = (1 / samples + 1 / ticks) * ratio
    return ClockRate(STIMULUS, (ratio - 1) / PPM, within / PPM, settings.stimulus_clock_hz)


def counter_rate(agreement: ClockAgreement | None, settings: Settings) -> tuple[ClockRate, ...]:
    """Return the target counter's rate by the log's records and their edges."""
    if agreement is None or agreement.rate_ppm is None or settings.tick_hz is None:
        return ()
    if agreement.rate_ppm <= -1e6:  # of a log that runs backward: told elsewhere
        return ()
    within_ppm = agreement.rate_within_ppm or 0.0
    return (ClockRate(COUNTER, agreement.rate_ppm, within_ppm, settings.tick_hz),)


def period_rate(side: PeriodSide, periods: int) -> tuple[ClockRate, ...]:
    """Return the target timer's rate by the grid below its answers, `periods` long."""
    if side.rate_ppm is None or side.rate_ppm <= -1e6 or periods < 1:
        return ()
    # What the earliest answers tell may be off by a part of a period, over the whole run.
    within_ppm = 1 / periods / PPM
    if side.rate_uncertainty_ppm is not None:
        within_ppm = min(within_ppm, _THRICE * side.rate_uncertainty_ppm)
    return (_timer(side.rate_ppm, within_ppm),)


def trigger_rate(
    triggers: SelfTriggers, span_samples: int, stimuli: int, settings: Settings
) -> tuple[ClockRate, ...]:
    """Return the target timer's rate by interrupts it made itself, first edge to last."""
    if stimuli < _FEWEST_EDGES or span_samples <= 0:
        return ()
    average_ns = span_samples * 1e9 / settings.sample_rate_hz / (stimuli - 1)
    longer_ppm = (average_ns / triggers.period_ns - 1) / PPM
    # Both ends may be late by as much as a period, or one may be missing.
    return (_timer(longer_ppm, 2 / (stimuli - 1) / PPM),)


def _timer(longer_ppm: float, within_ppm: float) -> ClockRate:
    """Return the timer's rate; `longer_ppm`: by how much a period is too long on the analyzer."""
    ratio = 1 / (1 + longer_ppm * PPM)
    return ClockRate(TIMER, (ratio - 1) / PPM, within_ppm * ratio)
